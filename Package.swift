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

/// The settings of targets that call C: every such call is marked `unsafe`, so that it can be reviewed.
let bindingSettings = settings + [.strictMemorySafety()]

/// The settings of the simulation, of which a release build runs many thousand seeds.
///
/// It leaves the checks of exclusive access to debug builds. No product for other packages contains this target.
let simulationSettings =
    settings + [.unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))]

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let asyncHTTPClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let coreMetrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")
let dequeModule = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let heapModule = Target.Dependency.product(name: "HeapModule", package: "swift-collections")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let hummingbirdHTTP2 = Target.Dependency.product(name: "HummingbirdHTTP2", package: "hummingbird")
let inMemoryLogging = Target.Dependency.product(name: "InMemoryLogging", package: "swift-log")
let inMemoryTracing = Target.Dependency.product(name: "InMemoryTracing", package: "swift-distributed-tracing")
let instrumentation = Target.Dependency.product(name: "Instrumentation", package: "swift-distributed-tracing")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioHTTP2 = Target.Dependency.product(name: "NIOHTTP2", package: "swift-nio-http2")
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let nioHTTPTypesHTTP1 = Target.Dependency.product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let serviceLifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let tracing = Target.Dependency.product(name: "Tracing", package: "swift-distributed-tracing")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")

/// A group of targets with a folder of its own; CONTRIBUTING.md says which may import which.
struct Area {
    let folder: String

    /// A library in `Sources/AREA/NAME`.
    func library(
        _ name: String,
        _ dependencies: [Target.Dependency] = [],
        exclude: [String] = [],
        resources: [Resource] = [],
        settings: [SwiftSetting] = settings
    ) -> Target {
        .target(
            name: name,
            dependencies: dependencies,
            path: "Sources/\(folder)/\(name)",
            exclude: exclude,
            resources: resources,
            swiftSettings: settings
        )
    }

    /// An executable in `Sources/AREA/NAME`.
    func executable(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
        .executableTarget(
            name: name,
            dependencies: dependencies,
            path: "Sources/\(folder)/\(name)",
            swiftSettings: settings
        )
    }

    /// A library of the system in `Sources/AREA/NAME`.
    func systemLibrary(_ name: String, pkgConfig: String? = nil, apt package: String? = nil) -> Target {
        .systemLibrary(
            name: name,
            path: "Sources/\(folder)/\(name)",
            pkgConfig: pkgConfig,
            providers: package.map { [.apt([$0])] }
        )
    }

    /// The tests of `subject`, in `Tests/AREA/SUBJECTTests`.
    func tests(
        of subject: String,
        _ dependencies: [Target.Dependency],
        settings: [SwiftSetting] = settings
    ) -> Target {
        .testTarget(
            name: "\(subject)Tests",
            dependencies: dependencies,
            path: "Tests/\(folder)/\(subject)Tests",
            swiftSettings: settings
        )
    }
}

let c = Area(folder: "C")
let support = Area(folder: "Support")
let game = Area(folder: "Game")
let push = Area(folder: "Push")
let storage = Area(folder: "Storage")
let apns = Area(folder: "APNs")
let serving = Area(folder: "Serving")
let client = Area(folder: "Client")
let operating = Area(folder: "Operating")
let executables = Area(folder: "Executables")
let tools = Area(folder: "Tools")

#if os(Linux)
/// A stub of one of Apple's frameworks in `Tests/AppleStubs/NAME`, for tests of code that only Apple's platforms compile.
func appleStub(
    _ name: String,
    _ dependencies: [Target.Dependency] = [],
    settings: [SwiftSetting] = settings
) -> Target {
    .target(name: name, dependencies: dependencies, path: "Tests/AppleStubs/\(name)", swiftSettings: settings)
}

