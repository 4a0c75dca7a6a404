// SPDX-License-Identifier: Apache-2.0

import BERTLV
import CardTesting
import Foundation
import ISO7816
import TestSupport
import Testing
import WalletCrypto

@testable import EmulatedWallet

/// A pass type with its key, and what a reader sends for it.
struct Club {
    let identifier: String
    let key: P256PrivateKey

    init(_ identifier: String = "pass.com.example.club") throws {
        self.identifier = identifier
        key = try P256PrivateKey.generate()
    }

    var merchantID: [UInt8] { Digest.sha256(identifier.utf8) }

    func pass(
        _ message: String = "M-0042", serialNumber: String? = nil, requiresAuthentication: Bool = false
    ) -> PhoneDefinition.Pass {
        .init(
            passTypeIdentifier: identifier, serialNumber: serialNumber,
            nfc: .init(
                message: message, encryptionPublicKey: key.publicKey, requiresAuthentication: requiresAuthentication))
    }

    var getVASData: [UInt8] { VASRequest(merchantID: merchantID).bytes }

    /// What the payload in an answer says: seconds since 2001 and the message.
    func open(_ cryptogram: [UInt8], method: SealingMethod = .method1) throws -> (seconds: UInt32, message: [UInt8]) {
        try #require(cryptogram.count >= 56)
        #expect(Array(cryptogram[..<4]) == PayloadSealing.keyID(of: key.publicKey))
        let label = Array("ApplePay encrypted VAS data".utf8)
        let info = method == .method1 ? [13] + Array("id-aes256-GCM".utf8) + label + merchantID : label
        let secret = try X963KDF.sha256(
            sharedSecret: key.sharedSecret(withX: cryptogram[4..<36]), sharedInfo: info, count: 32)
        let plaintext = try AESGCM.open(
            ciphertext: cryptogram[36..<cryptogram.count - 16], tag: cryptogram.suffix(16), key: secret,
            iv: [UInt8](repeating: 0, count: 16), aad: method == .method1 ? [] : merchantID)
        let seconds = plaintext.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return (seconds, Array(plaintext.dropFirst(4)))
    }
}

/// GET VAS DATA, each part of which can be wrong.
struct VASRequest {
    var merchantID: [UInt8]?
    var version: [UInt8]? = [1, 0]
    var capabilities: [UInt8]? = [0, 0x80, 0, 2]
    var nonce: [UInt8]? = [1, 2, 3, 4]
    var filter: [UInt8]?
    var url: String?
    var extra: [UInt8] = []
    var p1: UInt8 = 1
    var p2: UInt8 = 1
    var le: [UInt8] = [0]

    init(merchantID: [UInt8]? = nil) { self.merchantID = merchantID }

    init(_ club: Club, change: (inout VASRequest) -> Void = { _ in }) {
        merchantID = club.merchantID
        change(&self)
    }

    static func urlOnly(_ url: String?) -> VASRequest {
        var request = VASRequest()
        (request.url, request.p2) = (url, 0)
        return request
    }

    var bytes: [UInt8] {
        let data =
            TLVBuilder.build { builder in
                if let version { builder.append(0x9F22, version) }
                if let merchantID { builder.append(0x9F25, merchantID) }
                if let capabilities { builder.append(0x9F26, capabilities) }
                if let nonce { builder.append(0x9F28, nonce) }
                if let filter { builder.append(0x9F2B, filter) }
                if let url { builder.append(0x9F29, url.utf8) }
            } + extra
        return [0x80, 0xCA, p1, p2, UInt8(truncatingIfNeeded: data.count)] + data + le
    }
}

let selectVAS = CommandAPDU.select(.valueAddedServices).bytes

extension EmulatedPhone {
    /// A phone in the field, and the selection already made.
    static func selected(_ definition: PhoneDefinition) throws -> EmulatedPhone {
        let phone = EmulatedPhone(definition)
        try phone.tap()
        return phone
    }

    /// Into the field, and SELECT.
    @discardableResult func tap() throws -> ResponseAPDU {
        fieldOn()
        return try send(selectVAS)
    }

    func send(_ command: [UInt8]) throws -> ResponseAPDU {
        guard case .response(let bytes, _) = respond(to: command) else {
            throw CardChannelError(.cardGone, reason: "no answer")
        }
        return try ResponseAPDU(bytes)
    }

    func status(_ request: VASRequest) throws -> StatusWord { try send(request.bytes).status }

    func status(_ club: Club) throws -> StatusWord { try send(club.getVASData).status }
}

extension ResponseAPDU {
    /// The objects inside the template 70.
    func passObjects() throws -> [TLV] {
        try #require(status == .success)
        let template = try #require(try TLV.read(Array(data), rules: .lenient).first(0x70))
        return try template.contents()
    }

    func cryptogram() throws -> [UInt8] { try #require(try passObjects().first(0x9F27)).bytes }
}

extension PhoneDefinition {
    /// A definition with some of its members changed.
    init(_ clubs: [Club], _ change: (inout PhoneDefinition) -> Void = { _ in }) {
        self.init(passes: clubs.map { $0.pass() })
        change(&self)
    }
}

/// A folder that goes away after the test.
func withFolder<R>(_ body: (String) async throws -> R) async throws -> R {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    return try await body(folder.path())
}
