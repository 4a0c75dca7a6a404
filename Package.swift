// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// Apple's own modules must never be shadowed: on a Darwin host the targets that mirror them get another name
/// (`APPLE_MODULE_NAMES=0/1` overrides). The product keeps Apple's name everywhere.
#if canImport(Darwin)
    let hostIsDarwin = true
#else
    let hostIsDarwin = false
#endif
let useAppleNames = Context.environment["APPLE_MODULE_NAMES"].map { $0 == "1" } ?? !hostIsDarwin
let proximityReader = useAppleNames ? "ProximityReader" : "OpenProximityReader"
let passKit = useAppleNames ? "PassKit" : "OpenPassKit"

/// The archive of libFuzzer without its `main`; set by `make fuzz` only, so that normal builds use no unsafe flag.
let fuzzerRuntime = Context.environment["COUNTERTOP_FUZZER_RUNTIME"]

let strict: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ] + (fuzzerRuntime == nil ? [] : [.unsafeFlags(["-sanitize=fuzzer,address"])])

/// Tests call the deprecated forms of Apple's API on purpose.
let strictTests: [SwiftSetting] = strict + [.treatWarning("DeprecatedDeclaration", as: .warning)]

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let httpClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioHTTP = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioTLS = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
/// HTTP, and what of its types stands in our own code.
let http: [Target.Dependency] = [
    .product(name: "HTTPTypes", package: "swift-http-types"),
    .product(name: "Hummingbird", package: "hummingbird"),
    .product(name: "HummingbirdCore", package: "hummingbird"),
    .product(name: "HummingbirdTLS", package: "hummingbird"),
    .product(name: "NIOCore", package: "swift-nio"),
    .product(name: "NIOHTTP1", package: "swift-nio"),
    .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
    .product(name: "NIOPosix", package: "swift-nio"),
    .product(name: "NIOSSL", package: "swift-nio-ssl"),
    .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
]
let database = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let mustache = Target.Dependency.product(name: "Mustache", package: "swift-mustache")
let toml = Target.Dependency.product(name: "TOMLKit", package: "TOMLKit")

func layer(
    _ name: String, _ dependencies: [Target.Dependency], path: String? = nil, exclude: [String] = []
) -> Target {
    .target(name: name, dependencies: dependencies, path: path, exclude: exclude, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies + ["CardTesting", "TestSupport"], swiftSettings: strictTests)
}