let appleStubTargets: [Target] = [
    appleStub("ActivityKit"),
    // `LiveActivities` once more, which RangersClient has on Apple's platforms only.
    appleStub(
        "LiveActivitiesOnStubs",
        ["ActivityKit", "GameCore", "LiveActivityContent", "RangersClient", "WidgetKit"],
        settings: settings + [.define("APPLE_STUBS")]
    ),
    appleStub("AppIntents", ["ActivityKit", "SwiftUI"]),
    appleStub("SwiftUI"),
    appleStub("UIKit"),
    appleStub("UserNotifications"),
    appleStub("WidgetKit", ["ActivityKit", "SwiftUI"]),
    // The two targets of Examples/EmojiRangers.
    appleStub(
        "EmojiRangersOnStubs",
        [
            "ActivityKit", "AppIntents", "GameCore", "LiveActivitiesOnStubs", "LiveActivityContent", "RangersClient",
            "SwiftUI", "UIKit", "UserNotifications",
        ]
    ),
    appleStub(
        "EmojiRangersWidgetsOnStubs",
        [
            "ActivityKit", "AppIntents", "GameCore", "LiveActivitiesOnStubs", "LiveActivityContent", "RangersClient",
            "SwiftUI", "WidgetKit",
        ],
        // As in new projects of Xcode 26, into which the example is copied.
        settings: settings + [.defaultIsolation(MainActor.self)]
    ),
]
let appleStubs: [Target.Dependency] = ["ActivityKit", "LiveActivitiesOnStubs"]
#else
let appleStubTargets: [Target] = []
let appleStubs: [Target.Dependency] = []
#endif

let cTargets: [Target] = [
    c.systemLibrary("CLibpq", pkgConfig: "libpq", apt: "libpq-dev"),
    c.systemLibrary("CLinuxLoop"),
    c.systemLibrary("CMalloc"),
    c.systemLibrary("CNGHTTP2", pkgConfig: "libnghttp2", apt: "libnghttp2-dev"),
    c.systemLibrary("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev"),
    .target(name: "CEmbeddedFiles", path: "Sources/C/CEmbeddedFiles"),
]

let supportTargets: [Target] = [
    support.library("Cryptography", ["COpenSSL", "Encodings"], settings: bindingSettings),
    support.library("EmbeddedFiles", ["CEmbeddedFiles"], settings: bindingSettings),
    support.library("Encodings"),
    support.library("JSONCoding"),
    support.library("RangersLogging", ["Encodings", logging]),
    support.library("RangersMetrics", [coreMetrics]),
    support.library("ServiceRuntime", ["CLinuxLoop", "CMalloc", "Encodings"], settings: bindingSettings),

    support.tests(of: "Cryptography", ["Cryptography", "Encodings"]),
    support.tests(of: "Encodings", ["Encodings"]),
    support.tests(of: "JSONCoding", ["JSONCoding"]),
    support.tests(of: "RangersLogging", ["Encodings", "RangersLogging", logging]),
    support.tests(of: "RangersMetrics", ["RangersMetrics", coreMetrics]),
]

let gameTargets: [Target] = [
    game.library("GameCore", ["Encodings"]),
    game.library("GameLog", ["Encodings", "GameCore"]),

    game.tests(of: "GameCore", ["Encodings", "GameCore", "TestSupport"]),
    game.tests(of: "GameLog", ["Encodings", "GameCore", "GameLog"]),
]

let pushTargets: [Target] = [
    push.library("LiveActivityContent", ["JSONCoding"]),
    push.library("PushRules", ["Encodings", "GameCore", "LiveActivityContent"]),
    push.library("PushCadence", ["Encodings", "GameCore", "GameLog", "PushRules"]),
    push.library(
        "PushDispatch",
        [
            "Cryptography", "Encodings", "GameCore", "GameLog", "LiveActivityContent", "PushCadence", "PushRules",
            dequeModule, heapModule,
        ]
    ),
    push.library(
        "PushDispatcher",
        [
            "APNsClient", "Encodings", "GameCore", "GameLog", "GameStore", "LiveActivityContent",
            "PushCadence", "PushDispatch", "PushRules", "RangersMetrics", "ServiceRuntime",
            instrumentation, logging, serviceLifecycle, tracing,
        ]
    ),

    push.tests(of: "LiveActivityContent", ["LiveActivityContent"]),
    push.tests(of: "PushRules", ["Encodings", "GameCore", "LiveActivityContent", "PushRules", "TestSupport"]),
    push.tests(of: "PushCadence", ["Encodings", "GameCore", "GameLog", "PushCadence", "PushRules", "TestSupport"]),
    push.tests(
        of: "PushDispatch",
        [
            "Encodings", "GameCore", "GameLog", "LiveActivityContent", "PushCadence", "PushDispatch", "PushRules",
            "Simulation", "TestSupport",
        ]
    ),
    push.tests(
        of: "PushDispatcher",
        [
            "APNsClient", "APNsSimulator", "Cryptography", "Encodings", "GameCore", "GameEngine", "GameLog",
            "GameStore",
            "GameTestSupport", "HTTP2Transport", "LiveActivityContent", "PostgresClient", "PushCadence", "PushDispatch",
            "PushDispatcher", "PushRules", "RangersMetrics", "ServiceRuntime", "TestSupport", inMemoryTracing, logging,
            serviceLifecycle, tracing,
        ]
    ),
]

