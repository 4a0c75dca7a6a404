// SPDX-License-Identifier: Apache-2.0

import Foundation
import WalletCrypto

/// Sends each event as a signed webhook (Standard Webhooks) with a CloudEvents body.
public final class WebhookSink: Sink {
    /// `type = "webhook"`.
    public static let type = SinkType(
        "webhook", help: "a signed HTTPS request for each event, the default",
        source: "Standard Webhooks; CloudEvents HTTP binding, structured mode",
        settings: [
            SinkSetting("url", .url, required: true, "where the receiver listens"),
            SinkSetting(
                "secret_file", .secretFiles, required: true,
                "a file with whsec_ or whsk_ lines; several sign at once, for rotation"),
        ] + HTTPOptions.settings
    ) { settings throws(SettingError) in try WebhookSink(settings) }

    /// What a CloudEvents document in structured mode is (CloudEvents 1.0.2, HTTP binding, 3.2).
    static let contentType = "application/cloudevents+json"
    /// The product, as `User-Agent` has it.
    static let userAgent = "countertop/\(FeedVersion.text)"

    /// The name from the configuration.
    public let name: String
    /// One event for each request.
    public let batchLimit = 1

    private let endpoint: HTTPEndpoint
    private let headers: [(name: String, value: String)]
    private let secrets: [WebhookSecret]
    private let now: @Sendable () -> Date

    init(_ settings: SinkSettings, now: @escaping @Sendable () -> Date = { Date() }) throws(SettingError) {
        let options = try HTTPOptions(settings)
        let url = try SinkURL(try settings.required("url"), key: "url", allowHTTP: options.allowHTTP)
        secrets = try Self.secrets(settings)
        endpoint = HTTPEndpoint(origin: url, options: options)
        (self.name, self.now) = (settings.name, now)
        headers =
            [("content-type", Self.contentType), ("user-agent", Self.userAgent)]
            + options.headers + options.secretHeaders
    }

    /// Sends the events one after the other.
    public func deliver(_ events: [OutgoingEvent]) async -> [DeliveryReport] {
        var reports: [DeliveryReport] = []
        for event in events { reports.append(await deliver(event)) }
        return reports
    }

    /// Ends the connection.
    public func close() async { await endpoint.close() }

    private func deliver(_ event: OutgoingEvent) async -> DeliveryReport {
        let signature: [(name: String, value: String)]
        do throws(CryptoError) {
            signature = try WebhookSignature.fields(
                id: event.event.id, at: now(), body: event.body, secrets: secrets)
        } catch {
            return DeliveryReport(.unavailable(retryAfter: nil), detail: "signing failed: \(error.reason)")
        }
        let request = EndpointRequest(
            method: "POST", url: endpoint.origin, headers: headers + signature, body: event.body)
        switch await endpoint.send(request) {
        case .success(let answer): return AnswerTable.report(status: answer.status, retryAfter: answer.retryAfter)
        case .failure(let failure): return failure.report
        }
    }

    private static func secrets(_ settings: SinkSettings) throws(SettingError) -> [WebhookSecret] {
        var secrets: [WebhookSecret] = []
        for file in try settings.secrets("secret_file") {
            do throws(CryptoError) {
                secrets += try WebhookSecret.all(in: file)
            } catch {
                throw SettingError("secret_file", error.reason, hint: error.hint)
            }
        }
        return secrets
    }
}
