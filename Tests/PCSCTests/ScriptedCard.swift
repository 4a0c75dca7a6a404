// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization

/// A card for vpcd that does what a test says: a TCP client with two-byte length frames, on a thread of its own.
final class ScriptedCard: Sendable {
    /// What the card does with a command.
    enum Reaction: Sendable {
        case answer([UInt8])
        case answerAfter([UInt8], milliseconds: Int)
        case silence
        case leave
    }

    private struct State {
        var socket: Int32 = -1
        var controls: [UInt8] = []
        var commands = 0
        var isResetting = false
    }

    private let port: UInt16
    /// How long a reset takes, as with a real reader.
    private let resetMilliseconds: UInt32
    private let state = Mutex(State())
    private let react: @Sendable (_ command: [UInt8], _ index: Int) -> Reaction

    /// Answers each command with its own bytes and 9000.
    convenience init(port: UInt16, resetMilliseconds: UInt32 = 0) {
        self.init(port: port, resetMilliseconds: resetMilliseconds) { command, _ in .answer(command + [0x90, 0]) }
    }

    init(port: UInt16, resetMilliseconds: UInt32 = 0, react: @escaping @Sendable ([UInt8], Int) -> Reaction) {
        (self.port, self.resetMilliseconds, self.react) = (port, resetMilliseconds, react)
    }

    deinit { remove() }

    /// The control bytes that came so far: 0 power off, 1 on, 2 reset, 4 answer to reset.
    var controls: [UInt8] { state.withLock { $0.controls } }
    var commandCount: Int { state.withLock { $0.commands } }

    /// Puts the card into the reader; false when nobody listens there.
    @discardableResult
    func insert() -> Bool {
        for _ in 0..<200 {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let status = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            if status == 0 {
                state.withLock { $0.socket = descriptor }
                Thread.detachNewThread { [weak self] in Self.serve(descriptor) { self?.handle($0) } }
                return true
            }
            close(descriptor)
            usleep(10_000)
        }
        return false
    }

    /// Takes the card out.
    func remove() {
        state.withLock { state in
            if state.socket >= 0 { shutdown(state.socket, Int32(SHUT_RDWR)) }
            state.socket = -1
        }
    }

    /// - Returns: the answer to send, nil for none.
    private func handle(_ frame: [UInt8]) -> [UInt8]? {
        if frame.count == 1 {
            let isReset = state.withLock { state in
                state.controls.append(frame[0])
                defer { state.isResetting = frame[0] == 2 }
                return state.isResetting
            }
            if isReset { usleep(resetMilliseconds * 1_000) }
            return frame[0] == 4 ? [0x3B, 0x80, 0x80, 0x01, 0x01] : nil
        }
        let index = state.withLock { state in
            defer { state.commands += 1 }
            return state.commands
        }
        switch react(frame, index) {
        case .answer(let bytes): return bytes
        case .answerAfter(let bytes, let milliseconds):
            usleep(UInt32(milliseconds) * 1_000)
            return bytes
        case .silence: return nil
        case .leave:
            remove()
            return nil
        }
    }

    private static func serve(_ descriptor: Int32, _ handle: ([UInt8]) -> [UInt8]?) {
        while let head = read(descriptor, 2) {
            acknowledgeAtOnce(descriptor)
            guard let frame = read(descriptor, Int(head[0]) << 8 | Int(head[1])) else { break }
            guard let answer = handle(frame) else { continue }
            let bytes = [UInt8(answer.count >> 8), UInt8(answer.count & 0xFF)] + answer
            guard send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else { break }
        }
        close(descriptor)
    }

    /// vpcd sends the length and the rest apart, the rest only when the length is acknowledged: 40 ms if left to the
    /// kernel. Lasts for one time (tcp(7)).
    private static func acknowledgeAtOnce(_ descriptor: Int32) {
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_QUICKACK, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func read(_ descriptor: Int32, _ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let got = bytes.withUnsafeMutableBytes {
                recv(descriptor, $0.baseAddress?.advanced(by: done), count - done, 0)
            }
            guard got > 0 else { return nil }
            done += got
        }
        return bytes
    }
}
