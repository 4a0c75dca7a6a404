// SPDX-License-Identifier: Apache-2.0

public import ISO7816
public import WalletCrypto

/// The reader's side of Apple VAS: one tap from SELECT to the last answer.
///
/// A value; use it from any thread. One call of ``read(_:over:)`` is one exchange without a gap.
public struct VASTerminal: Sendable {
    /// What the terminal asks phones for.
    public let mode: VASMode
    /// Makes the four bytes of tag 9F28, once per command; nil sends none.
    public let nonce: (@Sendable () -> [UInt8])?

    /// A terminal.
    ///
    /// - Parameters:
    ///   - mode: what phones are asked for.
    ///   - nonce: injected so that a tap can be repeated byte for byte; random by default.
    public init(mode: VASMode = .vasOnly, nonce: (@Sendable () -> [UInt8])? = { RandomBytes.generate(4) }) {
        (self.mode, self.nonce) = (mode, nonce)
    }

    /// The commands of a tap after SELECT, one per merchant in order; all but the last say that more follow.
    ///
    /// - Throws: ``VASError`` with code `invalidRequest`.
    public func commands(for merchants: [VASMerchant]) throws(VASError) -> [CommandAPDU] {
        var commands: [CommandAPDU] = []
        for (index, merchant) in merchants.enumerated() {
            let capabilities = VASTerminalCapabilities(mode: mode, moreFollows: index + 1 < merchants.count)
            commands.append(try VASCommand(merchant, capabilities: capabilities, nonce: nonce?()).apdu())
        }
        return commands
    }

    /// Reads one tap: SELECT once, then GET VAS DATA for each merchant in order, going on after every status word.
    ///
    /// With no merchants it only selects, which tells whose wallet it is. In mode ``VASMode/paymentOnly`` nothing is
    /// sent at all.
    /// - Throws: ``VASError``: `invalidRequest` before anything is sent; `interrupted` when the channel fails, with
    ///   the answers that had come by then.
    public func read(_ merchants: [VASMerchant], over channel: some CardChannel) throws(VASError) -> VASTapResult {
        guard mode != .paymentOnly else { return .paymentOnly }
        let commands = try commands(for: merchants)
        let channel = CompletingChannel(channel)
        let response: ResponseAPDU
        do { response = try channel.transmit(.select(.valueAddedServices)) } catch {
            throw VASError(error, selection: nil, entries: [], unread: merchants)
        }
        guard response.status == .success else { return .notAWallet(response.status) }
        let selection = VASSelection(data: response.data)
        guard selection.isApple else { return .otherWallet(selection) }
        var entries: [VASEntry] = []
        for (merchant, command) in zip(merchants, commands) {
            do { entries.append(VASEntry(merchant: merchant, response: try channel.transmit(command))) } catch {
                let unread = Array(merchants.dropFirst(entries.count))
                throw VASError(error, selection: selection, entries: entries, unread: unread)
            }
        }
        return .applePay(selection, entries: entries)
    }
}
