// SPDX-License-Identifier: Apache-2.0

import CardTesting
import ISO7816
import TestSupport
import Testing
import WalletCrypto

@testable import EmulatedWallet

/// Keys and cryptograms against an implementation of their own in Python, and what they refuse.
@Suite("Cryptograms")
struct CryptogramTests {
    private struct Sample: Codable {
        var master, pan, psn, derivation, diversifier, data: String
    }
    private struct Answer: Codable {
        var card, session, zero, method2, answer1, answer2: String
    }

    private static let script = """
        import hashlib
        from cryptography.hazmat.primitives.ciphers import Cipher, modes
        try:
            from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
        except ImportError:
            from cryptography.hazmat.primitives.ciphers.algorithms import TripleDES
        def ecb(key, block, decrypt=False):
            cipher = Cipher(TripleDES(key), modes.ECB())
            run = cipher.decryptor() if decrypt else cipher.encryptor()
            return run.update(block) + run.finalize()
        def parity(key):
            return bytes((b & 254) | (bin(b >> 1).count('1') + 1) % 2 for b in key)
        def xor(a, b):
            return bytes(x ^ y for x, y in zip(a, b))
        def mac(key, data, method):
            data += b'\\x80' if method == 2 else b''
            while not data or len(data) % 8:
                data += b'\\0'
            left, chain = key[:8], bytes(8)
            for i in range(0, len(data), 8):
                chain = ecb(left * 2, xor(chain, data[i:i + 8]))
            return ecb(left * 2, ecb(key[8:] * 2, chain, True))
        def card_key(s):
            digits = s['pan'] + s['psn']
            if s['derivation'] == 'B' and len(s['pan']) > 16:
                text = hashlib.sha1(bytes.fromhex('0' * (len(digits) % 2) + digits)).hexdigest()
                found = [c for c in text if c.isdigit()] + [str(ord(c) - 97) for c in text if not c.isdigit()]
                block = ''.join(found[:16])
            else:
                block = digits[-16:].rjust(16, '0')
            block, key = bytes.fromhex(block), bytes.fromhex(s['master'])
            return parity(ecb(key, block) + ecb(key, bytes(b ^ 255 for b in block)))
        made = []
        for s in data:
            card = card_key(s)
            d = bytearray.fromhex(s['diversifier'])
            d[2] = 0xF0
            left = ecb(card, bytes(d))
            d[2] = 0x0F
            session = parity(left + ecb(card, bytes(d)))
            message = bytes.fromhex(s['data'])
            ac = mac(session, message, 2)
            made.append({'card': card.hex(), 'session': session.hex(), 'zero': mac(session, message, 1).hex(),
                'method2': ac.hex(), 'answer1': ecb(card, xor(ac, b'00' + bytes(6))).hex(),
                'answer2': mac(session, ac + bytes(4) + message[:8], 2)[:4].hex()})
        print(json.dumps(made))
        """

    @Test(
        "the same as python-cryptography, whatever the input",
        .enabled(if: Outside.python != nil, "COUNTERTOP_PYTHON is not set"))
    func againstPython() throws {
        var random = SeededRandom(seed: 3)
        let samples = (0..<120).map { round in
            let digits = (0..<(12 + round % 8)).map { _ in "\(Int.random(in: 0...9, using: &random))" }.joined()
            return Sample(
                master: Hex.encode(random.bytes(16)), pan: digits, psn: round.isMultiple(of: 3) ? "00" : "07",
                derivation: round.isMultiple(of: 2) ? "A" : "B", diversifier: Hex.encode(random.bytes(8)),
                data: Hex.encode(random.bytes(round % 41)))
        }
        let answers = try Outside.python(Self.script, samples, as: [Answer].self)
        #expect(answers.count == samples.count)
        for (sample, answer) in zip(samples, answers) {
            let derivation = try #require(IssuerMasterKey.Derivation(rawValue: sample.derivation))
            let card = try IssuerMasterKey(Hex.decode(sample.master))
                .cardKey(pan: sample.pan, sequenceNumber: sample.psn, derivation: derivation)
            #expect(card.isKey(try Hex.decode(answer.card)), "\(sample.pan.count) digits, \(derivation)")
            let session = try card.sessionKey(diversifier: Hex.decode(sample.diversifier))
            #expect(session.isKey(try Hex.decode(answer.session)))
            let data = try Hex.decode(sample.data)
            #expect(try session.cryptogram(data, padding: .method1) == Hex.decode(answer.zero))
            let cryptogram = try session.cryptogram(data)
            #expect(try cryptogram == Hex.decode(answer.method2))
            #expect(try card.answer(to: cryptogram, responseCode: Array("00".utf8)) == Hex.decode(answer.answer1))
            let proprietary = Array(data.prefix(8))
            #expect(
                try session.answer(to: cryptogram, statusUpdate: [0, 0, 0, 0], proprietary: proprietary)
                    == Hex.decode(answer.answer2))
        }
    }

    @Test("wrong lengths and letters are errors")
    func refusals() throws {
        #expect(throws: CryptoError.self) { _ = try IssuerMasterKey([1, 2, 3]) }
        #expect(throws: CryptoError.self) { _ = try CardKey([UInt8](repeating: 0, count: 15)) }
        for (pan, number) in [
            ("", "00"), ("12345678901234567890", "00"), ("12a4", "00"), ("1234", "0"), ("1234", "1x"),
        ] {
            #expect(throws: CryptoError.self) {
                _ = try IssuerMasterKey.published.cardKey(pan: pan, sequenceNumber: number)
            }
        }
        let key = try IssuerMasterKey.published.cardKey(pan: "4111111111111111")
        #expect(throws: CryptoError.self) { _ = try key.sessionKey(diversifier: [1]) }
        #expect(throws: CryptoError.self) { _ = try key.answer(to: [1], responseCode: [0, 0]) }
        #expect(throws: CryptoError.self) { _ = try key.answer(to: [1], statusUpdate: [0, 0, 0, 0]) }
        #expect(throws: CryptoError.self) {
            _ = try key.verificationCode(track: [UInt8](), unpredictableNumber: [1], counter: [0, 1])
        }
    }

    @Test("keys cannot be printed")
    func unprintable() throws {
        let key = try IssuerMasterKey.published.cardKey(pan: "4111111111111111")
        for text in ["\(key)", "\(IssuerMasterKey.published)", String(reflecting: key)] {
            #expect(text.count < 40 && !text.contains("67"), "\(text)")
        }
        var dumped = ""
        dump(key, to: &dumped)
        #expect(!dumped.contains("- 1"))
    }

    @Test("the issuer data say the decision")
    func issuerData() {
        for version in CryptogramVersion.all {
            let online = version.issuerData(type: 0x80)
            #expect(online == version.issuerData, "\(version.network) \(version.number)")
            guard let index = version.typeIndex else { continue }
            #expect(version.issuerData(type: 0x40)[index] & 0x30 == 0x10)
            #expect(version.issuerData(type: 0x00)[index] & 0x30 == 0x00)
            #expect(!version.covered(of: online).isEmpty)
        }
    }
}
