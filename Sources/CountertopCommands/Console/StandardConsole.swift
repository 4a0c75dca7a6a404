// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Console {
    /// The process's own streams, unbuffered, so that each line is there as soon as it is written.
    public static let standard: Console = {
        var console = Console(
            environment: ProcessInfo.processInfo.environment,
            output: { try StandardStream.write($0, to: STDOUT_FILENO) },
            error: { try? StandardStream.write($0, to: STDERR_FILENO) },
            input: { try StandardStream.readAll(STDIN_FILENO) })
        console.outputIsTerminal = isatty(STDOUT_FILENO) == 1
        console.errorIsTerminal = isatty(STDERR_FILENO) == 1
        return console
    }()
}

/// Whole reads and writes on descriptors.
enum StandardStream {
    /// The most that standard input may hold: no argument of any command is nearly as long.
    static let inputLimit = 16 << 20

    /// Puts something that fails into the place of each standard stream that is closed, so that no file or socket
    /// gets its number and takes talk for its own.
    static func occupy() {
        for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(number, F_GETFD) < 0 {
            _ = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    static func write(_ bytes: [UInt8], to descriptor: Int32) throws(ToolError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EPIPE { throw .closedPipe }
            guard count > 0 else {
                throw ToolError(.inputOutput, "the results cannot be written: \(String(cString: strerror(errno)))")
            }
            rest = rest.dropFirst(count)
        }
    }

    static func readAll(_ descriptor: Int32) throws(ToolError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw ToolError(.inputOutput, "standard input cannot be read: \(String(cString: strerror(errno)))")
            }
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
            guard bytes.count <= inputLimit else { throw ToolError(.data, "there is too much on standard input") }
        }
    }
}
