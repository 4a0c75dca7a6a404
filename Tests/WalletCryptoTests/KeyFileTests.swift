// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import WalletCrypto

/// Key files and who may read them.
struct KeyFileTests {
    let folder: TemporaryFolder
    let key: P256PrivateKey

    init() throws {
        folder = try TemporaryFolder()
        key = try P256PrivateKey.generate()
    }

    @Test(arguments: [0o600, 0o400, 0o700])
    func `a file of one's own is taken`(mode: Int) throws {
        let path = try folder.write("key.pem", key.pkcs8PEM().array, mode: mode)
        #expect(try P256PrivateKey(file: path).publicKey == key.publicKey)
    }

    @Test(arguments: [0o640, 0o604, 0o644, 0o660, 0o620, 0o602, 0o666])
    func `a file that others can read or write is refused`(mode: Int) throws {
        let path = try folder.write("key.pem", key.pkcs8PEM().array, mode: mode)
        let error = #expect(throws: CryptoError.self) { try P256PrivateKey(file: path) }
        #expect(error?.code == .filePermissions)
        #expect(error?.hint?.contains("chmod 600 \(path)") == true)
    }

    @Test func `a link is judged by the file behind it`() throws {
        let path = try folder.write("key.pem", key.sec1PEM().array, mode: 0o644)
        try FileManager.default.createSymbolicLink(atPath: folder.path() + "/link", withDestinationPath: path)
        let error = #expect(throws: CryptoError.self) { try P256PrivateKey(file: folder.path() + "/link") }
        #expect(error?.code == .filePermissions)
    }

    @Test func `what is not a readable file is said so`() throws {
        for path in [folder.path() + "/none", folder.path(), "", "/dev/null/x"] {
            let error = #expect(throws: CryptoError.self) { try P256PrivateKey(file: path) }
            #expect(error?.code == .unreadableFile)
        }
        let empty = #expect(throws: CryptoError.self) { try P256PrivateKey(file: try folder.write("empty", [])) }
        #expect(empty?.code == .invalidKey)
        let device = #expect(throws: CryptoError.self) { try P256PrivateKey(file: "/dev/zero") }
        #expect(device?.code == .unreadableFile)
    }

    @Test func `a key after much other text is found`() throws {
        let text = [UInt8](repeating: UInt8(ascii: "#"), count: 20_000) + [10] + key.pkcs8PEM().array
        #expect(try P256PrivateKey(file: try folder.write("long.pem", text)).publicKey == key.publicKey)
    }
}
