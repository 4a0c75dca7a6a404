// SPDX-License-Identifier: Apache-2.0

/// The checks, in the order in which they are reported.
extension WalletCheck {
    private static let apple = "Apple documentation"
    private static let thales = "Thales, Push Provisioning Extensions"

    /// The app has the entitlement.
    public static let entitlement = WalletCheck(
        "P-entitlement", "The app has the entitlement com.apple.developer.payment-pass-provisioning", .fail,
        source: apple, symptom: "canAddPaymentPass() is false and the sheet's initialiser gives nil")
    /// The configuration has a name or a suffix.
    public static let nameOrSuffix = WalletCheck(
        "P-name-or-suffix", "The configuration has the cardholder's name or the card's last digits", .fail,
        source: "PKAddPaymentPassRequest.h", symptom: "\"Could Not Add Card\", code 2")
    /// The configuration has both.
    public static let nameAndSuffix = WalletCheck(
        "P-name-and-suffix", "The configuration has both the cardholder's name and the card's last digits", .warn,
        source: apple, symptom: "\"Could Not Add Card\", code 2")
    /// The suffix is four or five digits.
    public static let suffixDigits = WalletCheck(
        "P-suffix-digits", "The suffix is the last four or five digits", .fail,
        source: apple, symptom: "a wrong number in the sheet")
    /// A network is named.
    public static let network = WalletCheck(
        "P-network", "The configuration names the network", .warn,
        source: apple, symptom: "a general introduction instead of the card's")
    /// No card number is shown.
    public static let noCardNumber = WalletCheck(
        "P-no-card-number", "Nothing in the configuration looks like a card number", .fail,
        source: "PKAddPaymentPassRequest.h", symptom: "card data where anybody can read them")
    /// The scheme is ECC_V2.
    public static let scheme = WalletCheck(
        "P-scheme", "The scheme is ECC_V2; RSA_V2 is not specified in public", .notVerifiable,
        source: "no public specification", symptom: "unknown")
    /// One sheet at a time.
    public static let alreadyPresenting = WalletCheck(
        "P-one-sheet", "A sheet is presented by a controller that presents nothing else", .fail,
        source: "UIKit documentation", symptom: "no sheet appears")

    /// There is a delegate.
    public static let delegate = WalletCheck(
        "H-delegate", "The delegate lives as long as the sheet, which refers to it weakly", .fail,
        source: apple, symptom: "the sheet waits, then \"Could Not Add Card\"")
    /// The handler is called in time.
    public static let inTime = WalletCheck(
        "H-in-time", "The handler is called within the limit, on every path", .fail,
        source: apple, symptom: "the sheet hangs until the limit, then an error; a late call is ignored")
    /// The handler is called on the error path too.
    public static let failureReported = WalletCheck(
        "H-failure-reported", "An app that gives up calls the handler with an empty request; it does not dismiss only",
        .fail, source: "field report: the sheet hangs when the handler is never called",
        symptom: "the flow hangs until the limit and ends with a general error")
    /// The handler is called once.
    public static let once = WalletCheck(
        "H-once", "The handler is called exactly once", .fail, source: apple,
        symptom: "calls after the first are ignored")
    /// The handler is not called late.
    public static let notLate = WalletCheck(
        "H-not-late", "The handler is not called after the limit", .fail,
        source: apple, symptom: "the call is ignored; the issuer made a sealed card in vain")
    /// The handler is not called after the end.
    public static let notAfterCancel = WalletCheck(
        "H-not-after-cancel", "The handler is not called when the flow is over", .warn,
        source: "inference", symptom: "the call is ignored; the issuer made a sealed card in vain")
    /// The request is not empty.
    public static let notEmpty = WalletCheck(
        "H-not-empty", "The request has its three parts", .fail,
        source: apple, symptom: "\"Could Not Add Card\", code 2")
    /// The answer is not slow.
    public static let fast = WalletCheck(
        "R-fast", "The issuer answers in less than half of the limit", .warn,
        source: "inference", symptom: "users on slow networks run into the limit")

