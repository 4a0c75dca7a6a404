// SPDX-License-Identifier: Apache-2.0

internal import APDUTrace
internal import EmulatedWallet
internal import ISO7816
internal import PCSC
internal import ProximityReader

/// A reader that is there, and how a read should treat it.
struct OpenedReader {
    let reader: any CardReader
    /// Set for a trace, to see whether it is used up.
    var trace: TraceReader?
    /// What a trace that is read for a payment holds.
    var recorded: APDUTrace?
    /// Set for a phone in process.
    var phone: EmulatedPhone?

    /// For the counter. A phone in process is handed over as such, because it taps by itself.
    var choice: ReaderChoice { phone.map { .emulatedPhone($0) } ?? .custom(reader) }

    /// How patient a read is: a trace is not waited for, and never taps again.
    func policy(waiting: Duration?) -> RetryPolicy {
        var policy = RetryPolicy()
        policy.tapTimeout = waiting
        if trace != nil {
            (policy.maximumTornTaps, policy.activationTaps, policy.pollInterval) = (3, 1, .zero)
        }
        return policy
    }

    /// Opens what was chosen, so that a missing file or reader is told apart before anything happens.
    ///
    /// - Parameter forgiving: whether a trace answers what was not recorded, as ``ForgivingReader`` does.
    /// - Throws: `WalletError`, `ToolError` or `PCSCError`.
    static func open(
        _ choice: ReaderChoice, wakingPhone: PollingRoute.Mode? = nil, matching: ReplayMatching = .byMeaning,
        forgiving: Bool = false
    ) async throws -> OpenedReader {
        switch choice {
        case .pcsc(let name):
            var options = PCSCReader.Options()
            options.wakesPhone = wakingPhone
            return OpenedReader(reader: try await PCSCReader.first(matching: name, options: options))
        case .emulated(let file):
            let phone = EmulatedPhone(try PhoneDefinition.load(path: file))
            return OpenedReader(reader: EmulatedReader(phone, name: "emulated:\(file)"), phone: phone)
        case .replay(let file):
            // Nothing of the trace is shown or kept: a read of it is sealed as that of a card is.
            let trace = forgiving ? try InputFile.anyTrace(file, redactor: nil).trace : try InputFile.trace(file)
            let reader = TraceReader(trace, name: file, matching: matching)
            guard forgiving else { return OpenedReader(reader: reader, trace: reader) }
            let habits = ForgivingReader.Habits(trace)
            return OpenedReader(
                reader: ForgivingReader(base: reader, habits: habits), trace: reader, recorded: trace)
        case .emulatedPhone(let phone): return OpenedReader(reader: EmulatedReader(phone), phone: phone)
        case .custom(let reader): return OpenedReader(reader: reader)
        }
    }
}
