// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The least of an HTTP server: one request for each connection, answered with whatever a test wants, wrong or right.
final class TinyServer: Sendable {
    struct Request: Sendable {
        var method = ""
        var target = ""
        var headers: [(name: String, value: String)] = []
        var body: [UInt8] = []
    }

    enum Reply: Sendable {
        case answer(status: Int, body: [UInt8])
        /// Bytes as they are, then the end of the connection.
        case raw([UInt8])
        /// These bytes, and no end until the client gives up.
        case stall([UInt8])
        case drop
    }

    let port: UInt16
    private let listener: Int32

    /// - Parameter isSerial: whether one client waits for the other.
    init(isSerial: Bool = false, _ reply: @escaping @Sendable (Request) -> Reply) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 16) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard bound else { throw POSIXError(.EADDRNOTAVAIL) }
        (self.listener, port) = (listener, UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread {
            while case let connection = accept(listener, nil, nil), connection >= 0 {
                guard !isSerial else {
                    Self.serve(connection, reply)
                    continue
                }
                Thread.detachNewThread { Self.serve(connection, reply) }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    var url: String { "http://127.0.0.1:\(port)" }

    private static func serve(_ connection: Int32, _ reply: (Request) -> Reply) {
        defer { close(connection) }
        guard let request = read(connection) else { return }
        switch reply(request) {
        case .answer(let status, let body):
            let head = "HTTP/1.1 \(status) Whatever\r\nContent-Length: \(body.count)\r\nConnection: close\r\n\r\n"
            write(Array(head.utf8) + body, connection)
        case .raw(let bytes): write(bytes, connection)
        case .stall(let bytes):
            write(bytes, connection)
            var byte: UInt8 = 0
            _ = recv(connection, &byte, 1, 0)
        case .drop: break
        }
    }

    private static func read(_ connection: Int32) -> Request? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var (head, length): (Int?, Int) = (nil, 0)
        var request = Request()
        while true {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            bytes += buffer[..<count]
            if head == nil, let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
                head = end.upperBound
                let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
                let words = lines[0].split(separator: " ").map(String.init)
                (request.method, request.target) = (words.first ?? "", words.dropFirst().first ?? "")
                request.headers = lines.dropFirst().map { line in
                    let parts = line.split(separator: ":", maxSplits: 1)
                    return (
                        String(parts.first ?? ""), parts.dropFirst().first?.trimmingCharacters(in: .whitespaces) ?? ""
                    )
                }
                length =
                    request.headers.first { $0.name.lowercased() == "content-length" }.flatMap { Int($0.value) } ?? 0
            }
            guard let head, bytes.count >= head + length else { continue }
            request.body = Array(bytes[head..<(head + length)])
            return request
        }
    }

    private static func write(_ bytes: [UInt8], _ connection: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
