// SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// Why a back end gave no answer, in words without anything of the request in them.
enum BackEndFailure {
    static func text(_ error: any Error) -> String {
        switch error {
        // Its short description holds no values (AsyncHTTPClient's documentation).
        case let error as HTTPClientError: error.shortDescription.lowercased()
        case let error as NIOConnectionError:
            "the host cannot be reached" + (error.connectionErrors.first.map { ": \(text($0.error))" } ?? "")
        case let error as IOError: String(cString: strerror(error.errnoCode)).lowercased()
        case is NIOTooManyBytesError: "the answer has more than \(BackEnd.mostBytes >> 20) MiB"
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError: security(error)
        default: "no answer (\(type(of: error)))"
        }
    }

    /// BoringSSL names the reason in its text, which has no data of the connection.
    private static func security(_ error: any Error) -> String {
        let text = "\(error)"
        return text.contains("CERTIFICATE_VERIFY_FAILED") || text.contains("failedToValidateHostname")
            ? "the back end's certificate is not trusted (--ca names another authority)" : "the TLS handshake failed"
    }
}
