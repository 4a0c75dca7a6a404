// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import WalletCrypto

@testable import ProximityReader

/// Stored reads without a card: the store's own side.
extension Bench {
    static func stored(_ number: Int, issuer: String = "countertop") -> StoredRead {
        StoredRead(
            id: "read-\(number)", date: VirtualTime.start, issuer: issuer, merchant: "merchant.example",
            paymentCardData: Data("sealed \(number)".utf8).base64EncodedString(), generalCardData: "UAA=")
    }

    /// The store, with so many reads in it.
    func store(reads count: Int = 0) async throws -> PaymentCardReaderStore {
        let file = try counter.store()
        for number in 0..<count { try await file.add(Self.stored(number)) }
        return try PaymentCardReader(counter: counter).fetchPaymentCardReaderStore()
    }

    func deletionToken(
        for batch: String, edit: (inout DeletionToken) -> Void = { _ in }
    ) throws -> StoreAndForwardBatchDeletionToken {
        var token = DeletionToken(
            batchID: batch, issuedAt: VirtualTime.start, expires: VirtualTime.start.addingTimeInterval(3_600))
        edit(&token)
        return try token.signed(with: tokenKey)
    }
}

/// The name of what `body` throws; nil when it throws nothing.
func thrown<Result>(_ body: () async throws -> Result) async -> String? {
    do {
        _ = try await body()
        return nil
    } catch {
        return caseName(Swift.Result<Void, any Error>.failure(error))
    }
}

/// The other process of the store's tests.
final class StoreProbe {
    static let program = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "countertop-store-probe")

    private let process = Process()
    private let (input, output) = (Pipe(), Pipe())

    init(_ mode: String, _ directory: String) throws {
        process.executableURL = Self.program
        process.arguments = [mode, directory]
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
    }

    /// The next line; nil at the end of the output.
    func line() -> String? {
        var line: [UInt8] = []
        while let byte = try? output.fileHandleForReading.read(upToCount: 1)?.first {
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }

    /// All lines to the end of the process. One that was cut off has no line feed, and was never handed out.
    func rest() -> [String] {
        let bytes = (try? output.fileHandleForReading.readToEnd()) ?? nil
        process.waitUntilExit()
        let text = String(decoding: bytes ?? Data(), as: UTF8.self)
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    /// Ends it as nothing can stand in the way of.
    func kill() { Foundation.kill(process.processIdentifier, SIGKILL) }

    /// Lets it go on.
    func letGo() { try? input.fileHandleForWriting.close() }
}
