import Encodings
import Foundation
import GameCore
import GameEngine
import GameLog
import GameStore
import HTTPServing
import HTTPTypes
import Hummingbird
import JSONCoding
import Logging
import PostgresClient
import ServiceRuntime
import Testing

@testable import PartyAPI

/// Compares `openapi.yaml` with the code.
///
/// ``Contract`` validates the responses of all other tests.
@Suite struct OpenAPITests {
    private let contract: Contract

    init() throws {
        contract = try Contract.shared.get()
    }

    @Test func `the document has every route, and every route is in the document`() {
        let logger = Logger(label: "routes", factory: { _ in SwiftLogNoOpLogHandler() })
        let store = GameStore(pool: PostgresPool(configuration: .init(uri: "postgresql:///nowhere"), logger: logger))
        let runtime = Runtime(now: { Timestamp(epochSeconds: 0) }, randomBits: { 0 })
        let wakeSignal = WakeSignal()
        let commands = GameCommands(store: store, settings: GameSettings(), runtime: runtime, wakeSignal: wakeSignal)
        let api = PartyAPI(store: store, commands: commands, runtime: runtime, logger: logger)
        let routes = api.describedRouter().routes.map { route in
            "\(route.method.rawValue) \(route.path.description.replacing(/:(\w+)/) { "{\($0.output.1)}" })"
        }
        #expect(routes.sorted() == contract.operations.map { "\($0.method) \($0.path)" }.sorted())
    }

    @Test func `each operation has a unique identifier and title, a section, and the responses to errors`() {
        let sections = contract.document["tags"].array.map { $0["name"] }
        for operation in contract.operations {
            let node = operation.node
            #expect(contract.operations.count { $0.node["operationId"] == node["operationId"] } == 1)
            #expect(node["tags"].array.count == 1 && sections.contains(node["tags"][0]))
            let title = node["summary"].text
            #expect(title.contains(/^[A-Z][^.:]{3,50}$/), "\(title)")
            #expect(contract.operations.count { $0.node["summary"].text == title } == 1, "\(title)")
            #expect(node["description"].text.trimmingCharacters(in: .newlines).hasSuffix("."), "\(title)")
            guard operation.path.contains("/v1/") else { continue }
            let isOpen = node["security"] == []
            #expect((node["responses"]["401"] == .null) == isOpen, "\(operation.path)")
            for status in ["413", "422", "429", "500", "503"] {
                #expect(node["responses"][status] != .null, "\(operation.method) \(operation.path) \(status)")
            }
            for status in ["400", "415"] {
                #expect((node["responses"][status] == .null) == (node["requestBody"] == .null), "\(operation.path)")
            }
            // Parameters of the path, by name.
            let names = operation.path.matches(of: /{(\w+)}/).map { String($0.output.1) }
            #expect(operation.parameters.filter { $0["in"] == "path" }.map { $0["name"].text } == names)
        }
    }

    @Test func `every reference resolves, and every component is referred to`() {
        var referred: Set<String> = []
        func visit(_ value: JSONValue) {
            if value["$ref"] != .null {
                #expect(contract.schema.resolved(value) != .null, "\(value["$ref"].text)")
                referred.insert(value["$ref"].text)
            }
            value.array.forEach(visit)
            for (_, field) in value.fields { visit(field) }
        }
        visit(contract.document)
        for kind in ["schemas", "responses", "parameters", "headers"] {
            for name in contract.document["components"][kind].keys {
                #expect(referred.contains("#/components/\(kind)/\(name)"))
            }
        }
    }

