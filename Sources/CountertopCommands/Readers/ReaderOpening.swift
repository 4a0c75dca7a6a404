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
    /// - Throws: `WalletError`, `ToolError` or `PCSCError`.
    static func open(
        _ choice: ReaderChoice, wakingPhone: Bool = false, matching: ReplayMatching = .byMeaning
    ) async throws -> OpenedReader {
        switch choice {
        case .pcsc(let name):
            var options = PCSCReader.Options()
            options.wakesPhone = wakingPhone ? .vasOnly : nil
            return OpenedReader(reader: try await PCSCReader.first(matching: name, options: options))
        case .emulated(let file):
            let phone = EmulatedPhone(try PhoneDefinition.load(path: file))
            return OpenedReader(reader: EmulatedReader(phone, name: "emulated:\(file)"), phone: phone)
        case .replay(let file):
            let trace = try await InputFile.traceReader(file, matching: matching)
            return OpenedReader(reader: trace, trace: trace)
        case .emulatedPhone(let phone): return OpenedReader(reader: EmulatedReader(phone), phone: phone)
        case .custom(let reader): return OpenedReader(reader: reader)
        }
    }
}
