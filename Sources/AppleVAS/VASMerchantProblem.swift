// SPDX-License-Identifier: Apache-2.0

/// Something about a ``VASMerchant`` that a phone may not take, found before any tap.
public struct VASMerchantProblem: Hashable, Sendable, CustomStringConvertible {
    /// The kind of problem. Open: a later version may add codes.
    public struct Code: Hashable, Sendable, RawRepresentable {
        /// The code's name, stable over versions.
        public let rawValue: String
        /// A code by name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A full request without a pass type identifier.
        public static let missingPassType = Code(rawValue: "missingPassType")
        /// A pass type identifier with characters outside ASCII, or a control character.
        public static let unusualPassType = Code(rawValue: "unusualPassType")
        /// A URL-only request without a URL.
        public static let missingURL = Code(rawValue: "missingURL")
        /// A URL over ``VASMerchant/urlLimit`` characters.
        public static let longURL = Code(rawValue: "longURL")
        /// A URL that is not `https`, or has characters outside ASCII.
        public static let unusualURL = Code(rawValue: "unusualURL")
        /// A filter that phones were seen to refuse.
        public static let unusualFilter = Code(rawValue: "unusualFilter")
        /// More data than the one byte Lc can tell.
        public static let tooLong = Code(rawValue: "tooLong")
    }

    /// What it is.
    public let code: Code
    /// Whether the command cannot be sent at all; otherwise it is sent and the phone decides.
    public let isFatal: Bool
    /// What it is, in words.
    public let text: String

    /// The text.
    public var description: String { text }
}

extension VASMerchant {
    /// The longest URL, in characters with the scheme, that Apple documents for a reader (Apple documentation, CoreNFC
    /// NFCVASCommandConfiguration `url`). Longer ones are sent too, as far as ``commandDataLimit`` goes.
    public static let urlLimit = 64

    /// The most data bytes of a GET VAS DATA: the Lc of a short command (ISO/IEC 7816-3, 12.1.3). With everything
    /// else in the command a URL may have 189 bytes with a filter and 197 without.
    public static let commandDataLimit = 255

    /// All that is wrong or unusual with this merchant; the fatal ones keep a terminal from asking.
    public var problems: [VASMerchantProblem] { passTypeProblems + urlProblems + filterProblems + lengthProblems }

    private var passTypeProblems: [VASMerchantProblem] {
        if passTypeIdentifier.isEmpty {
            return urlOnly ? [] : [fatal(.missingPassType, "a pass type identifier is needed to ask for a pass")]
        }
        guard passTypeIdentifier.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            let text = "a pass type identifier is ASCII without blanks: no pass will match this one"
            return [advice(.unusualPassType, text)]
        }
        return []
    }

    private var urlProblems: [VASMerchantProblem] {
        guard let url, !url.isEmpty else {
            return urlOnly ? [fatal(.missingURL, "a URL-only request needs a URL")] : []
        }
        var problems: [VASMerchantProblem] = []
        if url.count > Self.urlLimit {
            let text = "the URL has \(url.count) characters; Apple documents at most \(Self.urlLimit)"
            problems.append(advice(.longURL, text))
        }
        if !url.lowercased().hasPrefix("https://") || !url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
            problems.append(advice(.unusualURL, "phones expect an https URL in ASCII"))
        }
        return problems
    }

    /// Reactions of an iPhone: kormax/apple-vas PR #2.
    private var filterProblems: [VASMerchantProblem] {
        guard let filter, !urlOnly else { return [] }
        if filter.count == 5, filter.first == 1 { return [] }
        return [advice(.unusualFilter, "phones take a filter of five bytes that begins with 01")]
    }

    private var lengthProblems: [VASMerchantProblem] {
        let count = VASCommand(self, capabilities: VASTerminalCapabilities(mode: .vasOnly), nonce: [0, 0, 0, 0]).data
            .count
        guard count > Self.commandDataLimit else { return [] }
        return [
            fatal(.tooLong, "the request has \(count) bytes; a command takes \(Self.commandDataLimit): shorten the URL")
        ]
    }

    private func fatal(_ code: VASMerchantProblem.Code, _ text: String) -> VASMerchantProblem {
        VASMerchantProblem(code: code, isFatal: true, text: text)
    }

    private func advice(_ code: VASMerchantProblem.Code, _ text: String) -> VASMerchantProblem {
        VASMerchantProblem(code: code, isFatal: false, text: text)
    }
}
