// SPDX-License-Identifier: Apache-2.0

public import ISO7816

/// What the monitor saw.
public enum PCSCEvent: Hashable, Sendable {
    /// A reader is there: at the start, plugged in, or back with the service.
    case readerAdded(String)
    /// A reader is gone: unplugged, or with the service.
    case readerRemoved(String)
    /// A card came to a reader, or was there at the start.
    case cardInserted(reader: String, CardPresence)
    /// A card left a reader.
    case cardRemoved(reader: String)
    /// The smart card service is not there, or does not answer. Readers that were known are reported removed first.
    case serviceLost(PCSCError)
    /// The smart card service is there: at the start, or again.
    case serviceFound
}

/// Watches readers and cards come and go, with a context and a thread of its own.
///
/// It outlives pcscd, and finds it again when it is back. Besides waiting for events it lists the readers each
/// second, because the service's own notification misses readers that change by its configuration.
public struct PCSCMonitor: Sendable {
    private let options: PCSCReader.Options

    /// A monitor; nothing is done before ``events`` is asked for.
    public init(options: PCSCReader.Options = PCSCReader.Options()) {
        self.options = options
    }

    /// The events from now on, beginning with what is there. Each call watches anew.
    ///
    /// Ends when the task that reads it is cancelled or the stream is dropped; thread and context end with it.
    public var events: AsyncStream<PCSCEvent> {
        let options = options
        return AsyncStream { continuation in
            let work = Task {
                await Self.watch(options) { continuation.yield($0) }
                continuation.finish()
            }
            continuation.onTermination = { _ in work.cancel() }
        }
    }

    private static func watch(
        _ options: PCSCReader.Options, _ report: @escaping @Sendable (PCSCEvent) -> Void
    ) async {
        let slot = SessionSlot(readerName: "pcscd", options: options)
        var view = MonitorView()
        var pause = Duration.milliseconds(50)
        while !Task.isCancelled {
            do {
                let names = try await slot.run { session in try session.readerNames() }
                for event in view.list(names) { report(event) }
                pause = .milliseconds(50)
                try await look(slot, &view, options, report)
            } catch {
                guard !Task.isCancelled else { return }
                let fault = pcscError(error)
                if fault.rawCode != PCSCError.unknownReader {
                    for event in view.lose(fault) { report(event) }
                }
                try? await Task.sleep(for: pause)
                pause = min(pause * 2, .seconds(1))
            }
        }
    }

    /// Waits up to a slice for a change of any reader that is known.
    private static func look(
        _ slot: SessionSlot, _ view: inout MonitorView, _ options: PCSCReader.Options,
        _ report: (PCSCEvent) -> Void
    ) async throws {
        let (names, known) = view.question
        guard !names.isEmpty else {
            try await Task.sleep(for: options.waitSlice)
            return
        }
        let milliseconds = options.waitSlice.nanoseconds / 1_000_000
        let states = try await slot.run(isWait: true) { session in
            try session.statusChanges(of: names, from: known, milliseconds: milliseconds)
        }
        guard let states else { return }
        for (name, state) in zip(names, states) {
            for event in view.update(name, state) { report(event) }
        }
    }

    private static func pcscError(_ error: any Error) -> PCSCError {
        if let error = error as? PCSCError { return error }
        let fault = error as? CardChannelError
        return PCSCError(
            rawCode: fault?.rawCode ?? PCSCError.timeout, reason: fault?.reason ?? "\(error)", hint: fault?.hint)
    }
}

/// What the monitor knows; turns what it is told into events.
struct MonitorView {
    private var order: [String] = []
    private var states: [String: ReaderState] = [:]
    private var hasService: Bool?

    /// What to ask the service: reader names, and the state each is known to have.
    var question: (names: [String], known: [UInt]) { (order, order.map { states[$0]?.raw ?? 0 }) }

    mutating func list(_ names: [String]) -> [PCSCEvent] {
        var events: [PCSCEvent] = hasService == true ? [] : [.serviceFound]
        hasService = true
        let gone = order.filter { !names.contains($0) }
        events += gone.flatMap { remove($0) }
        for name in names where !order.contains(name) {
            order.append(name)
            events.append(.readerAdded(name))
        }
        return events
    }

    mutating func lose(_ error: PCSCError) -> [PCSCEvent] {
        let events = order.flatMap { remove($0) }
        defer { hasService = false }
        return hasService == false ? events : events + [.serviceLost(error)]
    }

    mutating func update(_ name: String, _ state: ReaderState) -> [PCSCEvent] {
        guard order.contains(name) else { return [] }
        guard !state.isUnknown else { return remove(name) }
        let old = states.updateValue(state, forKey: name)
        let sameCard = old?.eventCount == state.eventCount
        var events: [PCSCEvent] = []
        if let old, old.hasCard, !state.hasCard || !sameCard { events.append(.cardRemoved(reader: name)) }
        if state.hasCard, !(old?.hasCard ?? false) || !sameCard {
            let presence = CardPresence(atr: state.atr, eventCount: state.eventCount)
            events.append(.cardInserted(reader: name, presence))
        }
        return events
    }

    private mutating func remove(_ name: String) -> [PCSCEvent] {
        order.removeAll { $0 == name }
        let hadCard = states.removeValue(forKey: name)?.hasCard ?? false
        return (hadCard ? [.cardRemoved(reader: name)] : []) + [.readerRemoved(name)]
    }
}
