import Encodings
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle

/// The page of the phone wall, and the API for the page, scripts and tests.
struct WallAPI: Sendable {
    /// The default and maximum number of pushes in one response.
    private static let maxPushesPerResponse = 1000

    let simulator: SimulatorState
    let players: (any PhonePlayers)?
    /// The identifier that distinguishes this run from others at the same address.
    let runID: UUID
    /// The configured host of the page.
    var httpHost = "127.0.0.1"
    /// The addresses for senders; nil without APNs endpoints.
    var endpoints: Endpoints?

    /// The addresses for senders, and the app.
    struct Endpoints: Encodable, Sendable {
        let apnsHost: String
        let apnsPort: Int
        let channelsPort: Int
        let bundleID: String
    }

    /// Returns a router with all routes.
    func router() -> Router<WallContext> {
        let router = Router(context: WallContext.self)
        router.add(middleware: SimulatorProblemMiddleware())
        router.add(middleware: SameOriginMiddleware(httpHost: httpHost))
        router.get("/") { _, _ in WallPage.response(for: "index.html") }
        router.get("raid") { _, _ in WallPage.response(for: "raid.html") }
        router.get("page/:file") { _, context in
            guard let response = WallPage.response(for: try context.parameters.require("file")) else {
                throw SimulatorProblem.notFound
            }
            return response
        }
        router.get("page/sounds/:file") { _, context in
            guard let response = WallPage.sound(for: try context.parameters.require("file")) else {
                throw SimulatorProblem.notFound
            }
            return response
        }
        router.get("healthz") { _, _ in Response(json: ["status": "ok"]) }
        router.get("api/endpoints") { _, _ in
            guard let endpoints else { throw SimulatorProblem.notFound }
            return Response(json: endpoints)
        }
        router.get("api/phones") { _, _ in
            Response(json: ["phones": simulator.read(\.phones).map(view)])
        }
        router.get("api/pushes") { request, context in try pushes(request, context) }
        router.get("api/violations") { _, _ in Response(json: ["violations": simulator.read(\.violations)]) }
        router.get("api/events") { _, context in events(to: context.channel) }
        router.post("api/phones", use: addPhone)
        router.get("api/phones/:phoneID") { _, context in
            let phoneID = try context.phoneID
            let phone = try simulator.read { wall throws(WallError) in try wall.phone(phoneID) }
            return Response(json: view(phone))
        }
        router.patch("api/phones/:phoneID", use: changePhone)
        for kind in AppToken.Kind.allCases {
            router.post("api/phones/:phoneID/\(kind.rawValue)") { _, context in
                let token = try simulator.renewToken(kind, of: try context.phoneID)
                return Response(status: .created, json: ["pushToken": token.hexadecimal])
            }
        }
        router.put("api/phones/:phoneID/widgets") { request, context in
            let body = try await context.decode(NewWidgets.self, from: request)
            try simulator.setWidgets(body.content, of: try context.phoneID)
            return Response(status: .noContent)
        }
        router.get("api/phones/:phoneID/started-activities") { _, context in
            let phoneID = try context.phoneID
            let phone = try simulator.read { wall throws(WallError) in try wall.phone(phoneID) }
            let now = simulator.time
            let started = phone.activities.filter { $0.isStartedByPush && $0.end(at: now) == nil }
            return Response(json: ["activities": started.map(StartedActivityView.init)])
        }
        router.get("api/phones/:phoneID/running-activities") { _, context in
            let phoneID = try context.phoneID
            let phone = try simulator.read { wall throws(WallError) in try wall.phone(phoneID) }
            return Response(json: RunningActivitiesView(phone, at: simulator.time))
        }
        router.post("api/phones/:phoneID/activities", use: startActivity)
        router.post("api/phones/:phoneID/activities/:activityID/rotate") { _, context in
            let token = try simulator.rotateToken(of: try context.activityID, on: try context.phoneID)
            return Response(json: ["pushToken": token.hexadecimal])
        }
        router.delete("api/phones/:phoneID/activities/:activityID") { _, context in
            try simulator.swipeAway(try context.activityID, on: try context.phoneID)
            return Response(status: .noContent)
        }
        router.put("api/subscribers") { request, context in
            let body = try await context.decode(NewSubscribers.self, from: request)
            guard body.errors.isEmpty else { throw SimulatorProblem.invalidFields(body.errors) }
            try simulator.setCrowd(of: body.channelID, to: body.subscribers)
            return Response(status: .noContent)
        }
        FaultAPI(simulator: simulator).addRoutes(to: router)
        PlayerAPI(simulator: simulator, players: players).addRoutes(to: router)
        return router
    }

