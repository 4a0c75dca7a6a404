// SPDX-License-Identifier: Apache-2.0

import Foundation
import WalletCrypto

extension PhoneDefinition.Pass {
    private static let keys = ["passTypeIdentifier", "serialNumber", "nfc"]

    /// Top-level keys of pass.json that mean nothing at a reader (Apple documentation, Pass).
    private static let ignoredKeys: Set<String> = [
        "accessibilityURL", "additionalInfoFields", "appLaunchURL", "associatedStoreIdentifiers",
        "auxiliaryStoreIdentifiers", "authenticationToken", "backgroundColor", "bagPolicyURL", "barcode", "barcodes",
        "beacons", "boardingPass", "contactVenueEmail", "contactVenuePhoneNumber", "contactVenueWebsite", "coupon",
        "description", "directionsInformationURL", "eventGuide", "eventLogoText", "eventTicket", "expirationDate",
        "footerBackgroundColor", "foregroundColor", "formatVersion", "generic", "groupingIdentifier", "labelColor",
        "locations", "logoText", "maxDistance", "merchandiseURL", "orderFoodURL", "organizationName",
        "parkingInformationURL", "preferredStyleSchemes", "purchaseParkingURL", "relevantDate", "relevantDates",
        "sellURL", "semantics", "sharingProhibited", "storeCard", "stripColor", "suppressHeaderDarkening",
        "suppressStripShine", "teamIdentifier", "transferURL", "transitInformationURL", "useAutomaticColors",
        "userInfo", "voided", "webServiceURL",
    ]

    /// Reads a pass.
    ///
    /// - Parameter tolerant: takes unknown keys too, as in a pass.json that somebody else wrote.
    init(json value: PhoneJSON, path: String, tolerant: Bool = false) throws(WalletError) {
        let object = try JSONObjectReader(
            value, path: path, known: Self.keys, tolerated: tolerant ? nil : Self.ignoredKeys)
        self.init(
            passTypeIdentifier: try object.requiredString("passTypeIdentifier"),
            serialNumber: try object.string("serialNumber"), nfc: nil)
        guard !passTypeIdentifier.isEmpty else { throw object.invalid("passTypeIdentifier", "is empty") }
        if let value = object.value("nfc") {
            nfc = try .init(json: value, path: object.place("nfc"), tolerant: tolerant)
        }
    }

    var json: PhoneJSON {
        var members: [String: PhoneJSON] = ["passTypeIdentifier": .string(passTypeIdentifier)]
        if let serialNumber { members["serialNumber"] = .string(serialNumber) }
        if let nfc { members["nfc"] = nfc.json }
        return .object(members)
    }
}

extension PhoneDefinition.NFC {
    private static let keys = ["message", "encryptionPublicKey", "requiresAuthentication"]

    /// Reads a dictionary; `tolerant` as for a pass.
    init(json value: PhoneJSON, path: String, tolerant: Bool) throws(WalletError) {
        let object = try JSONObjectReader(value, path: path, known: Self.keys, tolerated: tolerant ? nil : [])
        let key = try object.requiredString("encryptionPublicKey")
        do {
            self.init(
                message: try object.requiredString("message"), encryptionPublicKey: try Self.publicKey(base64: key),
                requiresAuthentication: try object.bool("requiresAuthentication") ?? false)
        } catch {
            guard error.jsonPath == nil else { throw error }
            let place = object.place("encryptionPublicKey")
            let reason = error.reason.replacingOccurrences(of: "encryptionPublicKey", with: "`\(place)`")
            throw WalletError(error.code, reason, hint: error.hint, jsonPath: place)
        }
    }

    var json: PhoneJSON {
        var members: [String: PhoneJSON] = [
            "message": .string(message),
            "encryptionPublicKey": .string(
                Data(encryptionPublicKey.subjectPublicKeyInfo(compressed: true)).base64EncodedString()),
        ]
        if requiresAuthentication { members["requiresAuthentication"] = .bool(true) }
        return .object(members)
    }
}