let storageTargets: [Target] = [
    storage.library(
        "PostgresClient",
        ["CLibpq", dequeModule, logging, serviceLifecycle],
        settings: bindingSettings
    ),
    storage.library(
        "GameStore",
        [
            "Cryptography", "Encodings", "GameCore", "GameLog", "PostgresClient", "RangersMetrics", instrumentation,
            logging,
        ],
        resources: [
            .embedInCode("Migrations/0001_initial.sql"),
            .embedInCode("Migrations/0002_protections.sql"),
            .embedInCode("Migrations/0003_devices.sql"),
            .embedInCode("Migrations/0004_identity.sql"),
            .embedInCode("Migrations/0005_receipts.sql"),
            .embedInCode("Migrations/0006_apple.sql"),
            .embedInCode("Migrations/0007_alert_preferences.sql"),
            .embedInCode("Migrations/0008_progress.sql"),
            .embedInCode("Migrations/0009_fallback.sql"),
            .embedInCode("Migrations/0010_widgets.sql"),
            .embedInCode("Migrations/0011_leaderboard_names.sql"),
            .embedInCode("Migrations/0012_channels.sql"),
            .embedInCode("Migrations/0013_raids.sql"),
            .embedInCode("Migrations/0014_spectators.sql"),
            .embedInCode("Migrations/0015_raid_indexes.sql"),
            .embedInCode("Migrations/0016_raid_starts.sql"),
            .embedInCode("Migrations/0017_player_search.sql"),
            .embedInCode("Migrations/distributed/0001_citus.sql"),
            .embedInCode("Migrations/distributed/0002_protections_citus.sql"),
            .embedInCode("Migrations/distributed/0003_devices_citus.sql"),
            .embedInCode("Migrations/distributed/0004_identity_citus.sql"),
            .embedInCode("Migrations/distributed/0005_receipts_citus.sql"),
            .embedInCode("Migrations/distributed/0006_apple_citus.sql"),
            .embedInCode("Migrations/distributed/0007_progress_citus.sql"),
            .embedInCode("Migrations/distributed/0008_channels_citus.sql"),
            .embedInCode("Migrations/distributed/0009_raids_citus.sql"),
            .embedInCode("Migrations/distributed/0010_spectators_citus.sql"),
        ]
    ),
    storage.library(
        "GameEngine",
        [
            "Encodings", "GameCore", "GameLog", "GameStore", "RangersMetrics", "ServiceRuntime", logging,
            serviceLifecycle, tracing,
        ]
    ),

    storage.tests(of: "PostgresClient", ["CLibpq", "PostgresClient", "PrivatePostgres", logging, serviceLifecycle]),
    storage.tests(
        of: "GameStore",
        [
            "Encodings", "GameCore", "GameFixtures", "GameLog", "GameStore", "GameTestSupport", "PostgresClient",
            "PrivatePostgres", "RangersMetrics", "TestSupport", inMemoryLogging, inMemoryTracing, logging, tracing,
        ]
    ),
    storage.tests(
        of: "GameEngine",
        [
            "Encodings", "GameCore", "GameEngine", "GameLog", "GameStore", "GameTestSupport", "PostgresClient",
            "PrivatePostgres", "RangersMetrics", "ServiceRuntime", "TestSupport", logging,
        ]
    ),
]

let apnsTargets: [Target] = [
    apns.library(
        "HTTP2Transport",
        ["CLinuxLoop", "CNGHTTP2", "COpenSSL", "Cryptography", "Encodings", dequeModule, logging],
        settings: bindingSettings
    ),
    apns.library(
        "APNsClient",
        ["Cryptography", "Encodings", "HTTP2Transport", logging, serviceLifecycle]
    ),

    .executableTarget(
        name: "faulty-peer",
        dependencies: ["Encodings", "HTTP2Transport"],
        path: "Tests/APNs/FaultyPeer",
        swiftSettings: settings
    ),
    apns.tests(
        of: "HTTP2Transport",
        ["CNGHTTP2", "Encodings", "HTTP2Transport", "TestSupport", "faulty-peer", dequeModule, logging]
    ),
    apns.tests(
        of: "APNsClient",
        [
            "APNsClient", "Cryptography", "Encodings", "HTTP2Transport", "TestSupport", "faulty-peer", inMemoryLogging,
            logging, serviceLifecycle,
        ]
    ),
]

