// SPDX-License-Identifier: Apache-2.0

/// Rules for the issuer: groups C, R, E, J, A, N and L.
extension ConformanceCheck {
    private static let apple = "Apple documentation"
    private static let issuers = "two issuers' public sources, which agree"
    private static let inferred = "inference"
    private static let refused = "\"Could Not Add Card\", code 2"

    private static func rule(
        _ id: String, _ rule: String, _ violation: ConformanceVerdict = .fail, _ source: String,
        _ symptom: String = refused
    ) -> ConformanceCheck {
        ConformanceCheck(id, rule, violation, source: source, symptom: symptom)
    }

    // C
    static let twoCertificates = rule(
        "C-two-certificates", "A chain of leaf and intermediate is accepted", .fail, "processors' documentation")
    static let threeCertificates = rule(
        "C-three-certificates", "A chain with its root is accepted", .fail, apple)
    static let criticalMarker = rule(
        "C-critical-marker", "The leaf's critical marker extension is accepted", .fail,
        "SecPolicyCreateApplePayIssuerEncryption")
    static let wrongRoot = rule(
        "C-wrong-root", "A chain to another root is refused", .fail, apple, "cards sealed for anybody who asks")
    static let noMarker = rule(
        "C-no-marker", "A leaf without the marker extension is refused", .fail,
        "SecPolicyCreateApplePayIssuerEncryption", "cards sealed for certificates of another purpose")
    static let order = rule(
        "C-order", "Certificates in another order are coped with or refused, not crashed on", .fail, inferred)
    static let expiredLeaf = rule(
        "C-expired", "A leaf that has run out is refused", .warn,
        "issuers' practice; Apple's own policy ignores dates", "cards sealed for old keys")
    static let rsaLeaf = rule("C-rsa-leaf", "A leaf with an RSA key is refused under ECC_V2", .fail, apple)
    static let p384Leaf = rule("C-p384-leaf", "A leaf with a key on P-384 is refused", .fail, issuers)

    // R
    static let requestReadable = rule(
        "R-readable", "The request is what its profile says", .fail, "the processor's documentation")
    static let certificatesSent = rule("R-certificates", "Every certificate is sent byte for byte", .fail, apple)
    static let nonceSent = rule("R-nonce", "The nonce is sent byte for byte", .fail, apple)
    static let signatureSent = rule("R-nonce-signature", "The nonce's signature is sent byte for byte", .fail, apple)
    static let notReused = rule("R-not-reused", "No nonce is sent in two flows", .fail, apple)
    static let answered = rule("R-status", "The back end answers with a status of 2xx", .fail, inferred)
    static let mostlyFast = rule(
        "R-p95", "Nineteen of twenty answers come in less than half of the limit", .warn, inferred,
        "users on slow networks run into the limit")
    static let answerShape = rule(
        "R-answer", "The answer is JSON with the members of its profile", .fail, "the processor's documentation")
    static let backEndInTime = rule(
        "R-in-time", "The back end answers within 20 s", .fail, apple, "the flow ends with an error")
    static let fast = rule(
        "R-fast", "The issuer answers in less than half of the limit", .warn, inferred,
        "users on slow networks run into the limit")

    // E
    static let blobsPresent = rule("E-blobs-present", "The three blobs are there and not empty", .fail, apple)
    static let encoding = rule(
        "E-encoding", "The blobs are bytes in their own places, not still Base64 or hex text", .fail,
        "developers' reports on Apple's forum")
    static let keyForm = rule(
        "E-key-form", "The ephemeral key has 65 bytes, begins with 04 and lies on P-256", .fail, issuers)
    static let keyFresh = rule("E-key-fresh", "Every answer has an ephemeral key of its own", .fail, issuers)
    static let rightLeaf = rule("E-leaf", "The envelope is sealed for the leaf", .fail, issuers)
    static let derivation = rule("E-derivation", "The key is derived as ECC_V2 has it", .fail, issuers)
    static let iv = rule("E-iv", "The IV has 12 zero bytes, and the tag stands at the end", .fail, issuers)
    static let opens = rule("E-opens", "The envelope opens with the leaf's key", .fail, apple)

    // J
    static let json = rule("J-json", "The plaintext is a JSON object in UTF-8", .fail, apple)
    static let strings = rule("J-strings", "Every value is a string", .fail, apple)
    static let required = rule("J-required", "No member is missing", .fail, apple)
    static let knownNames = rule("J-known", "No member is unknown", .warn, inferred, "none, or \"Could Not Add Card\"")
    static let payloadNonce = rule("J-nonce", "nonce is that of the request, in hex", .fail, apple)
    static let payloadSignature = rule(
        "J-nonce-signature", "nonceSignature is that of the request, in hex", .fail, apple)
    static let hexCase = rule(
        "J-hex-case", "Hex is in lower case", .warn, "Enfuce and Wise documentation", "none is known")
    static let cardNumber = rule(
        "J-card-number", "The card number has digits only and a check digit that fits", .fail, apple)
    static let expiration = rule("J-expiration", "expiration is written MM/YY", .fail, apple)
    static let notPast = rule("J-not-past", "The card has not run out", .fail, inferred)
    static let name = rule("J-name", "The name is not empty", .fail, apple)
    static let suffix = rule(
        "J-suffix", "The last digits are those of the sheet", .fail, inferred, "another card than the one shown")
    static let rightCard = rule(
        "J-card", "The card is the one that was asked for", .fail, inferred, "another customer's card in the wallet")
    static let rightExpiration = rule("J-expiration-agrees", "The expiration is the card's", .fail, inferred)
    static let encryptedNumber = rule(
        "J-encrypted-number", "An encrypted number is Base64 of the network's block", .fail,
        "one issuer's public source")