    /// `status` answers in time.
    public static let statusInTime = WalletCheck(
        "X-status-in-time", "status answers within the limit", .fail,
        source: thales, symptom: "Wallet may not list the issuer")
    /// `status` completes once.
    public static let statusOnce = WalletCheck(
        "X-status-once", "status completes exactly once", .fail,
        source: "PKIssuerProvisioningExtensionHandler.h", symptom: "the extension's process may be ended")
    /// Entries answer in time.
    public static let entriesInTime = WalletCheck(
        "X-entries-in-time", "passEntries and remotePassEntries answer within the limit", .fail,
        source: thales, symptom: "Wallet takes it as no cards")
    /// Entries complete once.
    public static let entriesOnce = WalletCheck(
        "X-entries-once", "passEntries and remotePassEntries complete exactly once", .fail,
        source: "PKIssuerProvisioningExtensionHandler.h", symptom: "the extension's process may be ended")
    /// Entries are complete.
    public static let entryComplete = WalletCheck(
        "X-entry-complete", "Each entry has identifier, title, art, name, suffix and network", .fail,
        source: thales, symptom: "the card may not be displayed")
    /// Card art has the right form.
    public static let entryArt = WalletCheck(
        "X-entry-art", "Card art is 1536 by 969 pixels, opaque, under 4 MB", .warn,
        source: thales, symptom: "the card's picture is scaled, cut or missing")
    /// Identifiers are unique.
    public static let entryUnique = WalletCheck(
        "X-entry-unique", "No two entries of a list share an identifier", .fail,
        source: "inference", symptom: "the wrong card is added")
    /// Identifiers are stable.
    public static let entryStable = WalletCheck(
        "X-entry-stable", "A card has the same identifier in every call", .fail,
        source: "Expensify/react-native-wallet, a review of short-lived identifiers",
        symptom: "the card that was chosen is unknown when it is asked for")
    /// Status and lists agree.
    public static let statusAgrees = WalletCheck(
        "X-status-agrees", "status says that there are entries exactly when there are", .fail,
        source: apple, symptom: "an empty list, or cards that nobody is offered")
    /// Lists agree with the library.
    public static let listsAgree = WalletCheck(
        "X-lists-agree", "Cards that a device has already are not offered for it", .warn,
        source: thales, symptom: "a card is offered that cannot be added")
    /// The extension's request is there.
    public static let requestThere = WalletCheck(
        "X-request", "The extension gives a request, not nil", .fail,
        source: apple, symptom: "the card is not added")
    /// The extension authenticates when it says so.
    public static let authorization = WalletCheck(
        "X-authorization", "An extension that requires authentication has a screen that calls its handler once", .fail,
        source: apple, symptom: "the user cannot go on")

    /// A present device lacks the card.
    public static let deviceLacksCard = WalletCheck(
        "W-device-lacks-card", "A card is offered only when a present device lacks it", .fail,
        source: "PKPassLibrary.h", symptom: "the user is led to a sheet that cannot add the card")
    /// The account is named, so that the chooser can hide devices.
    public static let accountNamed = WalletCheck(
        "W-account-named", "primaryAccountIdentifier is set when a device has the card already", .warn,
        source: apple, symptom: "the chooser offers a device that has the card")
    /// The app's own rule is right.
    public static let availabilityRule = WalletCheck(
        "W-availability", "\"Can add\" is: the app is entitled and some present device lacks the card", .fail,
        source: "PKPassLibrary.h", symptom: "a dead button, or none where there should be one")
    /// The network lists the app.
    public static let association = WalletCheck(
        "W-association", "The network's metadata (PNO) list the app, so that it sees its passes", .warn,
        source: "Thales, MeaWallet, Adyen documentation",
        symptom: "passes() is empty and \"can add\" stays true after the card was added")

    /// The checks of a flow that an app's sheet began.
    public static let sheetChecks: [WalletCheck] = [
        .entitlement, .nameOrSuffix, .nameAndSuffix, .suffixDigits, .network, .noCardNumber, .scheme, .delegate,
        .inTime, .failureReported, .once, .notLate, .notAfterCancel, .notEmpty, .fast, .deviceLacksCard, .accountNamed,
        .association,
    ]
    /// The checks of an extension.
    public static let extensionChecks: [WalletCheck] = [
        .statusInTime, .statusOnce, .entriesInTime, .entriesOnce, .entryComplete, .entryArt, .entryUnique,
        .entryStable, .statusAgrees, .listsAgree, .authorization, .requestThere,
    ]
}
