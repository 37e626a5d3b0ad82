// swift-tools-version: 6.2
import PackageDescription

/// Every target of ours compiles under the same rules; a warning is an error.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// Targets that touch C mark every such call with `unsafe`, so that it can be reviewed.
let bindingSettings = settings + [.strictMemorySafety()]

let collections = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let heap = Target.Dependency.product(name: "HeapModule", package: "swift-collections")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let serviceLifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let configuration = Target.Dependency.product(name: "Configuration", package: "swift-configuration")

let package = Package(
    name: "emoji-rangers-parties",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "LiveActivityContent", targets: ["LiveActivityContent"]),
        .executable(name: "rangersd", targets: ["rangersd"]),
        .executable(name: "rangersctl", targets: ["rangersctl"]),
        .executable(name: "apns-simulator", targets: ["apns-simulator"]),
        .executable(name: "rangers-demo", targets: ["rangers-demo"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // The pure targets: decisions without I/O.
        .target(name: "GameCore", swiftSettings: settings),
        .target(name: "LiveActivityContent", swiftSettings: settings),
        .target(name: "PushRules", dependencies: ["GameCore", "LiveActivityContent"], swiftSettings: settings),
        .target(name: "PushCadence", dependencies: ["GameCore", "PushRules"], swiftSettings: settings),

        // The ends: PostgreSQL and HTTP/2, over their C libraries.
        .systemLibrary(name: "CLibpq", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CNGHTTP2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .target(
            name: "PostgresClient",
            dependencies: ["CLibpq", collections, logging, serviceLifecycle],
            swiftSettings: bindingSettings
        ),
        .target(
            name: "HTTP2Transport",
            dependencies: ["CNGHTTP2", "COpenSSL", collections, logging],
            swiftSettings: bindingSettings
        ),
        .target(
            name: "APNsClient",
            dependencies: ["COpenSSL", "HTTP2Transport", "LiveActivityContent", logging, serviceLifecycle],
            swiftSettings: bindingSettings
        ),
        .target(name: "Digests", dependencies: ["COpenSSL"], swiftSettings: bindingSettings),

        // The domain: what is stored, what plays it, what tells the phones, what serves the players.
        .target(
            name: "GameStore",
            dependencies: ["Digests", "GameCore", "PostgresClient"],
            resources: [.embedInCode("Migrations/0001_initial.sql")],
            swiftSettings: settings
        ),
        .target(
            name: "GameEngine",
            dependencies: ["Digests", "GameCore", "GameStore", logging, serviceLifecycle],
            swiftSettings: settings
        ),
        .target(
            name: "PushDispatcher",
            dependencies: [
                "APNsClient", "Digests", "GameCore", "GameStore", "LiveActivityContent", "PushCadence", "PushRules",
                heap, logging, serviceLifecycle,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "PartyAPI",
            dependencies: ["Digests", "GameCore", "GameEngine", "GameStore", "PostgresClient", hummingbird, logging],
            swiftSettings: settings
        ),

        // Apple's stand-in, and the players who use it.
        .target(
            name: "APNsSimulator",
            dependencies: [
                "COpenSSL", "HTTP2Transport", "LiveActivityContent", hummingbird, logging, serviceLifecycle,
            ],
            swiftSettings: bindingSettings
        ),
    ]
)
