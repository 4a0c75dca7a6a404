// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import ISO7816
internal import ProximityReader
internal import Synchronization
internal import WalletCrypto

/// The session of one counter, prepared again when it is over.
///
/// The token is signed with a key that lives only here: nothing is left on disk.
final class Reading: Sendable {
    private let reader: PaymentCardReader
    private let token: PaymentCardReader.Token
    private let request: ReadRequest
    private let session = Mutex<PaymentCardReaderSession?>(nil)

    init(_ configuration: ProximityReader.Counter.Configuration, _ setting: CounterSetting) throws {
        let key = try P256PrivateKey.generate()
        var configuration = configuration
        configuration.tokenKey = .key(key.publicKey)
        reader = PaymentCardReader(options: .init(), counter: ProximityReader.Counter(configuration))
        let expires = Date(timeIntervalSinceNow: 100 * 365 * 86_400)
        token = try ReaderToken(merchantID: "countertop", expires: expires).signed(with: key)
        request = setting.request
    }

    /// One read.
    func read() async throws {
        let session = try await prepared()
        do { try await request.read(in: session) } catch let error as PaymentCardReaderSession.ReadError {
            if Self.isOver(error) { self.session.withLock { $0 = nil } }
            throw error
        }
    }

    private func prepared() async throws -> PaymentCardReaderSession {
        if let session = session.withLock({ $0 }) { return session }
        let fresh = try await reader.prepare(using: token)
        session.withLock { $0 = fresh }
        return fresh
    }

    private static func isOver(_ error: PaymentCardReaderSession.ReadError) -> Bool {
        switch error {
        case .noReaderSession, .readerSessionExpired, .readerTokenExpired, .readFromBackgroundError: true
        default: false
        }
    }
}

/// Errors that mean there is no reader just now, in a sentence with the fix.
enum Absence {
    static func text(_ error: any Error, _ tap: TapReport?) -> String? {
        switch error {
        case let error as PaymentCardReaderSession.ReadError: text(error, tap)
        case let error as PaymentCardReaderError: text(error)
        default: nil
        }
    }

    private static let noService =
        "The smart card service (pcscd) is not there. Start it: systemctl start pcscd.socket"
    private static let noReader = "The reader is not there. Plug it in; `countertop readers` lists those there are"

    private static func text(_ error: PaymentCardReaderSession.ReadError, _ tap: TapReport?) -> String? {
        switch error {
        case .readerServiceConnectionError: noService
        case .readerNotAvailable:
            if case .failed(let fault) = tap?.ending, fault.code == .interfered { nil } else { noReader }
        case .readerInitializationFailed: "The reader cannot be used. `countertop doctor` looks for the cause"
        default: nil
        }
    }

    private static func text(_ error: PaymentCardReaderError) -> String? {
        switch error {
        case .serviceConnectionError: noService
        case .prepareFailed(let reason): reason.map { "The reader is not there: \($0)" } ?? noReader
        default: nil
        }
    }

    /// Any error, in words.
    static func words(_ error: any Error) -> String {
        switch error {
        case let error as PaymentCardReaderSession.ReadError: "\(error.errorName): \(error.errorDescription)"
        case let error as PaymentCardReaderError: "\(error.errorName): \(error.errorDescription)"
        default: "\(error)"
        }
    }
}
