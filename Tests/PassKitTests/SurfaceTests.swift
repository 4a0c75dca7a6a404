// SPDX-License-Identifier: Apache-2.0

import Foundation
import PassKit
import Testing

@Suite("Names, labels and numbers")
struct SurfaceTests {
    @Test("Enumerations have Apple's numbers")
    func numbers() {
        #expect([PKAddPaymentPassStyle.payment, .access].map(\.rawValue) == [0, 1])
        #expect(PKSecureElementPass.PassActivationState.allCases.map(\.rawValue) == [0, 1, 2, 3, 4])
        #expect(PKPaymentPassActivationState.allCases.map(\.rawValue) == [0, 1, 2, 3, 4])
        #expect(PKIssuerProvisioningExtensionAuthorizationResult.allCases.map(\.rawValue) == [0, 1])
        #expect([PKPassType.barcode, .secureElement].map(\.rawValue) == [0, 1])
        #expect(PKPassType.payment == .secureElement)
    }

    @Test("Schemes and networks have their raw values")
    func rawValues() {
        #expect(PKEncryptionScheme.ECC_V2.rawValue == "EV_ECC_v2")
        #expect(PKEncryptionScheme.RSA_V2.rawValue == "EV_RSA_v2")
        #expect(PKPaymentNetwork.visa == PKPaymentNetwork(rawValue: "Visa"))
        #expect(PKPaymentNetwork.masterCard.rawValue == "MasterCard")
        #expect(PKPaymentNetwork.amex.rawValue == "AmEx")
        #expect(PKPaymentNetwork("mada") == .mada)
    }

    @Test("A configuration begins as Apple's does")
    func configuration() throws {
        let configuration = try #require(PKAddPaymentPassRequestConfiguration(encryptionScheme: .ECC_V2))
        #expect(configuration.style == .payment)
        #expect(configuration.cardholderName == nil)
        #expect(configuration.cardDetails.isEmpty)
        #expect(configuration.productIdentifiers.isEmpty)
        #expect(!configuration.requiresFelicaSecureElement)
        configuration.cardDetails = [PKLabeledValue(label: "Limit", value: "100")]
        #expect(configuration.cardDetails.map(\.value) == ["100"])
    }

    @Test("Members have Apple's types")
    func types() {
        let _: () -> Bool = PKAddPaymentPassViewController.canAddPaymentPass
        let _: (PKPassLibrary) -> () -> [PKPass] = PKPassLibrary.passes
        let _: (PKPassLibrary) -> (PKPassType) -> [PKPass] = PKPassLibrary.passes(of:)
        let _: KeyPath<PKPassLibrary, [PKSecureElementPass]> = \.remoteSecureElementPasses
        let _: KeyPath<PKAddPaymentPassRequest, Data?> = \.encryptedPassData
        let _: KeyPath<PKSecureElementPass, String?> = \.devicePassIdentifier
        let _: KeyPath<PKIssuerProvisioningExtensionPassEntry, CGImage> = \.art
        let _: KeyPath<PKIssuerProvisioningExtensionStatus, Bool> = \.requiresAuthentication
        #expect(PKPassKitErrorDomain == "PKPassKitErrorDomain")
    }
}
