// SPDX-License-Identifier: Apache-2.0

extension Preset {
    /// The providers that are known by name. Each body is what the provider's documentation asks for; `source` says
    /// where that is.
    static let all = [passkit, voucherify, square, talonone]

    /// A visit of a member. `externalEventId` carries our id.
    static let passkit = Preset(
        name: "passkit", help: "PassKit Members: a check-in of the member",
        source: "PassKit's gRPC definitions: Members.checkInMember, MemberCheckInOutRequest; docs.passkit.io",
        baseURL: "https://api.pub1.passkit.io",
        settings: [
            SinkSetting("program_id", .text, required: true, "the membership programme"),
            SinkSetting("key_file", .secretFile, required: true, "a file with the API key"),
            SinkSetting("secret_file", .secretFile, required: true, "a file with the API secret"),
            SinkSetting(
                "member_is", .oneOf(["external_id", "member_id"]), default: .string("external_id"),
                "what passes have as their message"),
            SinkSetting("address", .text, "where the counter is"),
            SinkSetting("latitude", .degrees, "of the counter, in degrees; with longitude"),
            SinkSetting("longitude", .degrees, "of the counter, in degrees"),
        ],
        credentials: [.webToken(keyFile: "key_file", secretFile: "secret_file", variable: "token")],
        headers: [("authorization", "{{token}}")],
        calls: [
            Call(
                method: "PUT", path: "/members/member/checkIn",
                body: """
                    {"programId":"{{program_id}}",\
                    {{#by_member_id}}"memberId":"{{member}}"{{/by_member_id}}\
                    {{^by_member_id}}"externalId":"{{member}}"{{/by_member_id}},\
                    "externalEventId":"{{id}}",\
                    {{#address}}"address":"{{address}}",{{/address}}\
                    {{#latitude}}"lat":{{latitude}},{{/latitude}}{{#longitude}}"lon":{{longitude}},{{/longitude}}\
                    "metaData":{"store":"{{store}}","counter":"{{counter}}","time":"{{time}}"}}
                    """)
        ],
        choices: [("by_member_id", "member_is", "member_id")])

    /// Points on a loyalty card; the pass's message is the card's code. `source_id` carries our id.
    static let voucherify = Preset(
        name: "voucherify", help: "Voucherify: points on the member's loyalty card",
        source: "Voucherify API reference: POST /v1/loyalties/members/{memberId}/balance",
        baseURL: "https://api.voucherify.io",
        settings: [
            SinkSetting("app_id_file", .secretFile, required: true, "a file with the X-App-Id"),
            SinkSetting("app_token_file", .secretFile, required: true, "a file with the X-App-Token"),
            SinkSetting("points", .number, default: .integer(1), "points for each tap"),
            SinkSetting("reason", .text, default: .string("tap"), "the reason that is shown with the points"),
        ],
        credentials: [
            .file(key: "app_id_file", variable: "app_id"), .file(key: "app_token_file", variable: "app_token"),
        ],
        headers: [("x-app-id", "{{app_id}}"), ("x-app-token", "{{app_token}}")],
        calls: [
            Call(
                method: "POST", path: "/v1/loyalties/members/{{member}}/balance",
                body: #"{"points":{{{points}}},"reason":"{{reason}}","source_id":"{{id}}"}"#)
        ])

    /// The account is looked for by telephone number or customer, then gets points: those of the order, when the POS
    /// attached one, or a fixed number. `idempotency_key` carries our id.
    static let square = Preset(
        name: "square", help: "Square Loyalty: points for an order or a visit",
        source: "Square API reference: SearchLoyaltyAccounts, AccumulateLoyaltyPoints",
        baseURL: "https://connect.squareup.com",
        settings: [
            SinkSetting("token_file", .secretFile, required: true, "a file with the access token"),
            SinkSetting("location_id", .text, required: true, "Square's id of the shop"),
            SinkSetting(
                "member_is", .oneOf(["phone", "customer_id"]), default: .string("phone"),
                "what passes have as their message; telephone numbers in E.164"),
            SinkSetting("points", .number, default: .integer(1), "points for a tap without an order"),
            SinkSetting("square_version", .text, default: .string("2025-01-23"), "the Square-Version field"),
        ],
        credentials: [.file(key: "token_file", variable: "token")],
        headers: [("authorization", "Bearer {{token}}"), ("square-version", "{{square_version}}")],
        calls: [
            Call(
                method: "POST", path: "/v2/loyalty/accounts/search",
                body: """
                    {"query":{ {{#by_customer}}"customer_ids":["{{member}}"]{{/by_customer}}\
                    {{^by_customer}}"mappings":[{"phone_number":"{{member}}"}]{{/by_customer}} },"limit":1}
                    """,
                captures: [
                    TemplateCall.Capture(
                        name: "account_id", pointer: "/loyalty_accounts/0/id",
                        missing: "no loyalty account at Square has this member")
                ]),
            Call(
                method: "POST", path: "/v2/loyalty/accounts/{{account_id}}/accumulate",
                body: """
                    {"accumulate_points":{ {{#order_id}}"order_id":"{{order_id}}"{{/order_id}}\
                    {{^order_id}}"points":{{{points}}}{{/order_id}} },\
                    "location_id":"{{location_id}}","idempotency_key":"{{id}}"}
                    """),
        ],
        choices: [("by_customer", "member_is", "customer_id")])

    /// A customer session, whose rules decide what the tap is worth. Our id is the session's, so a repeated PUT
    /// changes nothing.
    static let talonone = Preset(
        name: "talonone", help: "Talon.One: a customer session with the basket",
        source: "Talon.One Integration API: Update customer session (PUT /v2/customer_sessions/{customerSessionId})",
        baseURL: nil,
        settings: [
            SinkSetting("key_file", .secretFile, required: true, "a file with the API key of the Application"),
            SinkSetting(
                "member_is", .oneOf(["profile", "loyalty_card"]), default: .string("profile"),
                "what passes have as their message"),
            SinkSetting("store_id", .text, "storeIntegrationId, when stores are set up"),
            SinkSetting(
                "session_state", .oneOf(["open", "closed"]), default: .string("open"),
                "closed gives points at once; a closed session cannot be sent again"),
        ],
        credentials: [.file(key: "key_file", variable: "key")],
        headers: [("authorization", "ApiKey-v1 {{key}}")],
        calls: [
            Call(
                method: "PUT", path: "/v2/customer_sessions/{{id}}",
                body: """
                    {"customerSession":{ {{#by_card}}"loyaltyCards":["{{member}}"],{{/by_card}}\
                    {{^by_card}}"profileId":"{{member}}",{{/by_card}}\
                    {{#store_id}}"storeIntegrationId":"{{store_id}}",{{/store_id}}\
                    {{#basket.cartItems}}"cartItems":{{{basket.cartItems}}},{{/basket.cartItems}}\
                    "state":"{{session_state}}"},"responseContent":["loyalty"]}
                    """)
        ],
        choices: [("by_card", "member_is", "loyalty_card")])
}
