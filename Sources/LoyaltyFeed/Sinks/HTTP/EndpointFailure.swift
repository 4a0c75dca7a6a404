// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import NIOCore
import NIOPosix
import NIOSSL

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Why a request has no answer.
struct EndpointFailure: Error, Hashable, Sendable {
    /// Nobody answered; else somebody did, but not to the end.
    let isUnreachable: Bool
    /// Whether another address of the same name may do better: nothing was sent yet.
    var mayTryNext = false
    /// Whether the connection ended before an answer: an idle one that the other side had just given up looks so.
    var isBrokenOff = false
    /// What happened, in one sentence without a full stop; names no more of the URL than its host.
    let detail: String

    var report: DeliveryReport {
        DeliveryReport(isUnreachable ? .unreachable : .unavailable(retryAfter: nil), detail: detail)
    }

    static func unreachable(_ detail: String, mayTryNext: Bool = false) -> EndpointFailure {
        EndpointFailure(isUnreachable: true, mayTryNext: mayTryNext, detail: detail)
    }

    static func unavailable(_ detail: String, isBrokenOff: Bool = false) -> EndpointFailure {
        EndpointFailure(isUnreachable: false, isBrokenOff: isBrokenOff, detail: detail)
    }

    /// What an error of the client means. The error's own text is never passed on: it may hold a part of the URL.
    ///
    /// - Parameter wasConnected: whether there was a connection to send the request on.
    init(_ error: any Error, host: String, timeout: Duration, wasConnected: Bool) {
        let limit = SettingDuration.text(timeout)
        self =
            switch error {
            case let error as HTTPClientError where error == .deadlineExceeded && !wasConnected:
                // Also who swallows the request for a connection answers nothing.
                .unreachable("\(host) did not take the connection in time", mayTryNext: true)
            case let error as HTTPClientError: Self.failure(error, host: host, limit: limit)
            case let error as IOError: Self.failure(errno: error.errnoCode, host: host)
            case let error as NIOConnectionError:
                error.connectionErrors.first.map {
                    EndpointFailure($0.error, host: host, timeout: timeout, wasConnected: wasConnected)
                } ?? .unreachable("\(host) cannot be reached", mayTryNext: true)
            case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: Self.tls(error, host: host)
            case let error as ChannelError where Self.isConnectTimeout(error):
                .unreachable("\(host) did not take the connection in time", mayTryNext: true)
            case is CancellationError: .unreachable("the delivery was ended early")
            case is OtherAddress: .unreachable("\(host) was reached at an address that was not checked")
            case is InputLimitExceeded: .unavailable("\(host) sent far more than an answer; the connection was closed")
            default: .unavailable("\(host) sent something that is not HTTP")
            }
    }

    private init(isUnreachable: Bool, mayTryNext: Bool = false, isBrokenOff: Bool = false, detail: String) {
        (self.isUnreachable, self.mayTryNext) = (isUnreachable, mayTryNext)
        (self.isBrokenOff, self.detail) = (isBrokenOff, detail)
    }

    private static func isConnectTimeout(_ error: ChannelError) -> Bool {
        if case .connectTimeout = error { true } else { false }
    }

    private static func failure(_ error: HTTPClientError, host: String, limit: String) -> EndpointFailure {
        switch error {
        case .connectTimeout: .unreachable("\(host) did not take the connection in time", mayTryNext: true)
        case .getConnectionFromPoolTimeout: .unreachable("\(host) did not take the connection in time")
        case .tlsHandshakeTimeout: .unreachable("\(host) did not finish the TLS handshake in time")
        case .deadlineExceeded, .readTimeout, .writeTimeout:
            .unavailable("\(host) took the request and did not answer within \(limit)")
        case .remoteConnectionClosed, .uncleanShutdown:
            .unavailable("\(host) closed the connection without an answer", isBrokenOff: true)
        case .cancelled, .requestStreamCancelled, .alreadyShutdown: .unreachable("the delivery was ended early")
        default: .unavailable("the request to \(host) failed: \(error.shortDescription)")
        }
    }

    /// Errors of the system: those of connecting, then those of a connection that was there.
    private static func failure(errno code: CInt, host: String) -> EndpointFailure {
        let before: [CInt: String] = [
            ECONNREFUSED: "refuses connections; is it running", ENETUNREACH: "cannot be reached: no network",
            EHOSTUNREACH: "cannot be reached: no route", ETIMEDOUT: "did not take the connection in time",
            EADDRNOTAVAIL: "has an address that cannot be used here", EACCES: "is blocked by this machine",
            EPERM: "is blocked by this machine", ENETDOWN: "cannot be reached: the network is down",
        ]
        if let text = before[code] { return .unreachable("\(host) \(text)", mayTryNext: true) }
        if code == EMFILE || code == ENFILE { return .unreachable("this machine has too many open files") }
        return code == ECONNRESET || code == EPIPE
            ? .unavailable("\(host) reset the connection without an answer", isBrokenOff: true)
            : .unavailable("the connection to \(host) broke")
    }

    /// OpenSSL's words for a failed handshake, and what they mean.
    private static let tlsTexts = [
        ("CERTIFICATE_VERIFY_FAILED", "its certificate is not trusted; a private authority goes into ca_file"),
        ("failedToValidateHostname", "its certificate is for another name"),
        ("CERTIFICATE_EXPIRED", "its certificate has expired"),
        ("WRONG_VERSION_NUMBER", "it does not speak TLS there; is it http, or another port"),
        ("HTTP_REQUEST", "it does not speak TLS there; is it http, or another port"),
        ("PROTOCOL_VERSION", "it has no TLS version that is still safe"),
        ("HANDSHAKE_FAILURE", "it has no cipher or certificate in common with us"),
        ("CERTIFICATE_REQUIRED", "it wants a client certificate"),
        ("EOF during handshake", "it closed the connection in the handshake; does it speak TLS there"),
        ("uncleanShutdown", "it closed the connection in the handshake"),
    ]

    private static func tls(_ error: any Error, host: String) -> EndpointFailure {
        // The text is searched for known words, not passed on.
        let text = "\(error) \(String(reflecting: error))"
        let meaning = tlsTexts.first { text.contains($0.0) }?.1 ?? "the handshake failed"
        return .unreachable("no TLS connection with \(host): \(meaning)")
    }
}
