import Encodings
import Foundation
import GameCore
import RangersClient
import SimulatedPlayers
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension EndToEndTests {
    @Suite struct PushToStartTests {
        @Test func `an operator's fight starts an activity on each device, and alerts those without Live Activities`()
            async throws
        {
            try await TestDeployment.with { deployment in
                let server = try await deployment.startServer(["RANGERS_CADENCE_START_GRACE": "200ms"])
                let rangers = RangersServer(at: server.url)
                let registered = try await rangers.register("Mina", playing: "spouty")
                let player = rangers.player(with: registered.token)
                let party = try await player.createParty(named: "Closed")
                let app = PhoneAPI(simulator: deployment.simulatorURL)
                let phone = try await device("phone", of: player, app)
                let tablet = try await device("tablet", of: player, app)
                let silent = try await device("tablet without Live Activities", of: player, app, isEnabled: false)

                let fight = try await deployment.console(of: server).startBossFight(
                    against: "glitch",
                    inviteCode: party.inviteCode
                )
                var started: Set<ActivityID> = []
                for device in [phone, tablet] {
                    let activity = try await eventually("an activity on the device") {
                        try await app.started(on: device).first
                    }
                    #expect(activity.adventureID == fight)
                    let destination = try Self.destination(activity.pushToken)
                    try await player.register(activity.activityID, of: fight, on: device, destination: destination)
                    started.insert(activity.activityID)
                }

                let simulator = SimulatorClient(at: deployment.simulatorURL)
                let pushes = try await eventually("the end of the fight on both", within: .seconds(120)) {
                    let pushes = try await simulator.pushes(after: 0)
                    return pushes.count { $0.kind == .end } == 2 ? pushes : nil
                }
                for id in started {
                    let own = pushes.filter { $0.activityID == id }
                    #expect(own.first?.kind == .start)
                    #expect(own.count { $0.kind == .start } == 1)
                    #expect(own.contains { $0.kind == .update })
                    #expect(own.last?.kind == .end)
                }
                #expect(Set(pushes.compactMap(\.activityID)) == started)
                #expect(try await app.started(on: silent).isEmpty)
                // The newest alert is on top, and has replaced those before it.
                try await eventually("the alert of the end") {
                    let pushes = try await simulator.pushes(after: 0)
                    let alerts = try await app.notifications(on: silent)
                    let outcomes = ["Glitch is defeated!", "The party has fallen.", "The adventure is over."]
                    // The first one said that the boss appeared.
                    return alerts.count == 1 && outcomes.contains(alerts[0])
                        && pushes.count { $0.activityID == nil } > 1
                }
                let others = try await simulator.pushes(after: 0).filter { $0.activityID == nil }
                #expect(Set(others.map(\.phoneID)).count == 1)
                #expect(try await simulator.violations().map(\.detail) == [])
            }
        }

        @Test
        func `a raid's activity is started on a device that asks for it, and follows the raid's channel to its end`()
            async throws
        {
            try await TestDeployment.with { deployment in
                let server = try await deployment.startServer([
                    "RANGERS_CADENCE_START_GRACE": "200ms", "RANGERS_CADENCE_RAID_START_DELAY": "1s",
                ])
                let rangers = RangersServer(at: server.url)
                let registered = try await rangers.register("Mina", playing: "spouty")
                let player = rangers.player(with: registered.token)
                let party = try await player.createParty(named: "Raiders")
                let app = PhoneAPI(simulator: deployment.simulatorURL)
                let phone = try await device("phone", of: player, app, followsRaids: true)
                let tablet = try await device("tablet", of: player, app)

                let console = try await deployment.console(of: server)
                let raid = try await console.startRaid(against: "glitch", health: 1_000_000, for: "60s")
                let fight = try await player.joinRaid(raid, with: party.partyID)
                for device in [phone, tablet] {
                    let own = try await eventually("the party's activity") { try await app.started(on: device).first }
                    #expect(own.adventureID == fight.adventureID)
                    let destination = try Self.destination(own.pushToken)
                    try await player.register(
                        own.activityID,
                        of: fight.adventureID,
                        on: device,
                        destination: destination
                    )
                }
                func isRaidShown(on device: DeviceID) async throws -> Bool {
                    try await app.started(on: device).contains { $0.adventureID.rawValue == raid.rawValue }
                }
                try await eventually("the raid's activity", within: .seconds(60)) {
                    try await isRaidShown(on: phone)
                }
                // The last broadcast to the channel ends it.
                try await eventually("the end of the raid's activity", within: .seconds(120)) {
                    try await !isRaidShown(on: phone)
                }
                let simulator = SimulatorClient(at: deployment.simulatorURL)
                let starts = try await simulator.pushes(after: 0).filter { $0.kind == .start }
                #expect(starts.count == 3)
                #expect(try await simulator.violations().map(\.detail) == [])
            }
        }

        /// Adds a device with a closed app to the simulator, and registers it.
        private func device(
            _ label: String,
            of player: PlayerClient,
            _ app: PhoneAPI,
            isEnabled: Bool = true,
            followsRaids: Bool = false
        ) async throws -> DeviceID {
            let text = try #require(try await app.send("POST", "api/phones", ["label": label]).phoneID)
            let token = try await app.send("POST", "api/phones/\(text)/push-to-start-token").pushToken
            let alertToken = try await app.send("POST", "api/phones/\(text)/device-token").pushToken
            let id = DeviceID(rawValue: try #require(UUID(uuidString: text)))
            let settings = DeviceSettings(
                environment: .simulator,
                liveActivitiesEnabled: isEnabled,
                frequentPushesEnabled: true,
                followsRaids: followsRaids,
                pushToStartToken: Data(hexadecimal: try #require(token)),
                alertToken: Data(hexadecimal: try #require(alertToken))
            )
            try await player.register(id, with: settings)
            return id
        }

        private static func destination(_ token: String) throws -> PushDestination {
            let bytes = try #require(Data(hexadecimal: token))
            return PushDestination(pushToken: bytes, environment: .simulator, frequentPushesEnabled: true)
        }
    }

    /// A client for the phone in the simulator's API.
    private struct PhoneAPI: Sendable {
        struct Response: Decodable {
            struct Activity: Decodable {
                let activityID: ActivityID
                let adventureID: AdventureID
                let pushToken: String
            }

            struct Notification: Decodable {
                struct Alert: Decodable { let titleKey: String? }

                let alert: Alert
            }

            let phoneID: String?
            let pushToken: String?
            let notifications: [Notification]?
            let activities: [Activity]?
        }

        let simulator: URL

        /// Returns the activities that pushes have started on a device.
        func started(on device: DeviceID) async throws -> [Response.Activity] {
            try await send("GET", "api/phones/\(device)/started-activities").activities ?? []
        }

        /// Returns the keys of the titles of a device's notifications, newest first.
        func notifications(on device: DeviceID) async throws -> [String] {
            try await send("GET", "api/phones/\(device)").notifications?.compactMap(\.alert.titleKey) ?? []
        }

        func send(_ method: String, _ path: String, _ body: [String: String]? = nil) async throws -> Response {
            let url = simulator.appending(path: path)
            var request = URLRequest(url: url, timeoutInterval: 10)
            request.httpMethod = method
            request.httpBody = try body.map { try JSONEncoder().encode($0) }
            let (data, response) = try await URLSession.shared.data(for: request)
            let status = (response as? HTTPURLResponse)?.statusCode ?? 0
            guard (200..<300).contains(status) else {
                throw TimeLimitExceeded(
                    description: "\(method) \(url): \(status) \(String(decoding: data, as: UTF8.self))"
                )
            }
            return try JSONDecoder().decode(Response.self, from: data)
        }
    }
}
