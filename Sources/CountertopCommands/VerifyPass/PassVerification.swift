// SPDX-License-Identifier: Apache-2.0

internal import CounterServer
internal import EmulatedWallet
internal import ISO7816
internal import WalletCrypto

/// All checks of a pass, in order; a check whose ground is missing is skipped.
enum PassVerification {
    static func run(_ bytes: [UInt8], key: P256PrivateKey?, roots: [X509Certificate]) async -> CheckList {
        var list = CheckList()
        let package: PassPackage
        do { package = try PassPackage(bytes) } catch {
            list.add("archive", .fail, error.reason, fix: error.hint)
            return list
        }
        list.add("archive", .pass, "a zip archive of \(package.files.count) files")
        let contents = self.contents(of: package, &list)
        ManifestCheck.run(package, &list)
        SignatureCheck(package: package, contents: contents, roots: roots).run(&list)
        guard let contents else {
            for id in ["nfc", "message", "encryptionPublicKey", "key", "tap"] {
                list.add(id, .skipped, "pass.json cannot be read")
            }
            return list
        }
        let nfc = NFCCheck(contents: contents, key: key)
        nfc.run(&list)
        await TapCheck(package: package, nfc: nfc, key: key).run(&list)
        return list
    }

    private static func contents(of package: PassPackage, _ list: inout CheckList) -> PassContents? {
        do {
            let contents = try package.contents()
            let missing = [
                ("formatVersion", contents.formatVersion == nil),
                ("passTypeIdentifier", contents.passTypeIdentifier?.isEmpty ?? true),
                ("serialNumber", contents.serialNumber?.isEmpty ?? true),
                ("teamIdentifier", contents.teamIdentifier?.isEmpty ?? true),
                ("organizationName", contents.organizationName?.isEmpty ?? true),
            ].filter(\.1).map(\.0)
            if missing.isEmpty {
                list.add("pass", .pass, "pass.json is for \(contents.passTypeIdentifier ?? "")")
            } else {
                list.add("pass", .fail, "pass.json lacks \(missing.joined(separator: ", "))")
            }
            return contents
        } catch {
            list.add("pass", .fail, error.reason, fix: error.hint)
            return nil
        }
    }
}

/// `manifest.json`: a SHA-1 for each file but itself and the signature (Apple documentation, Wallet, Building a Pass).
enum ManifestCheck {
    static func run(_ package: PassPackage, _ list: inout CheckList) {
        do {
            guard let manifest = try package.manifest() else {
                return list.add("manifest", .fail, "there is no manifest.json")
            }
            let problems = problems(manifest, package)
            if problems.isEmpty {
                list.add("manifest", .pass, "the hashes of \(manifest.count) files are right")
            } else {
                list.add("manifest", .fail, problems.joined(separator: "; "), fix: "make and sign the manifest anew")
            }
        } catch {
            list.add("manifest", .fail, error.reason, fix: error.hint)
        }
    }

    private static func problems(_ manifest: [String: String], _ package: PassPackage) -> [String] {
        let files = package.files.filter { !["manifest.json", "signature"].contains($0.key) }
        let changed = files.keys.sorted().filter { name in
            guard let expected = manifest[name], let bytes = files[name] else { return false }
            return Digest.sha1(bytes) != (try? Hex.decode(expected))
        }
        let unlisted = files.keys.filter { manifest[$0] == nil }.sorted()
        let missing = manifest.keys.filter { files[$0] == nil }.sorted()
        return [
            ("the hash is wrong for", changed), ("not in the manifest:", unlisted), ("not in the archive:", missing),
        ].filter { !$0.1.isEmpty }.map { "\($0.0) \($0.1.joined(separator: ", "))" }
    }
}