let package = Package(
    name: "countertop",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "BERTLV", targets: ["BERTLV"]),
        .library(name: "HostSystem", targets: ["HostSystem"]),
        .library(name: "ISO7816", targets: ["ISO7816"]),
        .library(name: "WalletCrypto", targets: ["WalletCrypto"]),
        .library(name: "PCSC", targets: ["PCSC"]),
        .library(name: "APDUTrace", targets: ["APDUTrace"]),
        .library(name: "EmulatedWallet", targets: ["EmulatedWallet"]),
        .library(name: "AppleVAS", targets: ["AppleVAS"]),
        .library(name: "EMVContactless", targets: ["EMVContactless"]),
        .library(name: "InAppProvisioning", targets: ["InAppProvisioning"]),
        .library(name: "ProximityReader", targets: [proximityReader]),
        .library(name: "PassKit", targets: [passKit]),
        .library(name: "LoyaltyFeed", targets: ["LoyaltyFeed"]),
        .library(name: "CounterServer", targets: ["CounterServer"]),
        .library(name: "CardTesting", targets: ["CardTesting"]),
        .library(name: "ProvisioningTesting", targets: ["ProvisioningTesting"]),
        .executable(name: "countertop", targets: ["countertop"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.9.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/LebJe/TOMLKit", from: "0.6.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.1"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.11.0"),
    ],
    targets: [
        // 0 values, and what several layers need of the system
        layer("HostSystem", []),
        layer("BERTLV", []),
        layer("ISO7816", ["BERTLV", logging]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        layer("WalletCrypto", ["COpenSSL"]),
        // 1 channels
        .systemLibrary(name: "CPCSCLite", pkgConfig: "libpcsclite", providers: [.apt(["libpcsclite-dev"])]),
        layer("PCSC", ["CPCSCLite", "ISO7816", logging]),
        layer("APDUTrace", ["BERTLV", "ISO7816"]),
        .systemLibrary(name: "CArchive", pkgConfig: "libarchive", providers: [.apt(["libarchive-dev"])]),
        layer("EmulatedWallet", ["BERTLV", "CArchive", "ISO7816", "WalletCrypto"]),
        // 2 protocols
        layer("AppleVAS", ["BERTLV", "ISO7816", "WalletCrypto"]),
        layer("EMVContactless", ["BERTLV", "ISO7816", "WalletCrypto"]),
        layer("InAppProvisioning", ["ISO7816", "WalletCrypto"]),
        // 3 faces
        layer(
            proximityReader,
            [
                "APDUTrace", "AppleVAS", "BERTLV", "EMVContactless", "EmulatedWallet", "HostSystem", "ISO7816",
                "PCSC", "WalletCrypto", database, logging,
            ],
            path: "Sources/ProximityReader"),
        layer(
            passKit, ["EmulatedWallet", "HostSystem", "ISO7816", "InAppProvisioning", "WalletCrypto"],
            path: "Sources/PassKit"),
        // 4 counter
        .systemLibrary(name: "CNATS", pkgConfig: "libnats", providers: [.apt(["libnats-dev"])]),
        .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
        .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        layer(
            "LoyaltyFeed",
            [
                "AppleVAS", "CMosquitto", "CNATS", "CPostgreSQL", "HostSystem", "ISO7816", "WalletCrypto", database,
                httpClient, logging, mustache, nioCore, nioHTTP, nioPosix, nioTLS,
            ],
            exclude: ["Schema"]),
        .target(name: "CCounterPages"),
        layer(
            "CounterServer",
            [
                "APDUTrace", "AppleVAS", "BERTLV", "CCounterPages", "EMVContactless", "EmulatedWallet", "ISO7816",
                "InAppProvisioning", "LoyaltyFeed", "PCSC", "WalletCrypto", .target(name: proximityReader), logging,
                metrics, toml,
            ] + http,
            exclude: ["Pages"]),
        // 5 tool
        layer(
            "CountertopCommands",
            [
                "APDUTrace", "AppleVAS", "BERTLV", "CounterServer", "EMVContactless", "EmulatedWallet", "HostSystem",
                "ISO7816", "InAppProvisioning", "LoyaltyFeed", "PCSC", "WalletCrypto",
                .target(name: passKit), .target(name: proximityReader), argumentParser, httpClient, logging,
                nioCore, nioHTTP, nioPosix, nioTLS,
            ]),
        .executableTarget(name: "countertop", dependencies: ["CountertopCommands"], swiftSettings: strict),
        // test kit
        layer("CardTesting", ["APDUTrace", "EmulatedWallet", "ISO7816", "PCSC"]),
        layer("ProvisioningTesting", ["InAppProvisioning", .target(name: passKit)]),
        // tests
        .executableTarget(
            name: "countertop-store-probe", dependencies: [.target(name: proximityReader)], path: "Tests/StoreProbe",
            swiftSettings: strict),
        .executableTarget(
            name: "countertop-extension-probe",
            dependencies: ["InAppProvisioning", "ProvisioningTesting", "WalletCrypto", .target(name: passKit)],
            path: "Tests/ExtensionProbe", swiftSettings: strict),
        layer("TestSupport", [logging], path: "Tests/TestSupport"),
        layer(
            "FuzzTargets",
            [
                "APDUTrace", "AppleVAS", "BERTLV", "CounterServer", "EMVContactless", "EmulatedWallet", "ISO7816",
                "InAppProvisioning", "LoyaltyFeed", "WalletCrypto",
            ],
            path: "Tests/Fuzz"),
        tests("FuzzTests", ["FuzzTargets"]),
        tests("BERTLVTests", ["BERTLV", "ISO7816"]),
        tests("HostSystemTests", ["HostSystem"]),
        tests("ISO7816Tests", ["BERTLV", "ISO7816", logging]),
        tests("WalletCryptoTests", ["ISO7816", "WalletCrypto"]),
        tests("PCSCTests", ["CPCSCLite", "EmulatedWallet", "ISO7816", "PCSC"]),
        tests(
            "APDUTraceTests", ["APDUTrace", "AppleVAS", "BERTLV", "EmulatedWallet", "ISO7816", "WalletCrypto"]),
        tests(
            "EmulatedWalletTests", ["BERTLV", "EMVContactless", "EmulatedWallet", "ISO7816", "PCSC", "WalletCrypto"]),
        tests("EMVContactlessTests", ["BERTLV", "EMVContactless", "ISO7816", "WalletCrypto"]),
        tests("InAppProvisioningTests", ["ISO7816", "InAppProvisioning", "WalletCrypto"]),
        tests(
            "LoyaltyFeedTests",
            [
                "AppleVAS", "CMosquitto", "EmulatedWallet", "HostSystem", "LoyaltyFeed", "WalletCrypto", database,
                logging,
                metrics,
            ]),
        tests(
            "CounterServerTests",
            [
                "APDUTrace", "AppleVAS", "CounterServer", "EmulatedWallet", "ISO7816", "InAppProvisioning",
                "LoyaltyFeed", "PCSC", "WalletCrypto", .target(name: proximityReader), logging, metrics,
            ]),
        tests("AppleVASTests", ["APDUTrace", "AppleVAS", "BERTLV", "EmulatedWallet", "ISO7816", "WalletCrypto"]),
        tests(
            "ProximityReaderTests",
            [
                "APDUTrace", "AppleVAS", "BERTLV", "EMVContactless", "EmulatedWallet", "HostSystem", "ISO7816",
                "WalletCrypto", logging, "countertop-store-probe", database,
                .target(name: proximityReader),
            ]),
        tests(
            "PassKitTests",
            ["EmulatedWallet", "HostSystem", "ISO7816", "InAppProvisioning", "WalletCrypto", .target(name: passKit)]),
        tests(
            "CountertopCommandsTests",
            [
                "APDUTrace", "AppleVAS", "BERTLV", "CounterServer", "CountertopCommands", "EMVContactless",
                "EmulatedWallet", "ISO7816", "InAppProvisioning", "LoyaltyFeed", "PCSC", "WalletCrypto", logging,
            ]),
        tests(
            "EndToEndTests",
            [
                "APDUTrace", "AppleVAS", "EmulatedWallet", "ISO7816", "InAppProvisioning", "LoyaltyFeed", "PCSC",
                "WalletCrypto",
                "countertop", "countertop-extension-probe",
                .target(name: proximityReader),
            ]),
    ]
)

if let fuzzerRuntime {
    package.targets += [
        .systemLibrary(name: "CLibFuzzer", path: "Tests/CLibFuzzer"),
        .executableTarget(
            name: "countertop-fuzz",
            dependencies: ["CLibFuzzer", "FuzzTargets"],
            path: "Tests/FuzzMain",
            swiftSettings: strict,
            linkerSettings: [.unsafeFlags(["-sanitize=address", fuzzerRuntime])]),
    ]
}

// Only `make docs` needs the plug-in.
if Context.environment["COUNTERTOP_DOCS"] == "1" {
    package.dependencies.append(.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"))
}
