// SPDX-License-Identifier: Apache-2.0

internal import AppleVAS
internal import Foundation

/// A checked loyalty request. The limits that Apple does not publish are explained in the article Choices.
struct VASPlan: Sendable {
    /// Other makers' readers take six to eight merchants; more than this cannot be a tap that a customer waits for.
    static let merchantLimit = 16
    /// What the sheet shows of the programme's name (Apple documentation, VASRequest).
    static let shownTypeLimit = 22
    /// Apple's own sample has a name of 31 characters, so the 22 cannot be what a request fails on; this is.
    static let typeLimit = 64
    /// No limit is published; pass type identifiers in use are a third as long.
    static let identifierLimit = 128

    let merchants: [VASMerchant]
    /// The programme's name, cut to what the sheet shows.
    let shownType: String

    /// Checks a request; its merchants come before the reader's default list.
    ///
    /// - Throws: `invalidVASMerchants` or `invalidVASRequestParameters` with a reason.
    init(
        _ request: VASRequest, defaults: [VASRequest.Merchant]
    ) throws(PaymentCardReaderSession.ReadError) {
        let list = request.vasMerchants.isEmpty ? defaults : request.vasMerchants
        if let problem = Self.problem(with: list) { throw .invalidVASMerchants(problem) }
        if let problem = Self.problem(withType: request.localizedVASType) {
            throw .invalidVASRequestParameters(problem)
        }
        shownType = String(request.localizedVASType.prefix(Self.shownTypeLimit))
        merchants = list.map { VASMerchant($0) }
    }

    private static func problem(withType type: String) -> String? {
        guard type.count <= typeLimit else {
            return
                "localizedVASType has \(type.count) characters; \(typeLimit) are allowed, \(shownTypeLimit) are shown"
        }
        let isPrintable = type.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        return isPrintable ? nil : "localizedVASType has control characters"
    }

    private static func problem(with list: [VASRequest.Merchant]) -> String? {
        guard !list.isEmpty else { return "a request needs at least one merchant" }
        guard list.count <= merchantLimit else {
            return "there are \(list.count) merchants; \(merchantLimit) are allowed"
        }
        var seen: Set<String> = []
        for (index, merchant) in list.enumerated() {
            let place = "merchant \(index + 1)"
            if let problem = problem(with: merchant) { return "\(place): \(problem)" }
            guard seen.insert(merchant.id).inserted else { return "\(place): \(merchant.id) is listed twice" }
        }
        return nil
    }

    private static func problem(with merchant: VASRequest.Merchant) -> String? {
        guard !merchant.id.isEmpty else { return "the id is empty" }
        guard merchant.id.hasPrefix("pass."), merchant.id.count > 5,
            merchant.id.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return "the id must be a pass type identifier such as pass.com.example.club" }
        guard merchant.id.utf8.count <= identifierLimit else {
            return "the id has \(merchant.id.utf8.count) characters; \(identifierLimit) are allowed"
        }
        guard let url = merchant.url else {
            return merchant.urlOnly ? "shouldSendURLOnly needs a url" : nil
        }
        guard url.scheme?.lowercased() == "https", url.host?.isEmpty == false else {
            return "the url must be absolute, with the scheme https"
        }
        // CoreNFC's 64 characters are no rule here: Apple's own sample for this API has a URL of 80. What one command
        // carries is.
        return VASMerchant(merchant).problems.first(where: \.isFatal)?.text
    }
}

extension VASMerchant {
    fileprivate init(_ merchant: VASRequest.Merchant) {
        self.init(
            passTypeIdentifier: merchant.id, url: merchant.url?.absoluteString, urlOnly: merchant.urlOnly)
    }
}
