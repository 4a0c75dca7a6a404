// SPDX-License-Identifier: Apache-2.0

import APDUTrace
import AppleVAS
import BERTLV
import EmulatedWallet
import Foundation
import ISO7816
import WalletCrypto

/// A body must take any bytes; a trap, a sanitizer report or a time-out is a finding.
package let fuzzTargets: [String: @Sendable ([UInt8]) -> Void] = [
    "apdu": fuzzAPDU,
    "certificate": fuzzCertificate,
    "configuration": fuzzConfiguration,
    "emv-card": fuzzPaymentCard,
    "emv-certificate": fuzzRecovery,
    "emv-objects": fuzzPaymentObjects,
    "jwe": fuzzJWE,
    "key": fuzzKey,
    "phone": fuzzPhone,
    "phone-payment": fuzzPayingPhone,
    "pkpass": fuzzPassPackage,
    "provisioning-answer": fuzzProvisioningAnswer,
    "provisioning-chain": fuzzProvisioningChain,
    "provisioning-profile": fuzzProvisioningProfile,
    "provisioning-request": fuzzProvisioningRequest,
    "tap-event": fuzzTapEvent,
    "sink-settings": fuzzSinkSettings,
    "sink-template": fuzzSinkTemplate,
    "request": fuzzRequest,
    "tlv": fuzzTLV,
    "redaction": fuzzRedaction,
    "trace": fuzzTrace,
    "trace-import": fuzzTraceImport,
    "vas-answer": fuzzVASAnswer,
    "vas-cryptogram": fuzzVASCryptogram,
    "vas-terminal": fuzzVASTerminal,
    "wallet-file": fuzzWalletFile,
    "webhook-signature": fuzzWebhookSignature,
]

/// Reads, and what was read strictly must write back to the same bytes.
@Sendable func fuzzTLV(_ bytes: [UInt8]) {
    _ = try? TLVTree.read(bytes, rules: .lenient)
    guard let objects = try? TLV.read(bytes) else { return }
    let written = TLVBuilder.build { builder in
        for object in objects { builder.append(object.tag, object.value) }
    }
    precondition(written == bytes, "strict reading is not the inverse of writing")
}

/// Commands and responses; a command's fields must build the same command again.
@Sendable func fuzzAPDU(_ bytes: [UInt8]) {
    _ = (try? ResponseAPDU(bytes)).map { ($0.status.description, $0.data.count) }
    guard let command = try? CommandAPDU(bytes) else { return }
    let again = try? CommandAPDU(
        cla: command.cla, ins: command.ins, p1: command.p1, p2: command.p2, data: command.data, ne: command.ne,
        extended: command.isExtended)
    precondition(again == command, "a command's fields do not build it again")
}

/// Private and public keys in every form that users have.
@Sendable func fuzzKey(_ bytes: [UInt8]) {
    _ = try? P256PrivateKey(reading: bytes)
    _ = try? P256PublicKey(subjectPublicKeyInfo: bytes)
    _ = try? P256PublicKey(x963: bytes)
    _ = try? P256PublicKey(pem: String(decoding: bytes, as: UTF8.self))
}

/// Certificates and signatures, as they stand in a pass.
@Sendable func fuzzCertificate(_ bytes: [UInt8]) {
    _ = (try? X509Certificate(reading: bytes)).map { ($0.subjectValues(for: "UID"), $0.pem()) }
    _ = try? CMS.verifyDetached(signature: bytes, content: [1, 2, 3], roots: [])
}

/// A card that answers whatever the fuzzer likes: one length byte, then that many bytes, for each command.
@Sendable func fuzzVASTerminal(_ bytes: [UInt8]) {
    let merchants = ["pass.com.example.club", "pass.com.example.other"].map {
        VASMerchant(passTypeIdentifier: $0, url: "https://example.com/join")
    }
    let result = try? VASTerminal(mode: .vasAndPayment).read(merchants, over: HostileCard(bytes))
    for entry in result?.entries ?? [] {
        _ = (entry.status, entry.oddities.map(\.text), entry.cryptogram.map(fuzzVASCryptogram))
    }
}

