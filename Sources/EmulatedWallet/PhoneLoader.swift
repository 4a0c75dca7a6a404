// SPDX-License-Identifier: Apache-2.0

import Foundation

extension PhoneDefinition {
    /// Reads a phone from a JSON file, a single `.pkpass`, or a folder of `.pkpass` files (in order of their names).
    ///
    /// - Throws: ``WalletError``, the file's name in front.
    public static func load(path: String) throws(WalletError) -> PhoneDefinition {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw WalletError(.unreadableFile, "\(path): no such file or folder")
        }
        if isFolder.boolValue { return try load(folder: path) }
        let bytes = try WalletFile.read(path)
        do throws(WalletError) {
            if path.lowercased().hasSuffix(".pkpass") || PassPackage.looksLikeArchive(bytes) {
                let pass = try Pass(package: PassPackage(bytes))
                guard pass.nfc != nil else { throw noNFC }
                return PhoneDefinition(passes: [pass])
            }
            return try PhoneDefinition(json: bytes)
        } catch {
            throw error.inFile(path)
        }
    }

    private static func load(folder: String) throws(WalletError) -> PhoneDefinition {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            throw WalletError(.unreadableFile, "\(folder): the folder cannot be read")
        }
        var definition = PhoneDefinition()
        for name in names.sorted() where name.lowercased().hasSuffix(".pkpass") {
            let bytes = try WalletFile.read("\(folder)/\(name)")
            do {
                definition.passes.append(try Pass(package: PassPackage(bytes)))
            } catch {
                throw error.inFile("\(folder)/\(name)")
            }
        }
        guard !definition.passes.isEmpty else {
            let hint = names.contains("pass.json") ? "it is an unpacked pass: give the .pkpass itself" : nil
            throw WalletError(.emptyFolder, "\(folder): no .pkpass file in this folder", hint: hint)
        }
        guard definition.passes.contains(where: { $0.nfc != nil }) else { throw noNFC.inFile(folder) }
        return definition
    }

    private static let noNFC = WalletError(
        .noNFC, "no NFC dictionary in pass.json: no reader can read this pass",
        hint: "add `nfc` with `message` and `encryptionPublicKey`; it needs Apple's NFC entitlement")
}

extension PhoneDefinition.Pass {
    /// The pass of a package, keys that a reader does not know left aside.
    public init(package: PassPackage) throws(WalletError) {
        try self.init(json: PhoneJSON(parsing: package.passJSON), path: "", tolerant: true)
    }
}

/// Reading files with a limit on their size.
enum WalletFile {
    /// Larger files are neither a wallet nor a pass.
    static let maximumBytes = 64 << 20

    /// The whole file, which may be a pipe; never more than the limit, whatever its size is said to be.
    static func read(_ path: String) throws(WalletError) -> [UInt8] {
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw WalletError(.unreadableFile, "\(path): the file cannot be read")
        }
        defer { try? file.close() }
        var bytes: [UInt8] = []
        do {
            while let piece = try file.read(upToCount: 1 << 20), !piece.isEmpty, bytes.count <= maximumBytes {
                bytes += piece
            }
        } catch {
            throw WalletError(.unreadableFile, "\(path): the file cannot be read")
        }
        guard bytes.count <= maximumBytes else {
            throw WalletError(.tooLarge, "\(path): more than \(maximumBytes) bytes, which no wallet and no pass has")
        }
        return bytes
    }
}
