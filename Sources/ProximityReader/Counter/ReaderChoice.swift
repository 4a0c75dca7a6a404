// SPDX-License-Identifier: Apache-2.0

public import EmulatedWallet
public import ISO7816

/// Where a counter's taps come from.
public enum ReaderChoice: Sendable {
    /// A PC/SC reader whose name holds this text; the first one when nil.
    case pcsc(name: String?)
    /// A phone emulated in process, from its file: JSON, a `.pkpass`, or a folder of those.
    case emulated(file: String)
    /// A phone emulated in process, which the caller keeps hold of.
    case emulatedPhone(EmulatedPhone)
    /// A recorded trace.
    case replay(file: String)
    /// Any reader.
    case custom(any CardReader)

    /// The choice that a text spells: `pcsc`, `pcsc:NAME`, `emulated:FILE`, `replay:FILE`; nil for anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let rest = parts.count > 1 ? parts[1] : ""
        switch parts.first {
        case "pcsc": self = .pcsc(name: rest.isEmpty ? nil : rest)
        case "emulated" where !rest.isEmpty: self = .emulated(file: rest)
        case "replay" where !rest.isEmpty: self = .replay(file: rest)
        default: return nil
        }
    }

    /// Whether the cards are the emulated wallet's.
    var isEmulated: Bool {
        switch self {
        case .emulated, .emulatedPhone: true
        case .pcsc, .replay, .custom: false
        }
    }

    /// Whether taps come by themselves, one after another without end or until a trace is used up.
    var tapsByItself: Bool {
        switch self {
        case .emulated, .emulatedPhone, .replay: true
        case .pcsc, .custom: false
        }
    }
}