    // A
    static let activationPlain = rule(
        "A-not-encoded", "Activation data are the value itself, not its Base64", .fail,
        "one issuer's public source", "the card is added and needs to be verified by hand")
    static let activationFormat = rule(
        "A-format", "Activation data have a layout that is known", .warn, "processors' documentation",
        "the card is added and needs to be verified by hand")
    static let activationOpens = rule(
        "A-opens", "Visa's block opens with the test key", .fail, "one issuer's public source",
        "the network declines, or asks for verification")
    static let activationNonce = rule(
        "A-nonce", "The nonce in Visa's block is that of the request", .fail, "one issuer's public source",
        "the network declines, or asks for verification")
    static let authorizationCode = rule(
        "A-authcode", "Visa's block has an authcode of six letters and digits", .fail, "one issuer's public source",
        "the issuer cannot tell whose card is being added")
    static let valueSignature = rule(
        "A-tav-signature", "Mastercard's value is signed for this card", .fail, "Mastercard documentation",
        "the network declines, or asks for verification")
    static let valueInTime = rule(
        "A-tav-valid", "Mastercard's value has not run out", .fail, "Mastercard documentation",
        "the network declines, or asks for verification")

    // N
    static let replayedNonce = rule(
        "N-replayed-nonce", "A request that was answered already is refused", .warn, inferred,
        "a recorded request gives a card again")
    static let brokenCertificate = rule(
        "N-broken-certificate", "A certificate that is cut off is refused with 4xx", .fail, inferred)
    static let hugeNonce = rule("N-huge-nonce", "A nonce of 1 MB is refused with 4xx", .fail, inferred)
    static let deepJSON = rule("N-deep-json", "JSON of 10,000 levels is refused with 4xx", .fail, inferred)
    static let notUTF8 = rule("N-not-utf8", "A body that is not UTF-8 is refused with 4xx", .fail, inferred)
    static let duplicate = rule(
        "N-duplicate", "Of two equal requests at the same time one is answered, or both with the same", .warn, inferred,
        "one nonce gives two sealed cards")
    static let slowClients = rule(
        "N-slow-client", "While clients send their requests byte by byte, others are answered", .fail, inferred,
        "anybody can stop the service")
    static let goesOn = rule("N-goes-on", "After wrong requests a sound one is answered", .fail, inferred)

    // L
    static let numberInURL = rule(
        "L-url", "No card number stands in a URL", .fail, "PCI DSS 3.4", "card data in logs of every proxy")
    static let numberInTraffic = rule(
        "L-traffic", "No card number passes the app in clear", .fail,
        "Apple documentation: do not encrypt on the device",
        "card data where anybody can read them")
    static let nonceInURL = rule(
        "L-nonce-url", "Nonce and signature stand in no URL", .warn, inferred, "one-time data in logs of every proxy")
    static let secretsInText = rule(
        "L-log", "No card number, blob or nonce signature stands in a log", .fail, "PCI DSS 3.4",
        "card data where anybody can read them")

    static let chainChecks = [
        twoCertificates, threeCertificates, criticalMarker, order, wrongRoot, noMarker, expiredLeaf, rsaLeaf, p384Leaf,
    ]
    static let requestChecks = [
        requestReadable, certificatesSent, nonceSent, signatureSent, notReused, answered, backEndInTime, fast,
        mostlyFast, answerShape,
    ]
    static let envelopeChecks = [blobsPresent, encoding, keyForm, keyFresh, rightLeaf, derivation, iv, opens]
    static let payloadChecks = [
        json, strings, required, knownNames, payloadNonce, payloadSignature, hexCase, cardNumber, encryptedNumber,
        expiration, notPast, name, rightCard, rightExpiration, suffix,
    ]
    static let activationChecks = [
        activationPlain, activationFormat, activationOpens, activationNonce, authorizationCode, valueSignature,
        valueInTime,
    ]
    static let negativeChecks = [
        replayedNonce, duplicate, brokenCertificate, hugeNonce, deepJSON, notUTF8, slowClients, goesOn,
    ]
    static let leakageChecks = [numberInURL, numberInTraffic, nonceInURL, secretsInText]
}
