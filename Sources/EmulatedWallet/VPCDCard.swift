// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import ISO7816
import Synchronization

/// An emulated phone as a card in pcscd's virtual reader (vsmartcard's vpcd), for any PC/SC program to see.
///
/// It connects to vpcd as vpcd's cards do, serves it on a thread of its own, and connects again when pcscd was
/// restarted or the phone comes back after leaving the field. Methods may be called from any thread.
public final class VPCDCard: Sendable {
    /// What happens to the card.
    public enum Event: Hashable, Sendable {
        /// vpcd powered the card on and took its answer to reset, or went on looking at it without powering it on, as
        /// it does when it missed that the phone was away: the card is in the reader.
        case ready
        /// The phone left the field by itself, and comes back later.
        case leftField
        /// The connection ended from vpcd's side; it is tried again until stopped.
        case disconnected
        /// An answer that vpcd cannot carry was replaced by `6F00`.
        case answerRefused(byteCount: Int)
        /// Stopped; nothing comes after it.
        case stopped
    }

    /// Where vpcd listens.
    public let address: VPCDAddress
    /// The phone in the reader.
    public let phone: EmulatedPhone
    /// How long the phone stays away after leaving the field. vpcd looks every 400 ms; a shorter absence may pass
    /// unnoticed.
    public let absence: Duration

    private enum Phase { case new, running, stopped }
    private let phase = Mutex(Phase.new)
    private let isReadyNow = Mutex(false)
    private let wake = WakePipe()
    private let finished = DispatchGroup()
    private let report: @Sendable (Event) -> Void

    /// A card that has not been put into the reader yet.
    ///
    /// - Parameters:
    ///   - phone: the phone that is in the reader.
    ///   - address: where vpcd listens.
    ///   - absence: how long the phone stays away after leaving the field.
    ///   - report: called on the card's thread at each event.
    public init(
        _ phone: EmulatedPhone, at address: VPCDAddress, absence: Duration = .seconds(1),
        report: @escaping @Sendable (Event) -> Void = { _ in }
    ) {
        (self.phone, self.address, self.absence, self.report) = (phone, address, absence, report)
    }

    deinit { wake.wake() }

    /// Longest answer that vpcd passes on (measured with vpcd 3.3).
    static let maximumAnswer = 65_282

    /// Connects, and serves vpcd until ``stop()``.
    ///
    /// - Throws: ``WalletError`` with code `unreachable` when vpcd is not there, `notStartable` the second time.
    public func start() throws(WalletError) {
        let isNew = phase.withLock { phase in
            guard phase == .new else { return false }
            phase = .running
            return true
        }
        guard isNew else { throw WalletError(.notStartable, "the card was started before") }
        let socket: VPCDSocket
        do {
            socket = try VPCDSocket(connectingTo: address, wake: wake)
        } catch {
            // It may be tried again, unless somebody stopped it meanwhile.
            phase.withLock { if $0 == .running { $0 = .new } }
            throw error
        }
        serveOnThread(socket)
    }

    /// Takes the card out of the reader and waits until its thread has ended. Not to be called from `report`.
    public func stop() {
        let wasRunning = phase.withLock { phase in
            defer { phase = .stopped }
            return phase == .running
        }
        guard wasRunning else { return }
        wake.wake()
        finished.wait()
    }

    /// Whether the card is in the reader now.
    public var isReady: Bool { isReadyNow.withLock { $0 } }

    /// Waits until the card is in the reader.
    ///
    /// - Returns: false when time was up first, or the card was stopped.
    public func waitUntilReady(timeout: Duration) async throws -> Bool {
        let end = ContinuousClock.now + timeout
        while !isReady {
            guard ContinuousClock.now < end, phase.withLock({ $0 == .running }) else { return false }
            try await Task.sleep(for: .milliseconds(5))
        }
        return true
    }

    private func serveOnThread(_ first: consuming VPCDSocket) {
        finished.enter()
        let box = Box(first)
        let thread = Thread {
            self.run(box.take())
            self.report(.stopped)
            self.finished.leave()
        }
        thread.name = "countertop.vpcd"
        thread.start()
    }

    private var isRunning: Bool { phase.withLock { $0 == .running } }

    /// Serves one connection after the other; waits between attempts grow from 50 ms to a second.
    private func run(_ first: consuming VPCDSocket?) {
        var socket = first.take()
        var pause = 50
        while isRunning {
            if let connection = socket.take() {
                pause = 50
                let left = serve(connection)
                phone.fieldOff()
                isReadyNow.withLock { $0 = false }
                guard isRunning else { return }
                report(left ? .leftField : .disconnected)
                if left, wake.wait(milliseconds: Self.milliseconds(absence)) { return }
            }
            socket = try? VPCDSocket(connectingTo: address, wake: wake)
            if socket == nil {
                if wake.wait(milliseconds: pause) { return }
                pause = min(pause * 2, 1_000)
            }
        }
    }

    /// Serves a connection and closes it.
    ///
    /// - Returns: whether it was the phone that left.
    private func serve(_ socket: consuming VPCDSocket) -> Bool {
        var looks = Looks()
        while let frame = socket.receive() {
            if frame.count == 1 {
                guard control(frame[0], socket, &looks) else { return false }
                continue
            }
            if !phone.isInField { phone.fieldOn() }
            switch phone.respond(to: frame) {
            case .leftField: return true
            case .silence: continue
            case .response(let response, let delay):
                if delay > .zero, wake.wait(milliseconds: Self.milliseconds(delay)) { return false }
                guard socket.send(carried(response)) else { return false }
            }
        }
        return false
    }

    /// What tells that the card is in the reader.
    private struct Looks {
        var hasPower = false
        var count = 0
        /// Two looks come before the power at the start.
        var areEnough: Bool { hasPower || count > 2 }
    }

    /// Control bytes: 0 power off, 1 power on, 2 reset, 4 answer to reset, the only one that is answered (vsmartcard,
    /// `virtualsmartcard/src/vpcd/vpcd.h`).
    private func control(_ byte: UInt8, _ socket: borrowing VPCDSocket, _ looks: inout Looks) -> Bool {
        switch byte {
        case 0:
            phone.fieldOff()
            looks = Looks()
        case 1, 2:
            phone.fieldOn()
            looks.hasPower = true
        case 4:
            guard socket.send(phone.answerToReset) else { return false }
            looks.count += 1
            if looks.areEnough, !isReady {
                isReadyNow.withLock { $0 = true }
                report(.ready)
            }
        default: break
        }
        return true
    }

    /// vpcd hangs at an empty answer and breaks at one that is too long, so neither is ever sent.
    private func carried(_ response: [UInt8]) -> [UInt8] {
        guard response.count < 2 || response.count > Self.maximumAnswer else { return response }
        report(.answerRefused(byteCount: response.count))
        return [0x6F, 0x00]
    }

    private static func milliseconds(_ duration: Duration) -> Int {
        Int(min(max(duration / .milliseconds(1), 0), 2_147_483_647))
    }
}

/// Hands a connection over to the thread that will own it.
private final class Box: Sendable {
    private let socket: Mutex<VPCDSocket?>

    init(_ socket: consuming sending VPCDSocket?) { self.socket = Mutex(socket) }

    func take() -> VPCDSocket? { socket.withLock { $0.take() } }
}
