// SPDX-License-Identifier: Apache-2.0

internal import EmulatedWallet
internal import Synchronization

/// The emulated phone at the counter, and those who want it tapped: one after the other, each tap with its answer.
final class TapDesk: Sendable {
    typealias Answer = Result<TapOutcome, ControlError>

    private struct Request: Sendable {
        let id: Int
        let answer: CheckedContinuation<Answer, Never>
    }

    private struct Queue {
        var lastID = 0
        var waiting: [Request] = []
        /// Whose phone is at the reader.
        var current: Request?
        /// Who gave up before they stood in the queue.
        var gone: Set<Int> = []
        var isClosed = false
    }

    let phone: EmulatedPhone
    let reader: EmulatedReader
    let file: String
    private let queue = Mutex(Queue())

    init(_ phone: EmulatedPhone, file: String) {
        (self.phone, self.file) = (phone, file)
        reader = EmulatedReader(phone, name: "emulated:\(file)", tapping: .manual)
    }

    /// Taps once. Somebody who gives up while others are served is not served; a tap that has begun goes on.
    func tapOnce() async throws(ControlError) -> TapOutcome {
        let id = queue.withLock { queue in
            queue.lastID += 1
            return queue.lastID
        }
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { enter(Request(id: id, answer: $0)) }
        } onCancel: {
            leave(id)
        }
        return try answer.get()
    }

    private func enter(_ request: Request) {
        let refusal = queue.withLock { queue -> Answer? in
            if queue.isClosed { return .failure(Self.stopped) }
            if queue.gone.remove(request.id) != nil { return .failure(Self.givenUp) }
            queue.waiting.append(request)
            next(&queue)
            return nil
        }
        if let refusal { request.answer.resume(returning: refusal) }
    }

    private func leave(_ id: Int) {
        let request = queue.withLock { queue -> Request? in
            if let place = queue.waiting.firstIndex(where: { $0.id == id }) { return queue.waiting.remove(at: place) }
            if queue.current?.id != id { queue.gone.insert(id) }
            return nil
        }
        request?.answer.resume(returning: .failure(Self.givenUp))
    }

    /// Brings the phone for the next in the queue.
    private func next(_ queue: inout Queue) {
        guard queue.current == nil, !queue.waiting.isEmpty else { return }
        queue.current = queue.waiting.removeFirst()
        reader.tap()
    }

    /// The contact is over: the phone goes, and whoever asked for it has the answer.
    func finish(_ answer: Answer) {
        reader.takeAway()
        let request = queue.withLock { queue -> Request? in
            defer { next(&queue) }
            defer { queue.current = nil }
            return queue.current
        }
        request?.answer.resume(returning: answer)
    }

    /// Nothing is tapped any more.
    func close() {
        let left = queue.withLock { queue -> [Request] in
            queue.isClosed = true
            defer { (queue.waiting, queue.current) = ([], nil) }
            return [queue.current].compactMap(\.self) + queue.waiting
        }
        for request in left { request.answer.resume(returning: .failure(Self.stopped)) }
    }

    private static let stopped = ControlError(.stopped, "the counter is ending, and taps no more")
    private static let givenUp = ControlError(.unavailable, "the request was given up before its turn")
}

// MARK: - The phone as the pages show it

extension TapDesk {
    /// Milliseconds. With it a tap with pass and payment ends in the time that a request has
    /// (``ServerLimits/answer``); slower phones are `countertop emulate`'s.
    private static let longestDelay = 2_000

    var view: WalletView {
        let definition = phone.definition
        return WalletView(
            file: file,
            passes: definition.passes.map {
                .init(
                    passTypeIdentifier: $0.passTypeIdentifier, serialNumber: $0.serialNumber, isReadable: $0.nfc != nil)
            },
            chosen: phone.chosenPass, isLocked: phone.isLocked, leavesFieldAt: definition.leavesFieldAt,
            answerDelayMilliseconds: phone.answerDelay,
            paymentNetwork: (definition.paymentCard ?? definition.plastic)?.network.rawValue,
            isPaymentArmed: phone.isPaymentArmed, tapCount: phone.tapCount, receivedURLs: phone.receivedURLs)
    }

    /// Makes a change whole, or refuses it whole.
    func change(_ change: WalletChange) throws(ControlError) {
        try check(change)
        if change.reloads {
            do { phone.become(try PhoneDefinition.load(path: file)) } catch {
                throw ControlError(.unreadableDefinition, error.reason, hint: error.hint)
            }
        }
        if let isLocked = change.isLocked { if isLocked { phone.lock() } else { phone.unlock() } }
        switch change.chosen {
        case .to(let pass): phone.choose(pass)
        case .some(.none): phone.choose(nil)
        case nil: break
        }
        switch change.leavesFieldAt {
        case .to(let command): phone.leaveField(at: command)
        case .some(.none): phone.leaveField(at: nil)
        case nil: break
        }
        if let delay = change.answerDelayMilliseconds { phone.answerDelay = delay }
        if let isArmed = change.isPaymentArmed {
            if isArmed { phone.authenticatePayment() } else { phone.disarmPayment() }
        }
    }

    private func check(_ change: WalletChange) throws(ControlError) {
        if case .to(let command) = change.leavesFieldAt, !(1...1000).contains(command) {
            throw ControlError(.invalidChange, "leavesFieldAt is a command's number, 1 to 1000")
        }
        if let delay = change.answerDelayMilliseconds, !(0...Self.longestDelay).contains(delay) {
            throw ControlError(.invalidChange, "answerDelayMs is 0 to \(Self.longestDelay)")
        }
        let passes = phone.definition.passes
        if case .to(let pass) = change.chosen, !change.reloads,
            !passes.contains(where: { $0.passTypeIdentifier == pass || $0.serialNumber == pass })
        {
            throw ControlError(
                .invalidChange, "the phone has no pass \(pass)",
                hint: "choose one by its pass type identifier or its serial number")
        }
    }
}
