// SPDX-License-Identifier: Apache-2.0

import CounterServer
import Foundation
import LoyaltyFeed
import Synchronization
import TestSupport
import Testing
import WalletCrypto

/// A running counter over HTTP: a real outbox, and a counter that does what the test says.
final class APIBench: Sendable {
    let outbox: Outbox
    let control: ControlDouble
    let port: Int
    private let folder: TemporaryFolder
    private let task: Task<Void, any Error>

    /// Makes the service and waits until it listens.
    static func start(
        folder: TemporaryFolder? = nil, basketWindow: Duration = .zero,
        _ change: (inout CounterAPISettings) throws -> Void = { _ in }
    ) async throws -> APIBench {
        let folder = try folder ?? TemporaryFolder()
        var options = OutboxOptions()
        options.basketWindow = basketWindow
        let outbox = try Outbox(
            directory: folder.url.appending(path: "state").path(), counter: CounterIdentity(id: "c1"), options: options)
        let control = ControlDouble(outbox)
        var settings = CounterAPISettings()
        settings.server.address = ListenAddress(host: "127.0.0.1", port: 0)
        settings.server.logger = SecretsGate.logger()
        try change(&settings)
        return try await APIBench(
            folder, outbox, control, CounterAPI(outbox: outbox, control: control, settings: settings))
    }

    private init(_ folder: TemporaryFolder, _ outbox: Outbox, _ control: ControlDouble, _ api: CounterAPI) async throws
    {
        (self.folder, self.outbox, self.control) = (folder, outbox, control)
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        task = Task {
            defer { continuation.finish() }
            try await api.run { continuation.yield($0.port) }
        }
        var found: Int?
        for await port in ports {
            found = port
            break
        }
        port = try #require(found)
    }

    func client(readTimeout: Double = 30) throws -> RawClient { try RawClient(port: port, readTimeout: readTimeout) }

    /// Asks on a connection of its own.
    func ask(
        _ method: String, _ target: String, _ body: String? = nil, _ fields: [String: String] = [:]
    ) throws -> RawClient.Answer {
        let client = try client()
        client.send(Self.request(method, target, body, fields))
        return try #require(client.answer(isHead: method == "HEAD"))
    }

    /// A request as bytes; the connection ends with its answer.
    static func request(
        _ method: String, _ target: String, _ body: String? = nil, _ fields: [String: String] = [:]
    ) -> [UInt8] {
        var all = ["Host": "127.0.0.1", "Connection": "close"].merging(fields) { $1 }
        if let body {
            all["Content-Length"] = "\(body.utf8.count)"
            all["Content-Type"] = all["Content-Type"] ?? "application/json"
        }
        let head = all.filter { !$0.value.isEmpty }.map { "\($0.key): \($0.value)\r\n" }.sorted().joined()
        return Array("\(method) \(target) HTTP/1.1\r\n\(head)\r\n\(body ?? "")".utf8)
    }

    func json(_ target: String) throws -> [String: Any] {
        let answer = try ask("GET", target)
        try #require(answer.status == 200, "\(target): \(answer.text)")
        return try answer.json()
    }

    /// Puts a tap into the outbox.
    @discardableResult
    func tap(_ number: Int = 1, trace: String? = nil, member: String? = "MEMBER-0001") async throws -> CommittedTap {
        try await outbox.commit(ControlDouble.record(number, trace: trace, member: member))
    }

    /// Ends the service and waits for it.
    func stop() async throws {
        task.cancel()
        try await task.value
    }

    deinit { task.cancel() }
}

extension RawClient.Answer {
    var text: String { String(decoding: body, as: UTF8.self) }

    func json() throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any], "\(text)")
    }

    /// A header field.
    func field(_ name: String) -> String? {
        head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
            .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
    }
}

/// A counter with an emulated phone, as far as HTTP sees it.
final class ControlDouble: CounterControl {
    struct Knobs {
        var state = CounterState(.ready, "hold the phone to the reader")
        var listeners: [AsyncStream<CounterState>.Continuation] = []
        var wallet: WalletView? = WalletView(
            file: "phone.json", passes: [.init(passTypeIdentifier: "pass.com.example.club", isReadable: true)])
        var failure: TapReason?
        var isFine = true
        var count = 0
    }

