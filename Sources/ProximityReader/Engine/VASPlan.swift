// SPDX-License-Identifier: Apache-2.0

internal import AppleVAS

internal import struct Foundation.URL

/// A checked loyalty request. The limits that Apple does not publish are explained in the article Choices.
struct VASPlan: Sendable {
    /// Other makers' readers take six to eight merchants; more than this cannot be a tap that a customer waits for.
    static let merchantLimit = 16
    /// The programme's name on the sheet (Apple documentation, VASRequest).
    static let typeLimit = 22
    /// A sign-up URL with its scheme (Apple documentation, NFCVASCommandConfiguration).
    static let urlLimit = VASMerchant.urlLimit
    /// No limit is published; pass type identifiers in use are a third as long.
    static let identifierLimit = 128

    let merchants: [VASMerchant]

    /// Checks a request; its merchants come before the reader's default list.
    ///
    /// - Throws: `invalidVASMerchants` or `invalidVASRequestParameters` with a reason.
    init(
        _ request: VASRequest, defaults: [VASRequest.Merchant]
    ) throws(PaymentCardReaderSession.ReadError) {
        let list = request.vasMerchants.isEmpty ? defaults : request.vasMerchants
        if let problem = Self.problem(with: list) { throw .invalidVASMerchants(problem) }
        guard request.localizedVASType.count <= Self.typeLimit else {
            throw .invalidVASRequestParameters(
                "localizedVASType has \(request.localizedVASType.count) characters; \(Self.typeLimit) are allowed")
        }
        merchants = list.map {
            VASMerchant(passTypeIdentifier: $0.id, url: $0.url?.absoluteString, urlOnly: $0.urlOnly)
        }
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
        guard url.absoluteString.utf8.count <= urlLimit else {
            return "the url has \(url.absoluteString.utf8.count) characters; \(urlLimit) are allowed"
        }
        return nil
    }
}
