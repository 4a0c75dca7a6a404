// SPDX-License-Identifier: Apache-2.0

import BERTLV
import Foundation
import ISO7816
import Testing
import WalletCrypto

@testable import EmulatedWallet

/// What was seen on real phones, from `vas.json` in the folder named by `COUNTERTOP_VECTORS`.
private struct Vectors: Decodable {
    struct Key: Decodable {
        let publicKey, keyID: String

        enum CodingKeys: String, CodingKey {
            case publicKey = "encryptionPublicKey_pass_json"
            case keyID = "key_id"
        }
    }
    struct Exchange: Decodable { let command, response: String }
    struct Trace: Decodable { let exchanges: [Exchange] }
    struct Shape: Decodable { let id, command: String }
    struct Sample: Decodable { let response, nonce, capabilities: String }
    struct Odd: Decodable { let id, change, sw: String }

    let keys: [Key]
    let traces: [Trace]
    let shapes: [Shape]
    let samples: [Sample]
    let odd: [Odd]

    enum CodingKeys: String, CodingKey {
        case keys
        case traces = "vas_apdu_traces"
        case shapes = "vas_command_shapes"
        case samples = "vas_select_samples"
        case odd = "vas_bad_tlv_observed"
    }

    static let folder = ProcessInfo.processInfo.environment["COUNTERTOP_VECTORS"]

    static func load() throws -> Vectors {
        let url = URL(filePath: try #require(folder)).appending(path: "vas.json")
        return try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: url))
    }
}

@Suite("As real phones answered", .enabled(if: Vectors.folder != nil, "COUNTERTOP_VECTORS is not set"))
struct VectorTests {
    private let vectors: Vectors
    private let phone: EmulatedPhone
    private static let identifier = "pass.com.passkit.pksamples.nfcdemo"

    init() throws {
        vectors = try Vectors.load()
        let key = try PhoneDefinition.NFC.publicKey(base64: #require(vectors.keys.first).publicKey)
        let nfc = PhoneDefinition.NFC(message: "6d1UlFpnOc50iVKRaboDOK", encryptionPublicKey: key)
        phone = EmulatedPhone(
            PhoneDefinition(passes: [.init(passTypeIdentifier: Self.identifier, nfc: nfc)]),
            random: { [UInt8](repeating: 0x11, count: $0) })
    }

    /// Tags and lengths, all the way down; values blanked.
    private func shape(_ bytes: some Sequence<UInt8>) throws -> [String] {
        func lines(_ trees: [TLVTree], _ indent: String) -> [String] {
            trees.flatMap { tree in
                ["\(indent)\(tree.object.tag) \(tree.object.value.count)"] + lines(tree.children, indent + " ")
            }
        }
        return lines(try TLVTree.read(Array(bytes)), "")
    }

    @Test("selection answers are the samples, nonce and capabilities apart")
    func selection() throws {
        for sample in vectors.samples {
            let nonce = try Hex.decode(sample.nonce)
            let phone = EmulatedPhone(
                PhoneDefinition([]) { $0.paymentAuthenticated = sample.capabilities == "0000003e" },
                random: { _ in nonce })
            #expect(try Hex.encode(phone.tap().data).lowercased() == sample.response)
        }
    }

    @Test("the captured session's commands get answers of the captured shape")
    func trace() throws {
        phone.authenticatePayment()
        for trace in vectors.traces {
            phone.fieldOn()
            for exchange in trace.exchanges {
                let response = try phone.send(Hex.decode(exchange.command))
                let captured = try ResponseAPDU(Hex.decode(exchange.response))
                #expect(response.status == captured.status)
                #expect(try shape(response.data) == shape(captured.data))
            }
        }
    }

    @Test("each command shape of the field is served, and the key id is the one in the captures")
    func shapes() throws {
        for item in vectors.shapes {
            try phone.tap()
            let cryptogram = try phone.send(Hex.decode(item.command)).cryptogram()
            #expect(Hex.encode(cryptogram.prefix(4)).lowercased() == vectors.keys.first?.keyID, "\(item.id)")
        }
    }

    @Test("odd TLVs are answered as an iPhone answered them")
    func oddTLVs() throws {
        let changes: [String: (inout VASRequest) -> Void] = [
            "B1": { $0.filter = [1, 0, 0, 0, 0, 0] }, "B2": { $0.filter = [2, 0, 0, 0, 0] },
            "B3": { $0.filter = [0, 0, 0, 0, 0] }, "B4": { $0.filter = [1, 0, 0, 0, 0] },
            "B5": { $0.extra = [0x9F, 0x2A, 0x02, 0xAA, 0xBB] },
        ]
        for odd in vectors.odd {
            try phone.tap()
            var request = VASRequest(merchantID: Digest.sha256(Self.identifier.utf8))
            // B4 is about a pass that was handed out before.
            if odd.id == "B4" { _ = try phone.status(request) }
            let change = try #require(changes[odd.id])
            change(&request)
            let status = try phone.status(request).description.lowercased()
            #expect(odd.sw.hasPrefix(status), "\(odd.id) \(odd.change)")
        }
    }
}
