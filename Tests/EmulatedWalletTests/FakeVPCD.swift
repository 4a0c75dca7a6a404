// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@testable import EmulatedWallet

/// vpcd's end of the wire: listens, takes one card at a time, and says what a test tells it to.
///
/// Blocking, with a receive time-out of 15 seconds, longer than any absence of a card; belongs to one test.
final class FakeVPCD: @unchecked Sendable {
    private var listener: Int32 = -1
    private(set) var port: UInt16 = 0
    private var card: Int32 = -1

    /// - Parameter port: zero takes a free one.
    init(port: UInt16 = 0) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var on: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, 4)
        Self.setTimeout(listener)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let bound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 1) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        try #require(bound, "no port for the test")
        self.port = UInt16(bigEndian: address.sin_port)
    }

    deinit { stop() }

    var address: VPCDAddress { VPCDAddress(host: "127.0.0.1", port: port) }

    /// Waits for the card.
    func accept() throws {
        drop()
        card = Glibc.accept(listener, nil, nil)
        try #require(card >= 0, "no card came")
        Self.setTimeout(card)
    }

    /// Sends a frame without waiting for an answer.
    func tell(_ bytes: [UInt8]) {
        let frame = [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
        _ = frame.withUnsafeBytes { send(card, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Sends a frame and takes the answer; nil when the card closed the connection.
    func ask(_ bytes: [UInt8]) -> [UInt8]? {
        tell(bytes)
        return receive()
    }

    func receive() -> [UInt8]? {
        guard let header = read(2) else { return nil }
        return read(Int(header[0]) << 8 | Int(header[1]))
    }

    /// What pcscd does to a card that was put in.
    func powerOn() -> [UInt8]? {
        tell([1])
        return ask([4])
    }

    func drop() {
        if card >= 0 { close(card) }
        card = -1
    }

    /// Listener first, so that the card cannot come back in between.
    func stop() {
        if listener >= 0 { close(listener) }
        listener = -1
        drop()
    }

    private func read(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let got = bytes.withUnsafeMutableBytes { recv(card, $0.baseAddress, $0.count, Int32(MSG_WAITALL)) }
        return got == count ? bytes : nil
    }

    private static func setTimeout(_ descriptor: Int32) {
        var time = timeval(tv_sec: 15, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }
}