/// The emulated phone against a terminal that sends anything: one length byte, then that many bytes, per command.
@Sendable func fuzzPhone(_ bytes: [UInt8]) {
    guard let fuzzKeyPair else { return }
    let pass = PhoneDefinition.Pass(
        passTypeIdentifier: "pass.com.example.club",
        nfc: .init(message: "MEMBER-1234", encryptionPublicKey: fuzzKeyPair.publicKey))
    let phone = EmulatedPhone(PhoneDefinition(passes: [pass]))
    phone.fieldOn()
    var rest = bytes[...]
    while let length = rest.popFirst() {
        _ = phone.respond(to: Array(rest.prefix(Int(length))))
        rest = rest.dropFirst(Int(length))
    }
}

/// Archives, and what stands in them.
@Sendable func fuzzPassPackage(_ bytes: [UInt8]) {
    var limits = PassPackage.Limits()
    limits.totalBytes = 1 << 20
    guard let package = try? PassPackage(bytes, limits: limits) else { return }
    _ = try? package.manifest()
    _ = try? package.contents()
}

/// The phone's file; what can be read is tapped, as far as the processing options.
@Sendable func fuzzWalletFile(_ bytes: [UInt8]) {
    guard let definition = try? PhoneDefinition(json: bytes) else { return }
    let phone = EmulatedPhone(definition)
    phone.fieldOn()
    var commands = [CommandAPDU.select(.valueAddedServices), .select(.proximityPaymentSystem)].map(\.bytes)
    if let card = definition.paymentCard ?? definition.plastic, let aid = try? AID(card.network.applicationIdentifier) {
        commands += [CommandAPDU.select(aid).bytes, [0x80, 0xA8, 0x00, 0x00, 0x02, 0x83, 0x00, 0x00]]
        commands += [[0x00, 0xB2, 0x01, 0x14, 0x00], [0x00, 0xB2, 0x02, 0x1C, 0x00]]
    }
    for command in commands { _ = phone.respond(to: command) }
}

/// A payment card against a terminal that sends anything: a byte for the network and the form, then as `fuzzPhone`.
@Sendable func fuzzPayingPhone(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let networks = PaymentNetwork.allCases
    var card = PaymentCard(networks[Int(first >> 1) % networks.count])
    card.errorBudget = 0
    var definition = PhoneDefinition()
    if first & 1 == 0 { definition.plastic = card } else { definition.paymentCard = card }
    let phone = EmulatedPhone(definition)
    phone.fieldOn()
    var rest = bytes.dropFirst()
    while let length = rest.popFirst() {
        _ = phone.respond(to: Array(rest.prefix(Int(length))))
        rest = rest.dropFirst(Int(length))
    }
}

/// Traces: what was read must write back to a trace that reads the same, and replays.
@Sendable func fuzzTrace(_ bytes: [UInt8]) {
    guard let trace = try? APDUTrace(parsing: bytes) else { return }
    let again = try? APDUTrace(parsing: trace.text())
    precondition(again?.taps == trace.taps, "a trace does not survive writing and reading")
    _ = TraceComparison(trace, trace).isEqual
    let channel = ReplayChannel(trace, matching: ReplayMatching(.equivalent, skipping: true))
    for exchange in trace.exchanges.prefix(50) { _ = try? channel.transmit(exchange.command) }
}

private final class HostileCard: CardChannel {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
        guard let length = rest.popFirst() else { throw CardChannelError(.cardGone, reason: "no more answers") }
        defer { rest = rest.dropFirst(Int(length)) }
        return Array(rest.prefix(Int(length)))
    }
}

/// The key of the fuzz targets: the number 2.
private let fuzzKeyPair = try? P256PrivateKey(scalar: [UInt8](repeating: 0, count: 31) + [2])
