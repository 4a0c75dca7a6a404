// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "countertop", path: ".."),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        .systemLibrary(name: "CSystemOpenSSL", pkgConfig: "openssl"),
        .systemLibrary(name: "CSystemPCSCLite", pkgConfig: "libpcsclite"),
        .systemLibrary(name: "CSystemSQLite", pkgConfig: "sqlite3"),
        // The same loops in C: what our ratios are measured against.
        .target(name: "CBaseline", dependencies: ["CSystemOpenSSL", "CSystemPCSCLite", "CSystemSQLite"]),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "CBaseline",
                .product(name: "APDUTrace", package: "countertop"),
                .product(name: "AppleVAS", package: "countertop"),
                .product(name: "BERTLV", package: "countertop"),
                .product(name: "CardTesting", package: "countertop"),
                .product(name: "EMVContactless", package: "countertop"),
                .product(name: "EmulatedWallet", package: "countertop"),
                .product(name: "ISO7816", package: "countertop"),
                .product(name: "InAppProvisioning", package: "countertop"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "LoyaltyFeed", package: "countertop"),
                .product(name: "PCSC", package: "countertop"),
                .product(name: "WalletCrypto", package: "countertop"),
                // Not linked: built beside it, to be started.
                .product(name: "countertop", package: "countertop"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)
