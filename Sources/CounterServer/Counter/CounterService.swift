// SPDX-License-Identifier: Apache-2.0

internal import APDUTrace
public import AppleVAS
internal import EmulatedWallet
internal import ISO7816
internal import Logging
public import Metrics
internal import PCSC
internal import ProximityReader

/// The counter at work: reads tap after tap over Apple's API, and has each kept before it says so.
///
/// ``run()`` does the work; everything else may be called from any task, before it and after it too.
public final class CounterService: CounterControl {
    private let setting: CounterSetting
    private let desk: TapDesk?
    private let board: StateBoard
    private let pulse = Pulse()
    private let writer: TapWriter
    private let loop: ReaderLoop

    /// A counter that is ready to run.
    ///
    /// - Parameters:
    ///   - setting: what it reads, and with what.
    ///   - journal: where taps are kept.
    ///   - metrics: where counts go.
    /// - Throws: `unreadableDefinition` for an emulated phone's file.
    public init(
        _ setting: CounterSetting, journal: any TapJournal, metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) throws(ControlError) {
        self.setting = setting
        desk = try Self.desk(setting.reader)
        board = StateBoard(linger: setting.linger)
        let metrics = CounterMetrics(metrics)
        writer = TapWriter(
            journal: journal, mode: setting.mode, asked: setting.request.passes.map(\.id), ring: setting.ring,
            metrics: metrics)
        loop = ReaderLoop(setting, desk: desk, writer: writer, board: board, pulse: pulse, metrics: metrics)
    }

    private static func desk(_ choice: ReaderChoice) throws(ControlError) -> TapDesk? {
        switch choice {
        case .emulated(let file):
            do { return TapDesk(EmulatedPhone(try PhoneDefinition.load(path: file)), file: file) } catch {
                throw ControlError(.unreadableDefinition, error.reason, hint: error.hint)
            }
        case .emulatedPhone(let phone): return TapDesk(phone, file: "")
        case .pcsc, .replay, .custom: return nil
        }
    }

    /// Reads until the task is cancelled; a contact that is going on then is finished and kept.
    public func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.loop.run() }
            if let desk, case .every(let pause) = setting.tap {
                group.addTask { await Self.tap(desk, every: pause) }
            }
        }
        pulse.stop()
    }

    private static func tap(_ desk: TapDesk, every pause: Duration) async {
        while !Task.isCancelled {
            do { try await Task.sleep(for: pause) } catch { return }
            _ = try? await desk.tapOnce()
        }
    }

    /// The keys from the next tap on.
    public func replaceKeys(_ ring: VASKeyRing) { writer.replace(ring) }

    // MARK: CounterControl

    /// What the counter is doing.
    public var state: CounterState { board.state }
    /// See ``CounterControl/states``.
    public var states: AsyncStream<CounterState> { board.states }

    /// The counter's own reader, then what else pcscd has.
    public func readers() async -> [ReaderStatus] {
        var own = ReaderStatus(
            name: loop.slot.reader?.name ?? setting.kind, kind: setting.kind, isUsed: true,
            isConnected: loop.reader.isConnected, recoveries: loop.reader.recoveries)
        if case .manual(let advice) = await loop.slot.reader?.polling { own.advice = advice }
        if !own.isConnected, state.phase == .away { own.problem = state.text }
        guard case .pcsc = setting.reader else { return [own] }
        let others = (try? await PCSCReader.readerNames()) ?? []
        return [own]
            + others.filter { $0 != own.name }.map {
                ReaderStatus(name: $0, kind: "pcsc", isUsed: false, isConnected: true)
            }
    }

    /// The emulated phone.
    public func wallet() throws(ControlError) -> WalletView { try phone().view }

    /// Changes the emulated phone.
    public func changeWallet(_ change: WalletChange) async throws(ControlError) -> WalletView {
        let desk = try phone()
        try desk.change(change)
        return desk.view
    }

    /// Taps the emulated phone once.
    public func tapOnce() async throws(ControlError) -> TapOutcome { try await phone().tapOnce() }

    private func phone() throws(ControlError) -> TapDesk {
        guard let desk else {
            throw ControlError(
                .noWallet, "this counter has no emulated phone",
                hint: "set `reader = \"emulated:FILE\"` in the table [counter]")
        }
        return desk
    }

    /// Runs a trace through the reading code once more.
    public func replay(_ trace: String) async throws(ControlError) -> ReplayReport {
        try await TapReplay(setting).run(trace)
    }

    /// Whether the loop is alive.
    public func health() async -> HealthReport {
        HealthReport([pulse.check(patience: .milliseconds((desk?.phone.answerDelay ?? 0) * 100))])
    }

    /// Whether a tap would be read.
    public func readiness() async -> HealthReport {
        let state = board.state
        let isReady = loop.reader.isConnected && state.phase != .stopped
        let reader = HealthReport.Check(
            "reader", isFine: isReady, isReady ? "the reader is there" : "\(state.phase.rawValue): \(state.text)")
        return HealthReport(await health().checks + [reader])
    }

    /// Nothing: the runtime has the numbers.
    public func metricsText() async -> String { "" }
}
