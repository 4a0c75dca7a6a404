// SPDX-License-Identifier: Apache-2.0

/// Rules for the app and its extensions: groups P, H, X and W. Those that need a running app are looked at by the
/// emulated Wallet, which reports by these names.
extension ConformanceCheck {
    private static let apple = "Apple documentation"
    private static let thales = "Thales, Push Provisioning Extensions"
    private static let inferred = "inference"

    private static func rule(
        _ id: String, _ rule: String, _ violation: ConformanceVerdict, _ source: String, _ symptom: String
    ) -> ConformanceCheck {
        ConformanceCheck(id, rule, violation, source: source, symptom: symptom)
    }

    // P
    static let entitlement = rule(
        "P-entitlement", "The app has the entitlement com.apple.developer.payment-pass-provisioning", .fail, apple,
        "the sheet cannot be made")
    static let extensionEntitlement = rule(
        "P-extension-entitlement", "Both extensions have the app's entitlement and an app group of it", .fail, thales,
        "Wallet does not list the issuer")
    static let extensionPoints = rule(
        "P-extension-points", "There is one extension for each extension point, with its principal class", .fail,
        thales, "Wallet does not list the issuer")
    static let nameOrSuffix = rule(
        "P-name-or-suffix", "The configuration has the cardholder's name or the card's last digits", .fail,
        "the SDK's header", "\"Could Not Add Card\", code 2")
    static let nameAndSuffix = rule(
        "P-name-and-suffix", "The configuration has both the cardholder's name and the card's last digits", .warn,
        apple, "\"Could Not Add Card\", code 2")
    static let suffixDigits = rule(
        "P-suffix-digits", "The suffix is the last four or five digits", .fail, apple, "a wrong number in the sheet")
    static let network = rule(
        "P-network", "The configuration names the network", .warn, apple,
        "a general introduction instead of the card's")
    static let noCardNumber = rule(
        "P-no-card-number", "Nothing in the configuration looks like a card number", .fail, "the SDK's header",
        "card data where anybody can read them")
    static let scheme = rule(
        "P-scheme", "The scheme is ECC_V2; RSA_V2 is not specified in public", .notVerifiable,
        "no public specification", "unknown")

    // H
    static let handlerInTime = rule(
        "H-in-time", "The handler is called within the limit, on every path", .fail, apple,
        "the sheet hangs until the limit, then an error; a late call is ignored")
    static let handlerOnce = rule(
        "H-once", "The handler is called exactly once", .fail, apple, "calls after the first are ignored")
    static let handlerNotLate = rule(
        "H-not-late", "The handler is not called after the limit", .fail, apple,
        "the call is ignored; the issuer made a sealed card in vain")
    static let handlerNotAfterCancel = rule(
        "H-not-after-cancel", "The handler is not called when the flow is over", .warn, inferred,
        "the call is ignored; the issuer made a sealed card in vain")
    static let requestNotEmpty = rule(
        "H-not-empty", "The request has its three parts", .fail, apple, "\"Could Not Add Card\", code 2")

    static let preflightChecks =
        [
            entitlement, extensionEntitlement, extensionPoints, nameOrSuffix, nameAndSuffix, suffixDigits, network,
            noCardNumber, scheme,
            rule(
                "P-one-sheet", "A sheet is presented by a controller that presents nothing else", .fail,
                "UIKit documentation", "no sheet appears"),
        ]
    static let handlerChecks = [
        rule(
            "H-delegate", "The delegate lives as long as the sheet, which refers to it weakly", .fail, apple,
            "the sheet waits, then \"Could Not Add Card\""),
        handlerInTime,
        rule(
            "H-failure-reported",
            "An app that gives up calls the handler with an empty request; it does not dismiss only", .fail,
            "field report: the sheet hangs when the handler is never called",
            "the flow hangs until the limit and ends with a general error"),
        handlerOnce, handlerNotLate, handlerNotAfterCancel, requestNotEmpty,
    ]
    static let extensionChecks = [
        rule("X-status-in-time", "status answers within the limit", .fail, thales, "Wallet may not list the issuer"),
        rule(
            "X-status-once", "status completes exactly once", .fail, "the SDK's header",
            "the extension's process may be ended"),
        rule(
            "X-entries-in-time", "The lists of entries are given within the limit", .fail, thales,
            "Wallet takes it as no cards"),
        rule(
            "X-entries-once", "The lists of entries are given exactly once", .fail, "the SDK's header",
            "the extension's process may be ended"),
        rule(
            "X-entry-complete", "Each entry has identifier, title, art, name, suffix and network", .fail, thales,
            "the card may not be displayed"),
        rule(
            "X-entry-art", "Card art is 1536 by 969 pixels, opaque, under 4 MB", .warn, thales,
            "the card's picture is scaled, cut or missing"),
        rule(
            "X-entry-unique", "No two entries of a list share an identifier", .fail, inferred,
            "the wrong card is added"),
        rule(
            "X-entry-stable", "A card has the same identifier in every call", .fail, "a review of short-lived names",
            "the card that was chosen is unknown when it is asked for"),
        rule(
            "X-status-agrees", "status says that there are entries exactly when there are", .fail, apple,
            "an empty list, or cards that nobody is offered"),
        rule(
            "X-lists-agree", "Cards that a device has already are not offered for it", .warn, thales,
            "a card is offered that cannot be added"),
        rule(
            "X-authorization", "An extension that requires authentication has a screen that calls its handler once",
            .fail, apple, "the user cannot go on"),
        rule("X-request", "The extension gives a request, not nil", .fail, apple, "the card is not added"),
    ]
    static let watchChecks = [
        rule(
            "W-device-lacks-card", "A card is offered only when a present device lacks it", .fail, "the SDK's header",
            "the user is led to a sheet that cannot add the card"),
        rule(
            "W-account-named", "The account is named when a device has the card already", .warn, apple,
            "the chooser offers a device that has the card"),
        rule(
            "W-availability", "\"Can add\" is: the app is entitled and some present device lacks the card", .fail,
            "the SDK's header", "a dead button, or none where there should be one"),
        rule(
            "W-association", "The network's metadata list the app, so that it sees its passes", .warn,
            "Thales, MeaWallet, Adyen documentation",
            "the list of passes is empty and \"can add\" stays true after the card was added"),
    ]

    /// All rules, in the order in which they are reported.
    public static let all =
        preflightChecks + chainChecks + requestChecks + envelopeChecks + payloadChecks + activationChecks
        + handlerChecks + extensionChecks + watchChecks + negativeChecks + leakageChecks
}
