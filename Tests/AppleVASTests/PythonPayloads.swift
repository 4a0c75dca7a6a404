// SPDX-License-Identifier: Apache-2.0

import TestSupport

/// A second implementation of payload cryptography, in Python on the `cryptography` package.
enum PythonPayloads {
    /// One payload with all that is needed to check it: hex in the file, one JSON object per payload.
    struct Item: Codable {
        var scalar: String
        var passTypeIdentifier: String
        var method: Int
        var seconds: UInt32
        var message: String
        var cryptogram: String
        var kind: String
    }

    /// `count` random payloads, among them leading zero bytes in the ephemeral X, in Z and in the key's X.
    static func make(_ count: Int) throws -> [Item] {
        try Outside.python(source + "\nprint(json.dumps(make(data)))", count, as: [Item].self)
    }

    /// Opens each payload; the messages and times found, or an error text for one that does not open.
    static func open(_ items: [Item]) throws -> [String] {
        try Outside.python(source + "\nprint(json.dumps([open_one(item) for item in data]))", items, as: [String].self)
    }

    private static let source = #"""
        import hashlib, random
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.hazmat.primitives.kdf.x963kdf import X963KDF

        label, curve, iv = b"ApplePay encrypted VAS data", ec.SECP256R1(), bytes(16)
        key = lambda scalar: ec.derive_private_key(scalar, curve)
        x_of = lambda private: private.public_key().public_numbers().x.to_bytes(32, "big")

        def keys(secret, identity, method):
            info = b"\x0did-aes256-GCM" + label + identity if method == 1 else label
            aes = X963KDF(algorithm=SHA256(), length=32, sharedinfo=info).derive(secret)
            return AESGCM(aes), (None if method == 1 else identity)

        def search(start, good):
            scalar = start
            while True:
                private = key(scalar)
                if good(private): return private
                scalar += 1

        def make(count):
            rng, items = random.Random(20260101), []
            zero_key = search(2, lambda k: x_of(k)[0] == 0)
            passes = [key(rng.getrandbits(255) + 1) for _ in range(8)]
            for index in range(count):
                kind = {0: "ephemeral", 1: "secret", 2: "key"}.get(index, "zeroKey" if index % 10 == 0 else "plain")
                private = zero_key if kind in ("key", "zeroKey") else passes[index % 8]
                start = rng.getrandbits(240) + 1
                good = lambda k: True
                if kind == "ephemeral": good = lambda k: x_of(k)[0] == 0
                if kind == "secret": good = lambda k: k.exchange(ec.ECDH(), private.public_key())[0] == 0
                ephemeral = search(start, good)
                name = "pass.example.python.%d" % rng.randrange(5)
                identity = hashlib.sha256(name.encode()).digest()
                method = 2 if index % 4 == 3 else 1
                seconds, message = rng.getrandbits(32), rng.randbytes(rng.randrange(66))
                cipher, aad = keys(ephemeral.exchange(ec.ECDH(), private.public_key()), identity, method)
                sealed = cipher.encrypt(iv, seconds.to_bytes(4, "big") + message, aad)
                data = hashlib.sha256(x_of(private)).digest()[:4] + x_of(ephemeral) + sealed
                items.append(dict(scalar="%064x" % private.private_numbers().private_value, passTypeIdentifier=name,
                    method=method, seconds=seconds, message=message.hex(), cryptogram=data.hex(), kind=kind))
            return items

        def open_one(item):
            private, data = key(int(item["scalar"], 16)), bytes.fromhex(item["cryptogram"])
            if hashlib.sha256(x_of(private)).digest()[:4] != data[:4]: return "wrong key id"
            point = ec.EllipticCurvePublicKey.from_encoded_point(curve, b"\x02" + data[4:36])
            identity = hashlib.sha256(item["passTypeIdentifier"].encode()).digest()
            cipher, aad = keys(private.exchange(ec.ECDH(), point), identity, item["method"])
            try: return cipher.decrypt(iv, data[36:], aad).hex()
            except Exception as error: return type(error).__name__
        """#
}
