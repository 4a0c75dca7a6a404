// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

extension PrivatePCSCD {
    /// The virtual reader's driver, as the Debian package vsmartcard-vpcd installs it.
    static let driver = "/usr/lib/pcsc/drivers/serial/libifdvpcd.so"

    /// Why no private daemon can be had here; nil when it can. For a test's condition and its comment.
    public static var unavailableReason: String? {
        if daemonPath == nil { return "pcscd is not installed (Debian package pcscd)" }
        guard FileManager.default.fileExists(atPath: driver) else {
            return "the virtual reader is not installed (Debian package vsmartcard-vpcd)"
        }
        return nil
    }

    /// Whether a private daemon can be had here.
    public static var isAvailable: Bool { unavailableReason == nil }

    static var daemonPath: String? {
        ["/usr/sbin/pcscd", "/usr/local/sbin/pcscd", "/sbin/pcscd"].first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
    }

    /// A short path on purpose: a UNIX socket's path has 107 bytes at most.
    static func makeDirectory() throws -> String {
        var template = Array("/tmp/countertop-pcscd-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure(description: "no folder under /tmp: \(errno)") }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// pcscd parses every file of that folder as configuration: it must hold the reader file and nothing else.
    static func writeConfiguration(directory: String, readerName: String, port: UInt16) throws {
        let folder = directory + "/conf"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let number = "0x" + String(port, radix: 16, uppercase: true)
        let text = """
            FRIENDLYNAME "\(readerName)"
            DEVICENAME /dev/null:\(number)
            LIBPATH \(driver)
            CHANNELID \(number)

            """
        try text.write(toFile: folder + "/reader", atomically: false, encoding: .utf8)
    }

    /// Two neighbouring ports that nobody has, below the range that the kernel gives to clients.
    static func freePortPair() throws -> UInt16 {
        for _ in 0..<200 {
            let port = UInt16.random(in: 10_000..<16_000) * 2
            if canBind(port), canBind(port + 1) { return port }
        }
        throw Failure(description: "no two free TCP ports")
    }

    private static func canBind(_ port: UInt16) -> Bool {
        let descriptor = tcpSocket()
        defer { close(descriptor) }
        return withAddress(port, host: INADDR_ANY) { bind(descriptor, $0, $1) } == 0
    }

    /// Asks the kernel's table rather than connecting: whoever connects is a card to the virtual reader.
    static func isListening(_ port: UInt16) -> Bool {
        let wanted = ":" + String(String(0x10000 + Int(port), radix: 16, uppercase: true).dropFirst())
        return ["/proc/net/tcp", "/proc/net/tcp6"].contains { path in
            let text = String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
            return text.split(separator: "\n").dropFirst().contains { line in
                let fields = line.split(separator: " ")
                // Field 3 is the state; 0A is LISTEN (proc(5)).
                return fields.count > 3 && fields[1].hasSuffix(wanted) && fields[3] == "0A"
            }
        }
    }

    /// Binds the daemon's socket; it must not be inherited but by the daemon.
    static func listen(at path: String) throws -> Int32 {
        unlink(path)
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes.prefix($0.count - 1)) }
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0, Glibc.listen(descriptor, 64) == 0 else {
            close(descriptor)
            throw Failure(description: "cannot listen at \(path): error \(errno)")
        }
        return descriptor
    }

    private static func tcpSocket() -> Int32 {
        socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    }

    private static func withAddress(
        _ port: UInt16, host: UInt32, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = host.bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