    @Test func `each kind of problem is described with its status`() {
        let kinds = HTTPProblem.Kind.all
        let listed = contract.document["components"]["schemas"]["ProblemType"]["oneOf"].array
        #expect(
            listed.map { "\($0["const"].text) \($0["title"].text)" }.sorted()
                == kinds.map { "\($0.type) \($0.title)" }.sorted()
        )
        #expect(listed.allSatisfy { $0["description"].text.hasSuffix(".\n") })
        var named: Set<String> = []
        for operation in contract.operations {
            for (status, reference) in operation.node["responses"].fields {
                let parts = contract.schema.resolved(reference)["content"]["application/problem+json"]["schema"][
                    "allOf"
                ]
                #expect(parts.array.isEmpty || parts[0]["$ref"] == "#/components/schemas/Problem")
                #expect(parts.array.isEmpty == !["4", "5"].contains(status.prefix(1)))
                let type = parts[1]["properties"]["type"]
                for type in type["enum"].array + [type["const"]].filter({ $0 != .null }) {
                    named.insert(type.text)
                    let kind = kinds.first { $0.type == type.text }
                    #expect(kind.map { "\($0.status.code)" } == status, "\(type.text)")
                }
            }
        }
        // The introduction names the kinds that any request can get.
        let general: [HTTPProblem.Kind] = [
            .unknownRoute, .wrongMethod, .unknownMethod, .malformedRequest, .requestTooSlow, .headersTooLarge,
        ]
        #expect(Set(kinds.map(\.type)).subtracting(named) == Set(general.map(\.type)))
        let introduction = contract.document["info"]["description"].text
        #expect(general.allSatisfy { introduction.contains("\($0.status.code) `\($0.name)`") })
    }

    @Test func `enumerations match the game's catalogues`() {
        let schemas = contract.document["components"]["schemas"]
        func words(_ name: String) -> [String] { schemas[name]["enum"].array.map(\.text) }
        #expect(words("HeroID") == HeroCatalogue.all.map(\.id.rawValue))
        #expect(words("BossID") == BossCatalogue.all.map(\.id.rawValue))
        #expect(words("RegionID") == RegionCatalogue.all.map(\.id.rawValue))
        #expect(words("Element") == Element.allCases.map(\.rawValue))
        #expect(words("HeroClass") == HeroClass.allCases.map(\.rawValue))
        #expect(words("TurnPolicy") == TurnPolicy.allCases.map(\.rawValue))
        #expect(words("BossMove") == BossMove.allCases.map(\.rawValue))
        #expect(words("AdventureKind") == AdventureKind.allCases.map(\.rawValue))
        #expect(words("Outcome") == AdventureOutcome.allCases.map(\.rawValue))
        #expect(words("Leaderboard") == Leaderboard.allCases.map(\.rawValue))
        #expect(words("LeaderboardPeriod") == LeaderboardPeriod.allCases.map(\.rawValue))
        #expect(words("PushEnvironment") == PushEnvironment.allCases.map(\.rawValue))
        #expect(words("ActivityState") == Activity.State.allCases.map(\.rawValue))
        func words(_ schema: String, _ field: String) -> [String] {
            let property = schemas[schema]["properties"][field]
            return property["const"] == .null ? property["enum"].array.map(\.text) : [property["const"].text]
        }
        #expect(words("LootFound", "rarity") == Rarity.allCases.map(\.rawValue))
        #expect(words("HeroHurt", "cause") == DamageCause.allCases.map(\.rawValue))
        #expect(words("HeroHealed", "source") == HealingSource.allCases.map(\.rawValue))
        #expect(words("ActionTaken", "action") == HeroAction.allCases.map(\.rawValue))
        #expect(words("BossHindered", "hindrance") == Hindrance.allCases.map(\.rawValue))
        let events = schemas["Event"]["oneOf"].array.flatMap { event in
            words(event["$ref"].text.replacing("#/components/schemas/", with: ""), "kind")
        }
        #expect(events.sorted() == AdventureEvent.allKinds.sorted())
        let commands = schemas["Command"]["oneOf"].array.flatMap { command in
            let type = command["properties"]["type"]
            return type["const"] == .null ? type["enum"].array.map(\.text) : [type["const"].text]
        }
        #expect(commands.sorted() == Command.Kind.allCases.map(\.rawValue).sorted())
        #expect(schemas["NewName"]["maxLength"].number == Double(Name.maxBytes))
        #expect(schemas["Party"]["properties"]["capacity"]["maximum"].number == Double(Party.maxCapacity))
    }

    @Test func `every example matches its schema`() {
        var examples = 0
        func visit(_ value: JSONValue, _ path: String) {
            let named = value["examples"].fields.map { $0.value["value"] }
            for example in [value["example"]].filter({ $0 != .null }) + named {
                examples += 1
                for fault in contract.schema.faults(of: example, by: value["schema"]) {
                    Issue.record("\(path): \(fault)")
                }
            }
            for (name, field) in value.fields { visit(field, "\(path)/\(name)") }
            for (index, element) in value.array.enumerated() { visit(element, "\(path)/\(index)") }
        }
        visit(contract.document, "")
        #expect(examples > 40)
    }

    @Test func `every example body is accepted`() async throws {
        try await APIWorld.with { world in
            let player = try await world.player().token
            let admin = try await world.operatorToken(.admin)
            for operation in contract.operations {
                let media = operation.node["requestBody"]["content"]["application/json"]
                let path = operation.path.replacing(/{\w+}/, with: "0198a1b2-0000-7000-8000-000000000001")
                let bodies =
                    [media["example"]].filter { $0 != .null } + media["examples"].fields.map { $0.value["value"] }
                #expect(bodies.isEmpty == (media == .null))
                for body in bodies {
                    let token = path.hasPrefix("/admin") ? admin : player
                    let reply = try await world.client.send(operation.method, path, token: token, body: body)
                    // The resource may not exist, and the node has no connection to APNs.
                    let isTaken = reply.status < 300 || reply.status == 404 || reply.slug == "no-push-route"
                    #expect(isTaken, "\(path) \(body): \(reply.text)")
                }
            }
        }
    }

    @Test func `the document is served without a token`() async throws {
        try await APIWorld.with { world in
            let document = try await world.client.send("GET", "/openapi.yaml")
            #expect(document.status == 200 && document.text == OpenAPIDocument.text)
            #expect(document.header("Content-Type") == "application/yaml")
        }
    }
}