    let knobs = Mutex(Knobs())
    private let outbox: Outbox

    init(_ outbox: Outbox) { self.outbox = outbox }

    static func record(_ number: Int, trace: String? = nil, member: String? = "MEMBER-0001") -> TapRecord {
        var random = [UInt8](repeating: 7, count: 10)
        (random[8], random[9]) = (UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number))
        let time = 1_790_000_000_000 + number
        let id = ULID(milliseconds: UInt64(time), random: random)
        let began = Date(timeIntervalSince1970: Double(time) / 1000)
        let outcome: PassRecord.Outcome =
            member.map { .read(member: $0, keyID: "BEEF7375", deviceTime: began) }
            ?? .failed(code: "locked", reason: "the phone is locked")
        return TapRecord(
            id: id, began: began, readerName: "emulated:phone.json",
            result: member == nil ? .failed(code: "locked", reason: "the phone is locked") : .read, mode: "vas",
            latencyMilliseconds: 12.5,
            passes: [
                PassRecord(
                    passTypeIdentifier: "pass.com.example.club", statusWord: member == nil ? 0x6287 : 0x9000,
                    outcome: outcome)
            ], trace: trace)
    }

    func say(_ state: CounterState) {
        let listeners = knobs.withLock { knobs in
            knobs.state = state
            return knobs.listeners
        }
        for listener in listeners { listener.yield(state) }
    }

    var state: CounterState { knobs.withLock { $0.state } }

    var states: AsyncStream<CounterState> {
        let (stream, continuation) = AsyncStream.makeStream(of: CounterState.self, bufferingPolicy: .bufferingNewest(1))
        knobs.withLock { knobs in
            continuation.yield(knobs.state)
            knobs.listeners.append(continuation)
        }
        return stream
    }

    func readers() async -> [ReaderStatus] {
        [ReaderStatus(name: "emulated:phone.json", kind: "emulated", isUsed: true, isConnected: true)]
    }

    func wallet() throws(ControlError) -> WalletView {
        guard let wallet = knobs.withLock({ $0.wallet }) else {
            throw ControlError(.noWallet, "there is no emulated phone")
        }
        return wallet
    }

    func changeWallet(_ change: WalletChange) async throws(ControlError) -> WalletView {
        var view = try wallet()
        view.isLocked = change.isLocked ?? view.isLocked
        view.answerDelayMilliseconds = change.answerDelayMilliseconds ?? view.answerDelayMilliseconds
        if case .to(let name) = change.chosen {
            guard name.hasPrefix("pass.") else { throw ControlError(.invalidChange, "there is no such pass") }
            view.chosen = name
        } else if case .none? = change.chosen {
            view.chosen = nil
        }
        if case .to(let index) = change.leavesFieldAt { view.leavesFieldAt = index }
        let result = view
        knobs.withLock { $0.wallet = result }
        return view
    }

    func tapOnce() async throws(ControlError) -> TapOutcome {
        let view = try wallet()
        let (number, failure) = knobs.withLock { knobs in
            knobs.count += 1
            return (knobs.count, view.isLocked ? TapReason("locked", "the phone is locked") : knobs.failure)
        }
        do {
            let tap = try await outbox.commit(
                Self.record(10_000 + number, member: failure == nil ? "MEMBER-0001" : nil))
            return TapOutcome(id: tap.id, events: tap.events.map(\.id), failure: failure)
        } catch { throw ControlError(.notKept, "the outbox cannot be written") }
    }

    func replay(_ trace: String) async throws(ControlError) -> ReplayReport {
        ReplayReport(isSame: true, lines: ["\(trace.count) characters"])
    }

    func health() async -> HealthReport {
        HealthReport([.init("loop", isFine: knobs.withLock { $0.isFine }, "it turns")])
    }
    func readiness() async -> HealthReport { await health() }
    func metricsText() async -> String { "# TYPE countertop_taps_total counter\ncountertop_taps_total 1\n" }
}
