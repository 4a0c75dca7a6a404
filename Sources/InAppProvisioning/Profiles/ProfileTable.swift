// SPDX-License-Identifier: Apache-2.0

import WalletCrypto

extension ProcessorProfile {
    /// The processors whose interfaces are public enough, each with its source. Certificates, nonces and blobs travel
    /// in Base64 unless a row says otherwise.
    public static let builtIn: [ProcessorProfile] = [
        profile("plain", "Plain camel-case trio", "a common shape of issuers' own back ends", "/apple-pay/provision") {
            $0.card = .body("cardId")
        },
        profile(
            "tmp", "TMP", "a vendor's guide; the form of certificate and nonce is not given and assumed",
            "/issuer/push-provisioning/signed-cards"
        ) {
            $0.certificates = CertificateField(names: ["certificate"], form: .leaf)
            $0.card = .body("cardId")
            $0.response.encryptedPassData.name = "encryptedData"
        },
        profile("marqeta", "Marqeta", "Marqeta documentation", "/digitalwalletprovisionrequests/applepay") {
            $0.nonceSignature.name = "nonce_signature"
            $0.card = .body("card_token")
            $0.device = DeviceField(name: "device_type", phone: "MOBILE_PHONE", watch: "WATCH")
            $0.constants = [.init("provisioning_app_version", .string("1.0.0"))]
            $0.response = snakeCase
        },
        profile(
            "stripe", "Stripe", "stripe-ios; the blobs' Base64 is seen in its fixture",
            "/v1/issuing/cards/{card}/push_provisioning_details"
        ) {
            $0.method = "GET"
            $0.body = .query
            $0.certificates.names = ["ios[certificates][]"]
            $0.nonce = Field(name: "ios[nonce]", encoding: .hex)
            $0.nonceSignature = Field(name: "ios[nonce_signature]", encoding: .hex)
            $0.response = snakeCase
            $0.response.encryptedPassData.name = "contents"
            $0.response.constants = [.init("object", .string("issuing.push_provisioning_details"))]
        },
        profile("lithic", "Lithic", "lithic's client libraries", "/v1/cards/{card}/provision") {
            $0.certificates = CertificateField(names: ["certificate"], form: .leaf)
            $0.nonceSignature.name = "nonce_signature"
            $0.constants = [.init("digital_wallet", .string("APPLE_PAY"))]
            $0.response.encryptedPassData.name = "provisioning_payload.encryptedData"
            $0.response.activationData.name = "provisioning_payload.activationData"
            $0.response.ephemeralPublicKey.name = "provisioning_payload.ephemeralPublicKey"
        },
        profile(
            "galileo", "Galileo",
            "Galileo documentation; the name of the key in the answer and the answer's JSON form are assumed",
            "/intserv/4.0/createProvisioningRequest"
        ) {
            $0.body = .form
            $0.certificates = CertificateField(names: ["cert1", "cert2"], form: .fields)
            $0.nonce.encoding = .hex
            $0.nonceSignature.encoding = .hex
            $0.card = .body("accountNo")
            $0.constants = [.init("transactionId", .string("countertop"))]
            $0.response = snakeCase
            $0.response.activationData.encoding = .text
        },
        profile(
            "enfuce", "Enfuce", "Enfuce documentation; names in the answer are assumed",
            "/wallet/v1/{card}/provision/applepay?auditUser=countertop"
        ) {
            $0.nonce.encoding = .hex
            $0.nonceSignature.encoding = .hex
            $0.response.networks = ["mastercard": .hex]
        },
        profile(
            "wise", "Wise", "Wise documentation", "/twcard-data/v1/push-provisioning/encrypted-payload/apple-pay"
        ) {
            $0.nonce.encoding = .hex
            $0.nonceSignature.encoding = .hex
            $0.card = .header("x-tw-twcard-card-token")
            $0.response.ephemeralPublicKey.name = "ephemeralKey"
        },
        profile(
            "thredd", "Thredd", "Thredd documentation; path and the nonce's encoding are assumed",
            "/apple-pay/in-app-push-provisioning"
        ) {
            $0.certificates.encoding = .pem
            $0.card = .body("publicToken")
        },
        profile("highnote", "Highnote", "Highnote's GraphQL schema; encodings are assumed", "/graphql") {
            let operation = "addPaymentCardToApplePayByDevicePushProvisioning"
            $0.certificates.names = ["variables.input.certificates"]
            $0.nonce.name = "variables.input.nonce"
            $0.nonceSignature.name = "variables.input.nonceSignature"
            $0.card = .body("variables.input.paymentCardId")
            $0.device = DeviceField(name: "variables.input.deviceType", phone: "MOBILE_PHONE", watch: "WATCH")
            $0.constants = [.init("operationName", .string(operation))]
            $0.response.encryptedPassData.name = "data.\(operation).encryptedPassData"
            $0.response.activationData.name = "data.\(operation).activationData"
            $0.response.ephemeralPublicKey.name = "data.\(operation).ephemeralPublicKey"
        },
        profile(
            "treezor", "Treezor", "Treezor documentation and a client's source; the body's names are assumed",
            "/v1/issuerInitiatedDigitizationDatas"
        ) {
            $0.card = .body("cardId")
            $0.constants = [.init("tokenRequestor", .string("APPLE_PAY"))]
            $0.response.nested = "issuerInitiatedDigitizationData"
        },
        profile("google", "Google-style", "Google's Plex interface", "/v1/paycache/getApplePayPassData") {
            $0.certificates = CertificateField(names: ["certificateChain"], encoding: .base64url)
            $0.nonce.encoding = .base64url
            $0.nonceSignature.encoding = .base64url
            $0.card = .body("googleInstrumentToken")
            let details = "result.applePayPassDataDetails"
            $0.response.encryptedPassData = Field(name: "\(details).encryptedPassData", encoding: .base64url)
            $0.response.activationData = Field(name: "\(details).activationData", encoding: .base64url)
            $0.response.ephemeralPublicKey = Field(name: "\(details).ephemeralPublicKey", encoding: .base64url)
        },
    ]

    /// The trio as processors with underscores in their names have it.
    private static let snakeCase = Response(
        encryptedPassData: Field(name: "encrypted_pass_data"), activationData: Field(name: "activation_data"),
        ephemeralPublicKey: Field(name: "ephemeral_public_key"))

    private static func profile(
        _ name: String, _ title: String, _ source: String, _ path: String,
        _ change: (inout ProcessorProfile) -> Void
    ) -> ProcessorProfile {
        var profile = ProcessorProfile(name: name, title: title, source: source, path: path)
        change(&profile)
        return profile
    }
}
