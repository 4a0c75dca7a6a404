// SPDX-License-Identifier: Apache-2.0

/// A channel whose responses are whole: it fetches what a card announces with 61xx and repeats what a card refuses
/// with 6Cxx, so that protocol code sees one answer per command.
///
/// This is where the order of decorators is written down. From the caller to the card: ``GetResponseChannel``,
/// ``CorrectLengthChannel``, then ``CommandChainingChannel`` where a card needs it, ``LoggingChannel``,
/// ``TimingChannel``, and a recorder nearest to the card. So a GET RESPONSE is itself corrected after 6Cxx, a
/// corrected command is chained again, and log and trace hold the exchanges as they were on the wire.
///
/// Both words are legal over ISO/IEC 14443-4 too (ISO/IEC 7816-4, 5.6), although phones were not seen to use them.
public struct CompletingChannel<Base: CardChannel>: CardChannel {
    /// The channel that carries the commands.
    public let base: Base
    private let inner: GetResponseChannel<CorrectLengthChannel<Base>>

    /// How many GET RESPONSE follow one command at most.
    public static var maximumRounds: Int { GetResponseChannel<CorrectLengthChannel<Base>>.maximumRounds }

    /// Wraps a channel.
    public init(_ base: Base) {
        self.base = base
        inner = GetResponseChannel(CorrectLengthChannel(base))
    }

    /// Sends a command and gives back the whole response: all parts joined, with the last status word.
    public func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] { try inner.transmit(command) }
}
