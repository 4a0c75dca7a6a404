// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Testing

@testable import InAppProvisioning

/// Property lists of an app and its extensions.
@Suite struct AppTargetTests {
    static let entitlement = "com.apple.developer.payment-pass-provisioning"

    static func list(_ content: String) -> [UInt8] {
        Array(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <!-- made for a test -->
            <plist version="1.0">\(content)</plist>
            """.utf8)
    }

    static func info(_ point: String, principal: String = "$(PRODUCT_MODULE_NAME).Handler") -> [UInt8] {
        list(
            """
            <dict><key>CFBundleVersion</key><string>1</string><key>NSExtension</key><dict>
            <key>NSExtensionAttributes</key><dict/><key>NSExtensionPointIdentifier</key><string>\(point)</string>
            <key>NSExtensionPrincipalClass</key><string>\(principal)</string></dict></dict>
            """)
    }

    static func entitlements(_ isThere: Bool = true, group: String = "group.com.example.bank") -> [UInt8] {
        list(
            """
            <dict>\(isThere ? "<key>\(entitlement)</key><true/>" : "")
            <key>com.apple.security.application-groups</key><array><string>\(group)</string></array></dict>
            """)
    }

    /// App, handler and screen, in order.
    struct App {
        var infos: [[UInt8]?] = [
            list("<dict/>"), info(AppTarget.points.handler), info(AppTarget.points.screen),
        ]
        var lists: [[UInt8]?] = [entitlements(), entitlements(), entitlements()]

        func violations() throws -> [String] {
            let targets = try zip(infos, lists).enumerated().map { index, pair in
                try AppTarget(place: "target \(index)", info: pair.0, entitlements: pair.1)
            }
            return TargetChecks.results(targets).filter { $0.verdict == .fail }.map(\.id)
        }
    }

    @Test func `a sound app`() throws { #expect(try App().violations() == []) }

    static let mutants: [(id: String, change: @Sendable (inout App) -> Void)] = [
        (
            "P-entitlement",
            {
                $0.lists[0] = entitlements(false); $0.infos[0] = nil
            }
        ),
        ("P-entitlement", { $0.lists[0] = nil }),
        ("P-extension-entitlement", { $0.lists[1] = entitlements(false) }),
        ("P-extension-entitlement", { $0.lists[2] = nil }),
        ("P-extension-entitlement", { $0.lists[2] = entitlements(group: "group.com.example.other") }),
        ("P-extension-points", { $0.infos[2] = info("com.apple.intents-service") }),
        ("P-extension-points", { $0.infos[1] = info(AppTarget.points.handler, principal: "") }),
        ("P-extension-points", { $0.infos[2] = info(AppTarget.points.handler) }),
    ]

    @Test(arguments: mutants.indices) func `each mutant is caught by its own check`(index: Int) throws {
        var app = App()
        Self.mutants[index].change(&app)
        // Without the app's entitlement there is no group that its extensions could share.
        let found = try app.violations().filter { Self.mutants[index].id != "P-entitlement" || $0 == "P-entitlement" }
        #expect(found == [Self.mutants[index].id])
    }

    @Test func `nothing was found`() {
        let results = TargetChecks.results([])
        #expect(
            results.filter { $0.verdict == .notVerifiable }.map(\.id) == ["P-entitlement", "P-extension-entitlement"])
    }

    @Test(arguments: [
        "", "<plist>", "<plist><dict>", "<plist><dict><key>a</key></dict></plist>",
        "<plist><dict><key>a</dict></plist>",
        "<plist><string>a</plist>", "<plist><weird/></plist>", "bplist00", "{}", "<plist><!--", "<plist",
        "<plist>" + String(repeating: "<array>", count: 10_000),
    ]) func `no property list`(text: String) {
        for (info, entitlements) in [(Array(text.utf8), nil), (nil, Array(text.utf8))] as [([UInt8]?, [UInt8]?)] {
            let error = #expect(throws: ProvisioningError.self) {
                try AppTarget(place: "X", info: info, entitlements: entitlements)
            }
            #expect(error?.code == .invalidRequest && error?.reason.contains("X") == true)
        }
        #expect(throws: ProvisioningError.self) { try AppTarget(place: "X", info: [0xFF, 0xFE], entitlements: nil) }
    }

    @Test func `what a list says, and never a trap`() throws {
        let text =
            "<dict><key>a</key><string>&lt;1 &amp;amp; 2&gt;</string><key>n</key><integer>3</integer>"
            + "<key>f</key><false/><key>l</key><array><string/><string>x</string><real>1</real></array></dict>"
        let value = try PropertyListText.read(Self.list(text), "a")
        #expect(value.text("a") == "<1 &amp; 2>" && value.flag("f") == false && value.texts("l") == ["", "x"])
        #expect(value.text("n") == nil && value.flag("a") == nil && value.texts("a") == [])
        var random = SeededRandom(seed: 4)
        let whole = Self.info("point")
        for _ in 0..<2_000 {
            var bytes = whole
            for _ in 0..<3 {
                let index = Int.random(in: bytes.indices, using: &random)
                if Bool.random(using: &random) {
                    bytes[index] = UInt8.random(in: 0x20...0x7E, using: &random)
                } else {
                    bytes.remove(at: index)
                }
            }
            _ = try? AppTarget(place: "X", info: bytes, entitlements: bytes)
        }
    }
}
