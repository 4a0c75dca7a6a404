// SPDX-License-Identifier: Apache-2.0

import BERTLV
import CardTesting
import EMVContactless
import Foundation
import ISO7816
import Testing
import WalletCrypto

@testable import EmulatedWallet

/// A counter that takes every network and trusts the emulated cards.
struct PaymentCounter {
    var amount: UInt64 = 1250
    /// TTQ; byte 1 bit 1 asks for proof with online cryptograms too.
    var qualifiers: [UInt8] = [0x21, 0x00, 0x40, 0x00]
    var cvmLimit: UInt64?
    var alwaysOnline = true
    var acceptsOnDevice = true
    var number: [UInt8] = [0x52, 0xBF, 0x45, 0x85]
    var date = EMVDate(year: 2026, month: 8, day: 5)
    var authorities = EmulatedCards.authorityKeysJSON

    func configuration() throws -> EMVConfiguration {
        var terminal = TerminalProfile(country: 276)
        terminal.acceptsOnDeviceVerification = acceptsOnDevice
        var configuration = EMVConfiguration(
            terminal: terminal,
            combinations: Combination.standard(cvmLimit: cvmLimit).map {
                var combination = $0
                combination.qualifiers = TerminalTransactionQualifiers(qualifiers)
                return combination
            }, authorities: try AuthorityKeys(json: Data(authorities.utf8)))
        configuration.alwaysRequestsOnline = alwaysOnline
        return configuration
    }

    func read(_ phone: EmulatedPhone, device: PresentedDevice = .unknown) throws -> EMVReadResult {
        phone.fieldOn()
        defer { phone.fieldOff() }
        return try read(over: PhoneChannel(phone), device: device)
    }

    func read(over channel: any CardChannel, device: PresentedDevice = .unknown) throws -> EMVReadResult {
        let transaction = EMVTransaction(amount: amount, currency: 978, date: date, unpredictableNumber: number)
        return try EntryPoint(configuration: configuration(), transaction: transaction).read(
            over: channel, device: device)
    }

    func read(_ definition: PhoneDefinition) throws -> EMVReadResult { try read(EmulatedPhone(definition)) }
}

/// A phone as a channel, without a reader between.
final class PhoneChannel: CardChannel {
    let phone: EmulatedPhone
    private(set) var exchanges: [(command: [UInt8], response: [UInt8])] = []

    init(_ phone: EmulatedPhone) { self.phone = phone }

    func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
        switch phone.respond(to: command) {
        case .response(let bytes, _):
            exchanges.append((command, bytes))
            return bytes
        case .leftField: throw CardChannelError(.cardGone, reason: "left")
        case .silence: throw CardChannelError(.timedOut, reason: "silent")
        }
    }
}

/// Where a card of a network is.
struct CardCase: CustomTestStringConvertible, Sendable {
    let network: PaymentNetwork
    let isPhone: Bool

    static let all = PaymentNetwork.allCases.flatMap { network in
        [true, false].map { CardCase(network: network, isPhone: $0) }
    }

    var testDescription: String { "\(network.rawValue) \(isPhone ? "phone" : "plastic")" }

    func definition(_ change: (inout PaymentCard) -> Void = { _ in }) -> PhoneDefinition {
        var card = PaymentCard(network)
        change(&card)
        guard isPhone else { return PhoneDefinition(plastic: card) }
        var definition = PhoneDefinition()
        definition.paymentCard = card
        return definition
    }

    func phone(_ change: (inout PaymentCard) -> Void = { _ in }) -> EmulatedPhone { EmulatedPhone(definition(change)) }

    /// Whether the cryptogram comes with GENERATE AC.
    var generates: Bool { [.mastercard, .amex, .interac, .jcb].contains(network) }
}

extension EMVReadResult {
    func hex(_ tag: TLVTag) -> String? { data.sensitiveBytes(of: tag).map(Hex.encode) }

    /// The cryptogram as a host computes it from what the read gave.
    func expectedCryptogram(_ version: CryptogramVersion, pan: String, sequenceNumber: String) throws -> [UInt8] {
        let key = try IssuerMasterKey.published.cardKey(pan: pan, sequenceNumber: sequenceNumber)
        let counter = try #require(data.bytes(of: 0x9F36))
        let number = try #require(terminalObjects[0x9F37])
        let session = try key.sessionKey(for: version, counter: counter, unpredictableNumber: number)
        var input: [UInt8] = []
        for tag in [0x9F02, 0x9F03, 0x9F1A, 0x95, 0x5F2A, 0x9A, 0x9C, 0x9F37] as [TLVTag] {
            input += try #require(terminalObjects[tag], "\(tag)")
        }
        let issuerData = try #require(data.sensitiveBytes(of: 0x9F10))
        input += try #require(data.bytes(of: 0x82)) + counter + version.covered(of: issuerData)
        return try session.cryptogram(input, padding: version.padding)
    }
}
