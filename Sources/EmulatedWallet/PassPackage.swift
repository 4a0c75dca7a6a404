// SPDX-License-Identifier: Apache-2.0

/// A `.pkpass`: a zip archive of a pass's files, unpacked into memory within limits.
///
/// Reading checks the archive only. Whether the manifest's hashes and the signature hold is for the caller to check,
/// with ``files``, ``manifest()`` and ``signature``.
public struct PassPackage: Hashable, Sendable {
    /// How much is unpacked at most.
    public struct Limits: Hashable, Sendable {
        /// Entries, folders included.
        public var entries = 1_000
        /// Bytes of the archive.
        public var archiveBytes = 32 << 20
        /// Bytes of one file.
        public var fileBytes = 16 << 20
        /// Bytes of all files.
        public var totalBytes = 64 << 20
        /// Unpacked bytes per byte of the archive, once more than 1 MiB was unpacked.
        public var ratio = 200

        /// Generous for a pass, small for a server.
        public init() {}
    }

    /// The files by name, folders with a slash: `pass.json`, `en.lproj/pass.strings`.
    public let files: [String: [UInt8]]

    /// The bytes of `pass.json`.
    public let passJSON: [UInt8]
    /// The bytes of `manifest.json`.
    public var manifestJSON: [UInt8]? { files["manifest.json"] }
    /// The bytes of `signature`: a detached CMS signature over `manifest.json`, DER.
    public var signature: [UInt8]? { files["signature"] }

    /// Unpacks an archive.
    public init(_ archive: [UInt8], limits: Limits = Limits()) throws(WalletError) {
        try self.init(files: PassArchive.unpack(archive, limits: limits))
    }

    /// Reads and unpacks a file.
    public init(path: String, limits: Limits = Limits()) throws(WalletError) {
        let bytes = try WalletFile.read(path)
        do { try self.init(bytes, limits: limits) } catch { throw error.inFile(path) }
    }

    /// A package made of files, among them `pass.json`.
    public init(files: [String: [UInt8]]) throws(WalletError) {
        guard let passJSON = files["pass.json"] else {
            let folder = files.keys.sorted().first { $0.hasSuffix("/pass.json") }
            throw WalletError(
                .missingPassJSON, "there is no pass.json in the package",
                hint: folder.map { "`\($0)` is in a folder: pack the folder's contents, not the folder" })
        }
        (self.files, self.passJSON) = (files, passJSON)
    }

    /// The manifest: SHA-1 in lower-case hex by file name; nil without a `manifest.json`.
    ///
    /// - Throws: ``WalletError`` when it is not an object of strings.
    public func manifest() throws(WalletError) -> [String: String]? {
        guard let manifestJSON else { return nil }
        var manifest: [String: String] = [:]
        do {
            let object = try JSONObjectReader(PhoneJSON(parsing: manifestJSON), path: "", known: [], tolerated: nil)
            for name in object.names { manifest[name] = try object.requiredString(name).lowercased() }
        } catch {
            throw error.inFile("manifest.json")
        }
        return manifest
    }

    /// What pass.json says about the pass and its NFC, as it stands there.
    public func contents() throws(WalletError) -> PassContents {
        do { return try PassContents(json: PhoneJSON(parsing: passJSON)) } catch { throw error.inFile("pass.json") }
    }

    /// Whether the bytes begin as a zip archive does (APPNOTE.TXT 4.3.7, 4.3.16).
    public static func looksLikeArchive(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) || bytes.starts(with: [0x50, 0x4B, 0x05, 0x06])
    }
}

/// Members of pass.json that matter to a reader, unchecked: a check of the pass says what is wrong with them.
public struct PassContents: Hashable, Sendable {
    /// The `nfc` dictionary as it stands.
    public struct NFC: Hashable, Sendable {
        /// `message`, not cut.
        public let message: String?
        /// `encryptionPublicKey`, the text; ``PhoneDefinition/NFC/publicKey(base64:)`` reads it.
        public let encryptionPublicKey: String?
        /// `requiresAuthentication`.
        public let requiresAuthentication: Bool?
        /// Every key of the dictionary, sorted.
        public let keys: [String]
    }

    /// `formatVersion`; 1 in every pass.
    public let formatVersion: Int?
    /// `passTypeIdentifier`.
    public let passTypeIdentifier: String?
    /// `serialNumber`.
    public let serialNumber: String?
    /// `teamIdentifier`.
    public let teamIdentifier: String?
    /// `organizationName`.
    public let organizationName: String?
    /// `sharingProhibited`, which belongs with `requiresAuthentication`.
    public let sharingProhibited: Bool?
    /// `nfc`.
    public let nfc: NFC?

    init(json: PhoneJSON) throws(WalletError) {
        let object = try JSONObjectReader(json, path: "", known: [], tolerated: nil)
        formatVersion = try object.integer("formatVersion", in: 0...1_000)
        passTypeIdentifier = try object.string("passTypeIdentifier")
        serialNumber = try object.string("serialNumber")
        teamIdentifier = try object.string("teamIdentifier")
        organizationName = try object.string("organizationName")
        sharingProhibited = try object.bool("sharingProhibited")
        nfc = try object.value("nfc").map { value throws(WalletError) in try NFC(json: value) }
    }
}

extension PassContents.NFC {
    init(json: PhoneJSON) throws(WalletError) {
        let object = try JSONObjectReader(json, path: "nfc", known: [], tolerated: nil)
        message = try object.string("message")
        encryptionPublicKey = try object.string("encryptionPublicKey")
        requiresAuthentication = try object.bool("requiresAuthentication")
        keys = object.names
    }
}
