// SPDX-License-Identifier: Apache-2.0

/// What the reference issuer does wrong on purpose, so that an app, a wallet or a report can be tried on it.
public enum IssuerFault: Hashable, Sendable {
    /// Answers with this status code and a refusal.
    case status(Int)
    /// Answers late, by these milliseconds.
    case delay(Int)
    /// Closes the connection without an answer.
    case drop
    /// Answers with half of the body.
    case truncate
    /// Answers with bytes that are no text.
    case garbage
    /// Answers with an object without members.
    case empty
    /// Seals the card with a mistake.
    case mistake(SealingFault)

    /// The spellings that ``init(_:)`` takes, for help texts.
    public static let spellings =
        "status=503, delay=21000 (milliseconds), drop, truncate, garbage, empty, mistake=iv-16-bytes and the like"

    /// A fault by its spelling.
    ///
    /// - Throws: `invalidRequest` with the spellings there are.
    public init(_ text: String) throws(ProvisioningError) {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        if parts.first == "mistake", let fault = parts.dropFirst().first.flatMap({ SealingFault.named($0) }) {
            self = .mistake(fault)
            return
        }
        let number = parts.count == 2 ? Int(parts[1]) : nil
        switch (parts.first ?? "", number) {
        case ("status", let code?) where (400...599).contains(code): self = .status(code)
        case ("delay", let milliseconds?) where (0...600_000).contains(milliseconds): self = .delay(milliseconds)
        case ("drop", nil) where parts.count == 1: self = .drop
        case ("truncate", nil) where parts.count == 1: self = .truncate
        case ("garbage", nil) where parts.count == 1: self = .garbage
        case ("empty", nil) where parts.count == 1: self = .empty
        default:
            throw ProvisioningError(
                .invalidRequest, "`\(text)` is no fault of an issuer",
                hint: parts.first == "mistake"
                    ? "mistakes are \(SealingFault.all.map(\.id).joined(separator: ", "))"
                    : "there are \(Self.spellings)")
        }
    }

    /// The answer, spoilt.
    func spoil(_ response: ProfileResponse, _ profile: ProcessorProfile) -> ProfileResponse {
        var spoilt = response
        switch self {
        case .status(let code): return profile.refusal(status: code, code: "injected", text: "An injected failure")
        case .truncate: spoilt.body = Array(response.body.prefix(response.body.count / 2))
        case .garbage: spoilt.body = [0xFF, 0xFE, 0x00, 0x80] + response.body.prefix(16).map { $0 | 0x80 }
        case .empty: spoilt.body = Array("{}".utf8)
        case .delay, .drop, .mistake: break
        }
        return spoilt
    }
}
