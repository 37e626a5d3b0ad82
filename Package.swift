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
let inMemoryLogging = Target.Dependency.product(name: "InMemoryLogging", package: "swift-log")
let serviceLifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let hummingbirdHTTP2 = Target.Dependency.product(name: "HummingbirdHTTP2", package: "hummingbird")
let asyncHTTPClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP2 = Target.Dependency.product(name: "NIOHTTP2", package: "swift-nio-http2")
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let nioHTTPTypesHTTP1 = Target.Dependency.product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")

let package = Package(
    name: "emoji-rangers-parties",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "LiveActivityContent", targets: ["LiveActivityContent"]),
        // With the module whose identifiers, commands and events it speaks in.
        .library(name: "RangersClient", targets: ["RangersClient", "GameCore"]),
        .executable(name: "rangersd", targets: ["rangersd"]),
        .executable(name: "rangersctl", targets: ["rangersctl"]),
        .executable(name: "apns-simulator", targets: ["apns-simulator"]),
        .executable(name: "rangers-demo", targets: ["rangers-demo"]),
        .executable(name: "rangers-bench", targets: ["rangers-bench"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        // Without its support of swift-configuration, which nothing here uses.
        .package(
            url: "https://github.com/hummingbird-project/hummingbird",
            from: "2.28.1",
            traits: ["FullFoundation"]
        ),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // The pure targets: decisions without I/O.
        .target(name: "GameCore", swiftSettings: settings),
        .target(name: "LiveActivityContent", swiftSettings: settings),
        .target(name: "PushRules", dependencies: ["GameCore", "LiveActivityContent"], swiftSettings: settings),
        .target(name: "PushCadence", dependencies: ["GameCore", "PushRules"], swiftSettings: settings),

        // The players' half of REST, for apps: Foundation and no C library below it.
        .target(name: "RangersClient", dependencies: ["GameCore", "LiveActivityContent"], swiftSettings: settings),

        // What is counted, and its text for Prometheus.
        .target(name: "RangersMetrics", swiftSettings: settings),

        // JSON without a type of its own.
        .target(name: "JSONValues", swiftSettings: settings),

        // How the log looks.
        .target(name: "RangersLogging", dependencies: ["GameCore", logging], swiftSettings: settings),

        // The ends: PostgreSQL and HTTP/2, over their C libraries.
        .systemLibrary(name: "CLibpq", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CLinuxLoop"),
        .systemLibrary(name: "CMalloc"),
        .systemLibrary(name: "CNGHTTP2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .target(
            name: "PostgresClient",
            dependencies: ["CLibpq", collections, logging, serviceLifecycle],
            swiftSettings: bindingSettings
        ),
        .target(
            name: "HTTP2Transport",
            dependencies: ["CLinuxLoop", "CNGHTTP2", "COpenSSL", collections, logging],
            swiftSettings: bindingSettings
        ),
        .target(
            name: "APNsClient",
            dependencies: ["COpenSSL", "HTTP2Transport", logging, serviceLifecycle],
            swiftSettings: bindingSettings
        ),
        .target(name: "Digests", dependencies: ["COpenSSL"], swiftSettings: bindingSettings),

        // The domain: what is stored, what plays it, what tells the phones, what serves the players.
        .target(
            name: "GameStore",
            dependencies: ["Digests", "GameCore", "PostgresClient", "RangersMetrics", logging],
            resources: [
                .embedInCode("Migrations/0001_initial.sql"),
                .embedInCode("Migrations/0002_experience.sql"),
                .embedInCode("Migrations/0003_push_to_start.sql"),
                .embedInCode("Migrations/0004_decisions.sql"),
                .embedInCode("Migrations/0005_kept_answers.sql"),
                .embedInCode("Migrations/0006_tokens_and_erasures.sql"),
                .embedInCode("Migrations/0007_claimed_places.sql"),
                .embedInCode("Migrations/0008_audit.sql"),
                .embedInCode("Migrations/0009_campaigns.sql"),
                .embedInCode("Migrations/0010_campaign_runs.sql"),
                .embedInCode("Migrations/0011_asked_pushes.sql"),
                .embedInCode("Migrations/0012_retention.sql"),
                .embedInCode("Migrations/0013_places_of_players.sql"),
                .embedInCode("Migrations/0014_dispatchers.sql"),
                .embedInCode("Migrations/0015_decision_bytes.sql"),
                .embedInCode("Migrations/distributed/0001_citus.sql"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "GameEngine",
            dependencies: ["Digests", "GameCore", "GameStore", "RangersMetrics", logging, serviceLifecycle],
            swiftSettings: settings
        ),
        .target(
            name: "PushDispatcher",
            dependencies: [
                "APNsClient", "Digests", "GameCore", "GameStore", "LiveActivityContent", "PushCadence", "PushRules",
                "RangersMetrics", collections, heap, logging, serviceLifecycle,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "PartyAPI",
            dependencies: [
                "Digests", "GameCore", "GameEngine", "GameStore", "JSONValues", "LiveActivityContent", "PostgresClient",
                "PushCadence", "PushRules", "RangersMetrics", collections, heap, hummingbird, hummingbirdCore,
                hummingbirdHTTP2, httpTypes, logging, nioCore, nioHTTP1, nioHTTP2, nioHTTPTypes, nioHTTPTypesHTTP1,
                nioSSL, serviceLifecycle, yams,
            ],
            resources: [.embedInCode("openapi.yaml")],
            swiftSettings: settings
        ),

        // What watches a node, and is asked by machines.
        .target(
            name: "NodeMonitoring",
            dependencies: [
                "APNsClient", "GameCore", "GameEngine", "GameStore", "PartyAPI", "PostgresClient", "PushDispatcher",
                "RangersMetrics", hummingbird, hummingbirdCore, httpTypes, logging, nioCore, serviceLifecycle,
            ],
            swiftSettings: settings
        ),

        // Apple's stand-in.
        .target(name: "CAlertSounds"),
        .target(
            name: "APNsSimulator",
            dependencies: [
                "CAlertSounds", "COpenSSL", "HTTP2Transport", "LiveActivityContent",
                collections, hummingbird, httpTypes, logging, nioCore, serviceLifecycle,
            ],
            resources: [.embedInCode("Resources")],
            swiftSettings: bindingSettings
        ),

        // Command lines.
        .target(name: "RangersCommandLine", dependencies: [argumentParser], swiftSettings: settings),
        .target(
            name: "RangersSettings",
            dependencies: ["APNsClient", "GameEngine", "PartyAPI", "PushCadence", "RangersLogging", logging],
            swiftSettings: settings
        ),
        .target(
            name: "OperatorCommands",
            dependencies: [
                "APNsClient", "Digests", "GameCore", "JSONValues", "LiveActivityContent", "PushRules",
                "RangersCommandLine", "RangersSettings", argumentParser, asyncHTTPClient, nioCore, nioHTTP1, nioPosix,
                nioSSL,
            ],
            resources: [.embedInCode("Resources")],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "rangersd",
            dependencies: [
                "APNsClient", "CMalloc", "GameCore", "GameEngine", "GameStore", "NodeMonitoring", "PartyAPI",
                "PostgresClient", "PushDispatcher", "PushRules", "RangersCommandLine", "RangersLogging",
                "RangersSettings",
                argumentParser, logging, nioCore, serviceLifecycle, unixSignals,
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "rangersctl",
            dependencies: ["OperatorCommands", "RangersCommandLine"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "apns-simulator",
            dependencies: [
                "APNsSimulator", "GameCore", "RangersClient", "SimulatedPlayers", argumentParser, logging,
                serviceLifecycle, unixSignals,
            ],
            swiftSettings: settings
        ),

        // Players who play by themselves: for the demo and the end-to-end tests.
        .target(
            name: "SimulatedPlayers",
            dependencies: [
                "GameCore", "LiveActivityContent", "PushCadence", "PushRules", "RangersClient", "RangersCommandLine",
                asyncHTTPClient, nioCore, nioHTTP1,
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "rangers-demo",
            dependencies: ["RangersClient", "RangersCommandLine", "SimulatedPlayers", argumentParser, unixSignals],
            swiftSettings: settings
        ),

        // The whole service in one process and in virtual time, with a stand-in for PostgreSQL: for what must always hold.
        .target(
            name: "Simulation",
            dependencies: [
                "APNsClient", "Digests", "GameCore", "GameEngine", "GameStore", "LiveActivityContent",
                "PostgresClient", "PushCadence", "PushDispatcher", "PushRules", heap, logging,
            ],
            swiftSettings: settings
        ),

        // Measurements.
        .target(
            name: "Measurements",
            dependencies: [
                "APNsClient", "CLibpq", "GameCore", "GameEngine", "GameStore", "HTTP2Transport", "PartyAPI",
                "PostgresClient", "PostgresTestSupport", "PushCadence", "PushRules", "RangersClient",
                "RangersCommandLine", "RangersLogging", "RangersMetrics", "SimulatedPlayers", "Simulation",
                argumentParser, hummingbird, httpTypes, logging, nioCore, serviceLifecycle,
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "rangers-bench",
            dependencies: ["Measurements", "RangersCommandLine"],
            swiftSettings: settings
        ),

        // Tests, and the PostgreSQL and the peers of their own that they start.
        .target(name: "PostgresTestSupport", dependencies: ["PostgresClient", logging], swiftSettings: settings),
        .target(name: "GameTestSupport", dependencies: ["GameStore"], swiftSettings: settings),
        .target(name: "PeerTestSupport", dependencies: ["HTTP2Transport"], swiftSettings: settings),
        .executableTarget(
            name: "faulty-peer",
            dependencies: ["HTTP2Transport"],
            path: "Tests/FaultyPeer",
            swiftSettings: settings
        ),
        .testTarget(name: "GameCoreTests", dependencies: ["GameCore"], swiftSettings: settings),
        .testTarget(
            name: "LiveActivityContentTests",
            dependencies: ["LiveActivityContent"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PushRulesTests",
            dependencies: ["GameCore", "LiveActivityContent", "PushRules"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PushCadenceTests",
            dependencies: ["GameCore", "PushCadence", "PushRules"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "RangersLoggingTests",
            dependencies: ["RangersLogging", logging],
            swiftSettings: settings
        ),
        .testTarget(name: "RangersMetricsTests", dependencies: ["RangersMetrics"], swiftSettings: settings),
        .testTarget(
            name: "PostgresClientTests",
            dependencies: ["PostgresClient", "PostgresTestSupport", logging, serviceLifecycle],
            swiftSettings: settings
        ),
        .testTarget(
            name: "HTTP2TransportTests",
            dependencies: ["CNGHTTP2", "HTTP2Transport", "PeerTestSupport", "faulty-peer", collections, logging],
            swiftSettings: settings
        ),
        .testTarget(
            name: "APNsClientTests",
            dependencies: [
                "APNsClient", "COpenSSL", "HTTP2Transport", "PeerTestSupport", "faulty-peer", inMemoryLogging, logging,
                serviceLifecycle,
            ],
            swiftSettings: bindingSettings
        ),
        .testTarget(
            name: "APNsSimulatorTests",
            dependencies: [
                "APNsClient", "APNsSimulator", "COpenSSL", "HTTP2Transport", "LiveActivityContent",
                hummingbird, httpTypes, logging, nioCore, nioEmbedded, serviceLifecycle,
            ],
            swiftSettings: bindingSettings
        ),
        .testTarget(
            name: "GameStoreTests",
            dependencies: [
                "GameCore", "GameStore", "GameTestSupport", "PostgresClient", "PostgresTestSupport", inMemoryLogging,
                logging,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "GameEngineTests",
            dependencies: [
                "GameCore", "GameEngine", "GameStore", "GameTestSupport", "PostgresClient", "PostgresTestSupport",
                "RangersMetrics", logging, serviceLifecycle,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PushDispatcherTests",
            dependencies: [
                "APNsClient", "GameCore", "GameEngine", "GameStore", "GameTestSupport", "HTTP2Transport",
                "LiveActivityContent", "PostgresClient", "PostgresTestSupport", "PushCadence", "PushDispatcher",
                "RangersMetrics", logging, serviceLifecycle,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PartyAPITests",
            dependencies: [
                "APNsClient", "GameCore", "GameEngine", "GameStore", "GameTestSupport", "HTTP2Transport", "JSONValues",
                "PartyAPI", "PostgresClient", "PostgresTestSupport", "PushCadence", "PushDispatcher", hummingbird,
                httpTypes,
                logging, nioCore, nioHTTP1, nioPosix, serviceLifecycle, yams,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "RangersCommandLineTests",
            dependencies: ["RangersCommandLine"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "RangersSettingsTests",
            dependencies: [
                "APNsClient", "GameCore", "GameEngine", "HTTP2Transport", "PartyAPI", "PushCadence", "RangersSettings",
                logging,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "OperatorCommandsTests",
            dependencies: ["OperatorCommands", "PushRules", "RangersCommandLine", argumentParser, asyncHTTPClient],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ExecutablesTests",
            dependencies: [
                "HTTP2Transport", "PostgresTestSupport", "apns-simulator", "rangers-bench", "rangersctl", "rangersd",
                hummingbird, logging, nioCore, serviceLifecycle,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "SimulatedPlayersTests",
            dependencies: [
                "GameCore", "LiveActivityContent", "PushCadence", "PushRules", "RangersClient", "SimulatedPlayers",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "RangersClientTests",
            dependencies: [
                "GameCore", "GameEngine", "GameStore", "LiveActivityContent", "PartyAPI", "PostgresClient",
                "PostgresTestSupport", "PushRules", "RangersClient", "SimulatedPlayers", logging, nioCore, nioPosix,
                serviceLifecycle,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "SimulationTests",
            dependencies: [
                "GameCore", "GameEngine", "GameStore", "LiveActivityContent", "PostgresClient", "PostgresTestSupport",
                "PushRules", "Simulation", logging,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "MeasurementsTests",
            dependencies: [
                "GameCore", "GameEngine", "GameStore", "GameTestSupport", "HTTP2Transport", "Measurements",
                "PostgresClient", "PostgresTestSupport", "PushCadence", "PushRules", "RangersCommandLine", "Simulation",
                argumentParser, httpTypes, logging,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "GameCore", "GameStore", "LiveActivityContent", "PostgresClient", "PostgresTestSupport",
                "RangersClient",
                "SimulatedPlayers", "apns-simulator", "rangers-demo", "rangersctl", "rangersd", logging,
            ],
            swiftSettings: settings
        ),
    ]
)