let servingTargets: [Target] = [
    serving.library(
        "HTTPServing",
        [
            "Encodings", "JSONCoding", "RangersMetrics", "ServiceRuntime", dequeModule, heapModule, httpTypes,
            hummingbird, hummingbirdCore, hummingbirdHTTP2, instrumentation, logging, nioCore, nioHTTP1, nioHTTP2,
            nioHTTPTypes, nioHTTPTypesHTTP1, nioSSL, serviceLifecycle, tracing,
        ]
    ),
    serving.library(
        "PartyAPI",
        [
            "Cryptography", "EmbeddedFiles", "Encodings", "GameCore", "GameEngine", "GameLog", "GameStore",
            "HTTPServing", "JSONCoding", "LiveActivityContent", "PushCadence", "PushDispatch", "PushRules",
            "RangersMetrics", "ServiceRuntime", "SignInWithApple", heapModule, httpTypes, hummingbird, logging, nioCore,
            serviceLifecycle, yams,
        ],
        exclude: ["openapi.yaml"],
        resources: [.embedInCode("Description/docs.css"), .embedInCode("Description/docs.js")]
    ),
    serving.library(
        "NodeSettings",
        ["GameEngine", "HTTPServing", "PushCadence", "RangersLogging", "RangersSettings", "SignInWithApple", logging]
    ),
    serving.library(
        "NodeMonitoring",
        [
            "APNsClient", "Encodings", "GameCore", "GameEngine", "GameStore", "HTTPServing", "PartyAPI",
            "PostgresClient", "PushDispatcher", "PushRules", "RangersMetrics", "ServiceRuntime", httpTypes,
            hummingbird, hummingbirdCore, logging, nioCore, serviceLifecycle,
        ]
    ),
    serving.library(
        "SignInWithApple",
        ["Cryptography", "Encodings", "HTTP2Transport", "ServiceRuntime", logging]
    ),

    serving.tests(
        of: "SignInWithApple",
        ["Cryptography", "Encodings", "HTTP2Transport", "ServiceRuntime", "SignInWithApple", "TestSupport"]
    ),
    serving.tests(
        of: "HTTPServing",
        [
            "Encodings", "Floods", "GameTestSupport", "HTTP2Transport", "HTTPServing", "ServiceRuntime", "TestSupport",
            hummingbird, logging, nioCore, serviceLifecycle,
        ]
    ),
    serving.tests(
        of: "NodeSettings",
        [
            "APNsClient", "Encodings", "GameCore", "GameEngine", "HTTPServing", "NodeSettings", "PushCadence",
            "RangersSettings", "SignInWithApple", logging,
        ]
    ),
    serving.tests(
        of: "NodeMonitoring",
        [
            "APNsClient", "Cryptography", "Encodings", "GameCore", "GameStore", "HTTP2Transport", "HTTPServing",
            "NodeMonitoring", "PartyAPI", "PushCadence", "PushDispatcher", "RangersMetrics", "ServiceRuntime", logging,
        ]
    ),
    serving.tests(
        of: "PartyAPI",
        [
            "APNsClient", "Cryptography", "Encodings", "GameCore", "GameEngine", "GameLog", "GameStore",
            "GameTestSupport", "HTTPServing", "JSONCoding", "NodeMonitoring", "PartyAPI", "PostgresClient",
            "PrivatePostgres", "PushCadence", "PushDispatch", "PushDispatcher", "RangersMetrics", "ServiceRuntime",
            "SignInWithApple", "TestSupport", httpTypes, hummingbird, logging, nioCore, nioHTTP1, nioPosix,
            serviceLifecycle, yams,
        ]
    ),
]

