// SPDX-License-Identifier: Apache-2.0

internal import GRDB

/// Why the store did not do what it was asked. Holds no card data.
package struct StoreFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: Hashable, Sendable {
        /// Another process has the store.
        case busy
        /// The directory or one of its files may not be used.
        case notAllowed
        /// Nothing more can be written.
        case full
        /// Nothing is stored.
        case resultsNotFound
        /// There is no batch, or not this one.
        case batchNotFound
        /// A batch cannot have this size.
        case batchSizeInvalid
        /// A batch was made before and is neither reset nor resolved.
        case batchExists
        /// Anything else.
        case other
    }

    package let kind: Kind
    /// SQLite's result code (https://www.sqlite.org/rescode.html), or 0 where SQLite had no part in it.
    package let code: Int
    /// What is wrong, and what may help.
    package let description: String

    init(_ kind: Kind, code: Int = 0, _ description: String) {
        (self.kind, self.code, self.description) = (kind, code, description)
    }

    /// The codes of a disk that takes no more: full, over a quota, over a limit of the process.
    static let fullCodes: Set<Int> = [13, 778, 1034, 4874]

    /// What SQLite said.
    init(_ error: any Error) {
        if let failure = error as? StoreFailure {
            self = failure
            return
        }
        guard let error = error as? DatabaseError else {
            self.init(.other, "the store failed: \(type(of: error))")
            return
        }
        let code = Int(error.extendedResultCode.rawValue)
        let kind: Kind =
            switch error.resultCode {
            case .SQLITE_BUSY, .SQLITE_LOCKED: .busy
            case .SQLITE_FULL: .full
            case .SQLITE_IOERR where Self.fullCodes.contains(code): .full
            case .SQLITE_PERM, .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_AUTH: .notAllowed
            default: .other
            }
        // Only SQLite's own message: statements and their arguments hold sealed data.
        self.init(kind, code: code, "SQLite \(code): \(error.message ?? "no message")")
    }
}
