// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// A TCP connection on which a test says exactly what it wants. Blocking, with a limit on every read.
final class RawClient: Sendable {
    private let descriptor: Int32

    init(port: Int, readTimeout: Double = 30) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(connected == 0, "\(String(cString: strerror(errno)))")
        var limit = timeval(tv_sec: Int(readTimeout), tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// Whether all bytes could be sent.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let flags = Int32(MSG_NOSIGNAL)
            let count = rest.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, flags) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Ends as a lost machine does: with a reset (socket(7), SO_LINGER of no time).
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    }

    /// Ends its own half.
    func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// What is there to read, or nil at the end and when nothing comes in time.
    func read() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    /// Everything until the other side closes.
    func readToEnd() -> [UInt8] {
        var bytes: [UInt8] = []
        while let more = read() { bytes += more }
        return bytes
    }

    /// One answer; nil when the connection ends before there is one.
    func answer(isHead: Bool = false) -> Answer? {
        var bytes: [UInt8] = []
        while true {
            if let answer = Answer(bytes, isHead: isHead) { return answer }
            guard let more = read() else { return nil }
            bytes += more
        }
    }

    /// A whole answer of HTTP/1.1 that states its length.
    struct Answer {
        let status: Int
        let head: String
        let body: [UInt8]

        init?(_ bytes: [UInt8], isHead: Bool = false) {
            guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
            head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
            let lines = head.lowercased().split(separator: "\r\n")
            let length =
                isHead ? 0 : lines.first { $0.hasPrefix("content-length:") }.flatMap { Int($0.filter(\.isNumber)) } ?? 0
            guard bytes.count >= end.upperBound + length else { return nil }
            status = Int(lines.first?.split(separator: " ").dropFirst().first ?? "") ?? 0
            body = Array(bytes[end.upperBound..<(end.upperBound + length)])
        }
    }
}