let clientTargets: [Target] = [
    client.library("RangersClient", ["Encodings", "GameCore", "LiveActivityContent", "PushRules"]),

    client.tests(
        of: "RangersClient",
        [
            "Encodings", "GameCore", "GameEngine", "GameLog", "GameStore", "GameTestSupport", "HTTPServing",
            "LiveActivityContent", "PartyAPI", "PushRules", "RangersClient", "ServiceRuntime", "SimulatedPlayers",
            "TestSupport", nioCore, nioPosix,
        ] + appleStubs
    ),
]

let operatingTargets: [Target] = [
    operating.library("CommandLineSupport", [argumentParser]),
    operating.library("RangersSettings", ["APNsClient"]),
    operating.library(
        "OperatorCommands",
        [
            "APNsClient", "CommandLineSupport", "Cryptography", "EmbeddedFiles", "Encodings", "GameCore", "JSONCoding",
            "PushRules", "RangersClient", "RangersSettings", argumentParser, asyncHTTPClient, nioCore, nioHTTP1,
            nioPosix, nioSSL,
        ]
    ),

    operating.tests(of: "CommandLineSupport", ["CommandLineSupport"]),
    operating.tests(of: "RangersSettings", ["APNsClient", "Cryptography", "RangersSettings"]),
    operating.tests(
        of: "OperatorCommands",
        [
            "APNsClient", "CommandLineSupport", "Cryptography", "OperatorCommands", "PushRules", "RangersClient",
            "RangersSettings", "TestSupport", argumentParser, asyncHTTPClient,
        ]
    ),
]

let executableTargets: [Target] = [
    executables.library(
        "RangersNode",
        [
            "APNsClient", "CommandLineSupport", "Encodings", "GameCore", "GameEngine", "GameStore", "HTTPServing",
            "NodeMonitoring", "NodeSettings", "PartyAPI", "PostgresClient", "PushDispatcher", "RangersLogging",
            "RangersMetrics", "RangersSettings", "ServiceRuntime", "SignInWithApple", argumentParser, coreMetrics,
            logging, nioCore, serviceLifecycle, unixSignals,
        ]
    ),
    executables.executable("rangersd", ["RangersNode"]),
    executables.executable("rangersctl", ["CommandLineSupport", "OperatorCommands"]),

    executables.tests(
        of: "Executables",
        [
            "Cryptography", "Encodings", "HTTP2Transport", "PrivatePostgres", "RangersNode", "ServiceRuntime",
            "TestSupport", "apns-simulator", "rangers-bench", "rangersctl", "rangersd", hummingbird, logging, nioCore,
            serviceLifecycle,
        ]
    ),
    executables.tests(
        of: "EndToEnd",
        [
            "Encodings", "GameCore", "GameLog", "GameStore", "LiveActivityContent", "PostgresClient",
            "PrivatePostgres", "RangersClient", "SimulatedPlayers", "TestSupport", "apns-simulator", "rangers-demo",
            "rangersctl", "rangersd", "tracing-node", logging,
        ]
    ),
    .executableTarget(
        name: "tracing-node",
        dependencies: ["RangersNode", inMemoryTracing, instrumentation, serviceLifecycle, tracing],
        path: "Tests/Executables/TracingNode",
        swiftSettings: settings
    ),
]