    private func view(_ phone: Phone) -> PhoneView {
        PhoneView(phone, in: simulator.catalog, at: simulator.time)
    }

    private func addPhone(_ request: Request, _ context: WallContext) async throws -> Response {
        let body = try await context.decode(NewPhone.self, from: request)
        guard body.errors.isEmpty else { throw SimulatorProblem.invalidFields(body.errors) }
        let phone = try simulator.addPhone(
            label: body.label,
            locale: body.locale ?? "en",
            frequentPushesEnabled: body.frequentPushesEnabled ?? true,
            liveActivitiesEnabled: body.liveActivitiesEnabled ?? true,
            model: body.model ?? .iPhone,
            owner: body.owner
        )
        return Response(status: .created, json: view(phone))
    }

    private func changePhone(_ request: Request, _ context: WallContext) async throws -> Response {
        let body = try await context.decode(ChangedPhone.self, from: request)
        guard body.errors.isEmpty else { throw SimulatorProblem.invalidFields(body.errors) }
        let phoneID = try context.phoneID
        try simulator.change(
            phoneID,
            .init(
                locale: body.locale,
                frequentPushesEnabled: body.frequentPushesEnabled,
                liveActivitiesEnabled: body.liveActivitiesEnabled,
                isOnline: body.isOnline
            )
        )
        let phone = try simulator.read { wall throws(WallError) in try wall.phone(phoneID) }
        return Response(json: view(phone))
    }

    private func startActivity(_ request: Request, _ context: WallContext) async throws -> Response {
        let body = try await context.decode(NewActivity.self, from: request)
        guard body.errors.isEmpty else { throw SimulatorProblem.invalidFields(body.errors) }
        let token = try simulator.startActivity(on: try context.phoneID, following: body.channelID) { token, now in
            PhoneActivity(
                id: body.activityID,
                adventureID: body.adventureID,
                heroName: body.heroName,
                partyName: body.partyName,
                hero: body.hero,
                playerNames: body.playerNames,
                token: token,
                startedAt: now
            )
        }
        return Response(status: .created, json: ["pushToken": token.hexadecimal])
    }

    /// Responds with the log entries that follow number `after`; for more entries, pass the number of the last one.
    private func pushes(_ request: Request, _ context: WallContext) throws(SimulatorProblem) -> Response {
        let after = try context.number("after", in: 0 ... .max, of: request) ?? 0
        let limit =
            try context.number("limit", in: 1...Self.maxPushesPerResponse, of: request) ?? Self.maxPushesPerResponse
        let page = simulator.read { wall in
            let entries = wall.log.entries(after: after, limit: limit)
            return PushPage(pushes: Array(entries), last: wall.log.lastNumber)
        }
        return Response(json: page)
    }

    private struct PushPage: Encodable, Sendable {
        let pushes: [PushLog.Entry]
        /// The number of the newest entry.
        let last: Int
    }

    /// The first event of a stream: the identifier of this run, and the time from which on the stream has all changes.
    struct RunEvent: Codable, Equatable {
        let id: String
        let time: String
    }

    /// Streams a ``RunEvent`` and then all changes.
    ///
    /// The stream ends when the client disconnects or is too slow, and at shutdown.
    private func events(to channel: any NIOCore.Channel) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                let run = RunEvent(id: runID.uuidString, time: simulator.time.rfc3339)
                // The subscription starts before the first byte is sent, so a client that then reads the wall misses
                // nothing.
                let changes = simulator.feed.subscribe(until: channel.closeFuture).cancelOnGracefulShutdown()
                // While nothing happens, only the end of the client's input shows that it has disconnected.
                try await channel.setOption(.allowRemoteHalfClosure, value: false).get()
                try await writer.write(
                    ByteBuffer(bytes: Array("event: run\ndata: ".utf8) + SortedJSON.encode(run) + Array("\n\n".utf8))
                )
                for await change in changes { try await writer.write(ByteBuffer(bytes: change)) }
                try await writer.finish(nil)
            }
        )
    }
}
