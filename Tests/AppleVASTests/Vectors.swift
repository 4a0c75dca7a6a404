// SPDX-License-Identifier: Apache-2.0

import Foundation
import ISO7816
import Testing
import WalletCrypto

@testable import AppleVAS

/// The conformance vectors outside the project, `vas.json` in the folder named by `COUNTERTOP_VECTORS`.
struct Vectors: Decodable {
    struct Key: Decodable {
        let name: String
        let privateScalar: String
        let keyId: String
        let passTypeIdentifier: String?
    }

    struct Hash: Decodable {
        let passTypeIdentifier: String
        let sha256: String
    }

    struct Payload: Decodable {
        let id: String
        let key: String
        let passTypeIdentifier: String
        let method: Int
        let cryptogram9F27: String
        let keyId: String
        let ephemeralX: String
        let ciphertext: String
        let tag: String
        let kdfSharedInfo: String
        let timestamp: UInt32
        let timestampUtc: String
        let message: String
        let getVasDataResponse: String?
    }

    struct Exchange: Decodable {
        let command: String?
        let response: String?
    }

    struct Session: Decodable {
        let id: String
        let exchanges: [Exchange]
    }

    struct Shape: Decodable {
        let id: String
        let command: String
    }

    struct Sample: Decodable {
        let response: String
        let nonce: String
        let capabilities: String
    }

    struct BadTLV: Decodable {
        let id: String
        let sw: String
    }

    struct Negative: Decodable {
        let base: String
        let change: String
        let expect: String
        let cryptogram9F27: String?
    }

    struct Synthetic: Decodable {
        let keys: [Key]
        let vasDecrypt: [Payload]
        let vasSessions: [Session]
    }

    let keys: [Key]
    let passTypeHashes: [Hash]
    let vasDecrypt: [Payload]
    let vasApduTraces: [Session]
    let vasCommandShapes: [Shape]
    let vasSelectSamples: [Sample]
    let vasBadTlvObserved: [BadTLV]
    let negative: [Negative]
    let synthetic: Synthetic
}

extension Vectors {
    private static let folder = ProcessInfo.processInfo.environment["COUNTERTOP_VECTORS"]
    static let areThere = folder != nil

    static func load() throws -> Vectors {
        let folder = try #require(folder)
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(Vectors.self, from: Data(contentsOf: URL(filePath: folder + "/vas.json")))
    }

    var payloads: [Payload] { vasDecrypt + synthetic.vasDecrypt }
    var allKeys: [Key] { keys + synthetic.keys }

    func privateKey(_ name: String) throws -> P256PrivateKey {
        let key = try #require(allKeys.first { $0.name == name })
        return try P256PrivateKey(scalar: Hex.decode(key.privateScalar))
    }

    /// A ring with every key of the file, for any pass type.
    func ring() throws -> VASKeyRing {
        var ring = VASKeyRing()
        for key in allKeys { ring.add(try privateKey(key.name)) }
        return ring
    }

    /// The exchanges of a session, one list per tap.
    func taps(of session: Session) throws -> [[AnswerChannel.Exchange]] {
        try session.exchanges.split { $0.command == nil }.map { tap in
            try tap.map {
                (try Hex.decode(try #require($0.command)), try Hex.decode(try #require($0.response)))
            }
        }
    }
}
