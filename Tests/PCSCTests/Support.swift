// SPDX-License-Identifier: Apache-2.0

import CardTesting
import ISO7816
import Synchronization
import Testing

@testable import PCSC

/// Why tests with a daemon of their own are skipped, if they are.
let needsDaemon: Comment = "needs pcscd and vpcd: \(PrivatePCSCD.unavailableReason ?? "both are here")"

/// A SELECT that any scripted card echoes.
let command: [UInt8] = [0x00, 0xA4, 0x04, 0x00, 0x00]
let echoed: [UInt8] = command + [0x90, 0x00]

/// Not for ever. How fast something is, is for the benchmarks to say; a busy machine must not fail a test.
let promptly = Duration.seconds(10)

extension PCSCReader.Options {
    /// Limits short enough for tests, long enough for a busy machine.
    static func quick(
        transmit: Duration = .milliseconds(1_500), call: Duration = .milliseconds(1_500)
    ) -> PCSCReader.Options {
        var options = PCSCReader.Options()
        (options.transmitTimeout, options.callTimeout) = (transmit, call)
        return options
    }
}

extension PrivatePCSCD {
    func reader(slot: Int = 0, _ options: PCSCReader.Options = .quick()) -> PCSCReader {
        PCSCReader(name: slotNames[slot], options: options)
    }
}

/// One command in one access.
func exchange(_ reader: PCSCReader, ending: CardEnding = .reset, _ bytes: [UInt8] = command) async throws -> [UInt8] {
    try await reader.withCard(ending: ending) { channel in try channel.transmit(bytes) }
}

/// The code of the error that `body` throws; nil when it throws none.
func code(of body: () async throws -> Void) async -> CardChannelError.Code? {
    do {
        try await body()
        return nil
    } catch let error as CardChannelError {
        return error.code
    } catch {
        return CardChannelError.Code(rawValue: "not a channel error: \(error)")
    }
}

/// A next tap works: the card is seen and answers.
func expectTap(_ reader: PCSCReader, _ comment: Comment, sourceLocation: SourceLocation = #_sourceLocation) async {
    do {
        _ = try await reader.waitForCard(timeout: .seconds(6))
        #expect(try await exchange(reader) == echoed, comment, sourceLocation: sourceLocation)
    } catch {
        Issue.record("\(comment): \(error)", sourceLocation: sourceLocation)
    }
}

/// Waits until a number stays the same for half a second, and returns it.
@discardableResult
func settle(_ number: () -> Int?) async throws -> Int? {
    var last = number()
    for _ in 0..<20 {
        try await Task.sleep(for: .milliseconds(500))
        let now = number()
        if now == last { return now }
        last = now
    }
    return last
}

/// A value that several tasks of a test share.
final class Shared<Value: Sendable>: Sendable {
    private let value: Mutex<Value>
    init(_ value: Value) { self.value = Mutex(value) }
    func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        value.withLock { value in body(&value) }
    }
}
