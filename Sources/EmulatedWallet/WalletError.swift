// SPDX-License-Identifier: Apache-2.0

/// Why an emulated wallet could not be made, read or plugged in. Compare ``code``; the texts are for people.
public struct WalletError: Error, Hashable, Sendable {
    /// The kind of fault. Open: a later version may add codes.
    public struct Code: Hashable, Sendable, RawRepresentable {
        /// The code's name, stable over versions.
        public let rawValue: String
        /// A code by name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A file or folder is not there, or may not be read or written.
        public static let unreadableFile = Code(rawValue: "unreadableFile")
        /// A folder holds no `.pkpass` file.
        public static let emptyFolder = Code(rawValue: "emptyFolder")
        /// The text is not JSON.
        public static let notJSON = Code(rawValue: "notJSON")
        /// A key that means nothing here.
        public static let unknownKey = Code(rawValue: "unknownKey")
        /// A required key is missing.
        public static let missingKey = Code(rawValue: "missingKey")
        /// A value of another JSON type than the key takes.
        public static let wrongType = Code(rawValue: "wrongType")
        /// A value of the right type that the key does not take.
        public static let invalidValue = Code(rawValue: "invalidValue")
        /// A pass without an `nfc` dictionary, which no reader can read.
        public static let noNFC = Code(rawValue: "noNFC")

        /// The bytes are not a zip archive.
        public static let notAnArchive = Code(rawValue: "notAnArchive")
        /// The archive ends too early.
        public static let truncatedArchive = Code(rawValue: "truncatedArchive")
        /// The archive is damaged (checksum, headers, compressed data).
        public static let damagedArchive = Code(rawValue: "damagedArchive")
        /// An entry is encrypted.
        public static let encryptedArchive = Code(rawValue: "encryptedArchive")
        /// More bytes than the limits allow, packed or unpacked.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// More entries than the limits allow.
        public static let tooManyEntries = Code(rawValue: "tooManyEntries")
        /// Unpacks to far more than its own size.
        public static let suspiciousCompression = Code(rawValue: "suspiciousCompression")
        /// An entry's name leads outside the package, or is empty or absolute.
        public static let unsafePath = Code(rawValue: "unsafePath")
        /// Folders inside folders: a pass has at most one level (`en.lproj/pass.strings`).
        public static let nestedFolder = Code(rawValue: "nestedFolder")
        /// Two entries have the same name.
        public static let duplicateEntry = Code(rawValue: "duplicateEntry")
        /// An entry is a symbolic link or a device, not a file.
        public static let notAFile = Code(rawValue: "notAFile")
        /// There is no pass.json.
        public static let missingPassJSON = Code(rawValue: "missingPassJSON")

        /// HOST:PORT could not be read.
        public static let invalidAddress = Code(rawValue: "invalidAddress")
        /// Nothing listens at the address, or the host is unknown.
        public static let unreachable = Code(rawValue: "unreachable")
        /// It was started before, or has been stopped.
        public static let notStartable = Code(rawValue: "notStartable")
    }

    /// What is wrong.
    public let code: Code
    /// What is wrong, in words: names of keys, entries and files, never their secret contents.
    public let reason: String
    /// What the person can do about it.
    public let hint: String?
    /// Where in a JSON document: `passes[0].nfc.message`; empty for the top.
    public let jsonPath: String?

    /// An error value.
    public init(_ code: Code, _ reason: String, hint: String? = nil, jsonPath: String? = nil) {
        (self.code, self.reason, self.hint, self.jsonPath) = (code, reason, hint, jsonPath)
    }

    /// The same error, with the file's name before the reason.
    func inFile(_ name: String) -> WalletError {
        WalletError(code, "\(name): \(reason)", hint: hint, jsonPath: jsonPath)
    }
}

extension WalletError: CustomStringConvertible {
    /// The reason alone; the hint is for a line of its own.
    public var description: String { reason }
}
