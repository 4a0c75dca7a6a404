// SPDX-License-Identifier: Apache-2.0

internal import AppleVAS
internal import ArgumentParser

/// Whether old and repeated pass data is told from fresh.
struct FreshnessOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Judge opened pass data: fresh when its time stamp is at most this old and it was not seen before.",
            valueName: "seconds"))
    var maxAge: Double?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How far the phone's clock may be off, with --max-age; widens the window both ways.",
            valueName: "seconds"))
    var clockSkew: Double?

    func validate() throws {
        for (name, value) in [("--max-age", maxAge), ("--clock-skew", clockSkew)] {
            guard let value else { continue }
            guard (0...1e9).contains(value) else { throw ValidationError("\(name) takes 0 to 1000000000 seconds") }
        }
        guard clockSkew == nil || maxAge != nil else { throw ValidationError("--clock-skew goes with --max-age") }
    }

    /// A judge with an empty memory; nil when nothing is to be judged.
    var judge: VASFreshness? { maxAge.map { VASFreshness(window: $0, clockSkew: clockSkew ?? 0) } }
}

extension VASFreshness.Verdict {
    /// The stable word.
    var name: String {
        switch self {
        case .fresh: "fresh"
        case .tooOld: "tooOld"
        case .fromTheFuture: "fromTheFuture"
        case .replayed: "replayed"
        }
    }

    /// The word, and by how much.
    var text: String {
        switch self {
        case .fresh, .replayed: name
        case .tooOld(let age): "\(name) (\(Self.seconds(age)) s old)"
        case .fromTheFuture(let lead): "\(name) (\(Self.seconds(lead)) s ahead)"
        }
    }

    /// What ends a command whose data is not fresh.
    var complaint: ToolError? {
        switch self {
        case .fresh: nil
        case .replayed: ToolError(.checkFailed, code: name, "the pass data was seen before")
        case .tooOld(let age):
            ToolError(
                .checkFailed, code: name, "the pass data is \(Self.seconds(age)) s old, more than --max-age allows")
        case .fromTheFuture(let lead):
            ToolError(
                .checkFailed, code: name, "the pass data is dated \(Self.seconds(lead)) s ahead of this clock",
                hint: "set this clock, or allow for the difference with --clock-skew")
        }
    }

    /// Whole seconds, whatever a clock says: rounded away from zero, so that 10.2 is not called 10.
    private static func seconds(_ value: Double) -> String { String(Int64(min(value.rounded(.up), 1e15))) }
}
