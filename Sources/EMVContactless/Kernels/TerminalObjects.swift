// SPDX-License-Identifier: Apache-2.0

internal import BERTLV

/// What the terminal gives the card in one run: one value a tag, built once and kept up to date.
///
/// The combination's own data come first, then the kernel's, the transaction's and the terminal's. Objects that the
/// card sets in this kernel's dictionary are left out of the last two.
struct TerminalObjects {
    /// All of them.
    private(set) var values: [TLVTag: [UInt8]]
    private let context: TagContext
    /// What nothing that comes later replaces.
    private let fixed: [TLVTag: [UInt8]]

    /// - Parameter common: the terminal's and the transaction's objects, as ``common(_:_:)`` gives them.
    init(common: [TLVTag: [UInt8]], terminal: TerminalProfile, active: ActiveCombination, kernel: Kernel) {
        context = kernel.context
        let own = KernelTerminalData(terminal: terminal, active: active, kernel: kernel).objects
        fixed = own.isEmpty ? active.combination.terminalData : own.merging(active.combination.terminalData) { $1 }
        values = common
        for tag in common.keys where !Self.isTerminal(tag, in: context) { values[tag] = nil }
        for (tag, value) in fixed { values[tag] = value }
    }

    /// What does not depend on the kernel; the transaction's objects go before the terminal's.
    static func common(_ terminal: TerminalProfile, _ transaction: EMVTransaction) -> [TLVTag: [UInt8]] {
        terminal.objects.merging(transaction.objects) { $1 }
    }

    /// A value that is known only now.
    mutating func set(_ tag: TLVTag, _ value: [UInt8]) {
        if fixed[tag] == nil, Self.isTerminal(tag, in: context) { values[tag] = value }
    }

    private static func isTerminal(_ tag: TLVTag, in context: TagContext) -> Bool {
        TagDictionary.standard.source(of: tag, in: context).map { $0 == .terminal } ?? true
    }
}