let toolTargets: [Target] = [
    tools.library(
        "APNsSimulator",
        [
            "Cryptography", "EmbeddedFiles", "Encodings", "HTTP2Transport", "LiveActivityContent", "ServiceRuntime",
            dequeModule, httpTypes, hummingbird, logging, nioCore, serviceLifecycle,
        ],
        resources: [.embedInCode("Resources")],
        settings: bindingSettings
    ),
    tools.executable(
        "apns-simulator",
        [
            "APNsSimulator", "CommandLineSupport", "Cryptography", "Encodings", "GameCore", "RangersClient",
            "ServiceRuntime", "SimulatedPlayers", argumentParser, logging, serviceLifecycle, unixSignals,
        ]
    ),
    tools.library(
        "SimulatedPlayers",
        [
            "CommandLineSupport", "Encodings", "GameCore", "LiveActivityContent", "PushCadence", "PushRules",
            "RangersClient", asyncHTTPClient, nioCore, nioHTTP1,
        ]
    ),
    tools.executable(
        "rangers-demo",
        ["CommandLineSupport", "PushCadence", "RangersClient", "SimulatedPlayers", argumentParser, unixSignals]
    ),
    tools.library(
        "Simulation",
        [
            "APNsClient", "Cryptography", "Encodings", "GameCore", "GameEngine", "GameLog", "GameStore",
            "LiveActivityContent", "PostgresClient", "PushCadence", "PushDispatch", "PushDispatcher", "PushRules",
            "ServiceRuntime", heapModule, logging,
        ],
        settings: simulationSettings
    ),
    tools.library(
        "Benchmarks",
        [
            "APNsClient", "CommandLineSupport", "Cryptography", "Encodings", "Floods", "GameCore", "GameEngine",
            "GameFixtures", "GameLog", "GameStore", "HTTP2Transport", "LiveActivityContent", "PartyAPI",
            "PostgresClient",
            "PrivatePostgres", "PushCadence", "PushDispatch", "PushRules", "RangersClient", "RangersMetrics",
            "ServiceRuntime", "SimulatedPlayers", "Simulation", argumentParser, httpTypes, hummingbird, logging,
        ]
    ),
    tools.library("Floods", ["Encodings", nioCore, nioPosix, nioSSL]),
    tools.executable("rangers-bench", ["Benchmarks", "CommandLineSupport"]),
    tools.library("GameFixtures", ["Encodings", "GameCore", "GameLog", "GameStore", "PostgresClient"]),
    tools.library("PrivatePostgres", ["PostgresClient", logging]),
    tools.library(
        "TestSupport",
        ["Cryptography", "Encodings", "HTTP2Transport", inMemoryLogging, logging, serviceLifecycle]
    ),
    tools.library(
        "GameTestSupport",
        [
            "Encodings", "GameCore", "GameEngine", "GameLog", "GameStore", "PostgresClient", "PrivatePostgres",
            "RangersMetrics", "ServiceRuntime", "SignInWithApple", "TestSupport", logging, nioCore, nioPosix,
        ]
    ),

    tools.tests(
        of: "APNsSimulator",
        [
            "APNsClient", "APNsSimulator", "Cryptography", "EmbeddedFiles", "Encodings", "Floods", "HTTP2Transport",
            "LiveActivityContent",
            "ServiceRuntime", httpTypes, hummingbird, logging, nioCore, nioEmbedded, serviceLifecycle,
        ],
        settings: bindingSettings
    ),
    tools.tests(
        of: "SimulatedPlayers",
        [
            "Encodings", "GameCore", "LiveActivityContent", "PushCadence", "PushRules", "RangersClient",
            "SimulatedPlayers", "TestSupport",
        ]
    ),
    tools.tests(
        of: "Simulation",
        [
            "APNsClient", "Encodings", "GameCore", "GameEngine", "GameLog", "GameStore", "LiveActivityContent",
            "PostgresClient", "PrivatePostgres", "PushCadence", "PushDispatch", "PushRules", "ServiceRuntime",
            "Simulation", "TestSupport", logging,
        ]
    ),
    tools.tests(
        of: "Benchmarks",
        [
            "Benchmarks", "CommandLineSupport", "Encodings", "GameCore", "GameEngine", "GameFixtures", "GameLog",
            "GameStore", "GameTestSupport", "HTTP2Transport", "PostgresClient", "PrivatePostgres", "PushCadence",
            "PushDispatch", "PushRules", "ServiceRuntime", "SimulatedPlayers", "Simulation", "TestSupport",
            argumentParser, httpTypes, logging,
        ]
    ),
]

let package = Package(
    name: "emoji-rangers-parties",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "LiveActivityContent", targets: ["LiveActivityContent"]),
        // With the modules whose identifiers, commands, events and moments it speaks in.
        .library(name: "RangersClient", targets: ["RangersClient", "GameCore", "Encodings"]),
        // `rangersd` for programs that add a tracer or other services.
        .library(name: "RangersNode", targets: ["RangersNode"]),
        .executable(name: "rangersd", targets: ["rangersd"]),
        .executable(name: "rangersctl", targets: ["rangersctl"]),
        .executable(name: "apns-simulator", targets: ["apns-simulator"]),
        .executable(name: "rangers-demo", targets: ["rangers-demo"]),
        .executable(name: "rangers-bench", targets: ["rangers-bench"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
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
    targets: cTargets + supportTargets + gameTargets + pushTargets + storageTargets + apnsTargets + servingTargets
        + clientTargets + operatingTargets + executableTargets + toolTargets + appleStubTargets
)
