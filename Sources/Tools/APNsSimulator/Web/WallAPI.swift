import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle

/// The web side: the page of phones, and the API that it, scripts and tests use.
struct WallAPI: Sendable {
    /// How many pushes one answer tells of, unless asked for fewer.
    private static let pushesPerAnswer = 1000

    let simulation: Simulation
    let players: (any PhonePlayers)?
    /// What tells this run from another one at the same address.
    let runID: UUID
    /// Where the page listens, as it was asked for.
    var httpHost = "127.0.0.1"
    /// What senders have to know; nil when no doors are open.
    var doors: Doors?

    /// Where senders find the simulator, and what for.
    struct Doors: Encodable, Sendable {
        let apnsHost: String
        let apnsPort: Int
        let channelsPort: Int
        let bundleID: String
    }

    /// Every route.
    func router() -> Router<WallContext> {
        let router = Router(context: WallContext.self)
        router.add(middleware: ProblemMiddleware())
        router.add(middleware: OwnHost(httpHost: httpHost))
        router.get("/") { _, _ in Page.response(for: "index.html") }
        router.get("page/:file") { _, context in
            guard let response = Page.response(for: try context.parameters.require("file")) else {
                throw Problem.notFound
            }
            return response
        }
        router.get("page/sounds/:file") { _, context in
            guard let response = Page.sound(for: try context.parameters.require("file")) else {
                throw Problem.notFound
            }
            return response
        }
        router.get("healthz") { _, _ in Response(json: ["status": "ok"]) }
        router.get("api/doors") { _, _ in
            guard let doors else { throw Problem.notFound }
            return Response(json: doors)
        }
        router.get("api/phones") { _, _ in
            Response(json: ["phones": simulation.read(\.phones).map(view)])
        }
        router.get("api/pushes") { request, context in try pushes(request, context) }
        router.get("api/violations") { _, _ in Response(json: ["violations": simulation.read(\.violations)]) }
        router.get("api/events") { _, context in events(to: context.channel) }
        router.post("api/phones", use: addPhone)
        router.get("api/phones/:phoneID") { _, context in
            let phoneID = try context.phoneID
            let phone = try simulation.read { wall throws(WallError) in try wall.phone(phoneID) }
            return Response(json: view(phone))
        }
        router.patch("api/phones/:phoneID", use: changePhone)
        router.post("api/phones/:phoneID/push-to-start-token") { _, context in
            let token = try simulation.renewPushToStartToken(of: try context.phoneID)
            return Response(status: .created, json: ["pushToken": token.hexadecimal])
        }
        router.get("api/phones/:phoneID/started-activities") { _, context in
            let phoneID = try context.phoneID
            let phone = try simulation.read { wall throws(WallError) in try wall.phone(phoneID) }
            let now = simulation.time
            let started = phone.activities.filter { $0.isStartedByPush && $0.end(at: now) == nil }
            return Response(json: ["activities": started.map(StartedActivityView.init)])
        }
        router.get("api/phones/:phoneID/running-activities") { _, context in
            let phoneID = try context.phoneID
            let phone = try simulation.read { wall throws(WallError) in try wall.phone(phoneID) }
            return Response(json: RunningActivitiesView(phone, at: simulation.time))
        }
        router.post("api/phones/:phoneID/activities", use: startActivity)
        router.post("api/phones/:phoneID/activities/:activityID/rotate") { _, context in
            let token = try simulation.rotateToken(of: try context.activityID, on: try context.phoneID)
            return Response(json: ["pushToken": token.hexadecimal])
        }
        router.delete("api/phones/:phoneID/activities/:activityID") { _, context in
            try simulation.swipeAway(try context.activityID, on: try context.phoneID)
            return Response(status: .noContent)
        }
        FaultAPI(simulation: simulation).addRoutes(to: router)
        PlayerAPI(simulation: simulation, players: players).addRoutes(to: router)
        return router
    }

    private func view(_ phone: Phone) -> PhoneView {
        PhoneView(phone, in: simulation.catalog, at: simulation.time)
    }

    private func addPhone(_ request: Request, _ context: WallContext) async throws -> Response {
        let body = try await context.decode(NewPhone.self, from: request)
        guard body.errors.isEmpty else { throw Problem.invalidFields(body.errors) }
        let phone = try simulation.addPhone(
            label: body.label,
            locale: body.locale ?? "en",
            frequentPushesEnabled: body.frequentPushesEnabled ?? true
        )
        return Response(status: .created, json: view(phone))
    }

    private func changePhone(_ request: Request, _ context: WallContext) async throws -> Response {
        let body = try await context.decode(ChangedPhone.self, from: request)
        guard body.errors.isEmpty else { throw Problem.invalidFields(body.errors) }
        let phoneID = try context.phoneID
        try simulation.change(
            phoneID,
            .init(
                locale: body.locale,
                frequentPushesEnabled: body.frequentPushesEnabled,
                isOnline: body.isOnline
            )
        )
        let phone = try simulation.read { wall throws(WallError) in try wall.phone(phoneID) }
        return Response(json: view(phone))
    }

    private func startActivity(_ request: Request, _ context: WallContext) async throws -> Response {
        let body = try await context.decode(NewActivity.self, from: request)
        guard body.errors.isEmpty else { throw Problem.invalidFields(body.errors) }
        let token = try simulation.startActivity(on: try context.phoneID, following: body.channelID) { token, now in
            PhoneActivity(
                id: body.activityID,
                adventureID: body.adventureID,
                heroName: body.heroName,
                partyName: body.partyName,
                token: token,
                startedAt: now
            )
        }
        return Response(status: .created, json: ["pushToken": token.hexadecimal])
    }

    /// The log from `after` on; who wants more asks again after the last number.
    private func pushes(_ request: Request, _ context: WallContext) throws(Problem) -> Response {
        let after = try context.number("after", in: 0 ... .max, of: request) ?? 0
        let limit = try context.number("limit", in: 1...Self.pushesPerAnswer, of: request) ?? Self.pushesPerAnswer
        let list = simulation.read { wall in
            let entries = wall.log.entries(after: after, limit: limit)
            return PushList(pushes: Array(entries), last: wall.log.lastNumber)
        }
        return Response(json: list)
    }

    private struct PushList: Encodable, Sendable {
        let pushes: [PushLog.Entry]
        /// The number of the newest one there is.
        let last: Int
    }

    /// The name of this run, then everything that happens from now on.
    ///
    /// It ends when the reader goes or is too slow, and when the server stops.
    private func events(to channel: any NIOCore.Channel) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                // Watching begins before the first byte goes out: whoever then reads the wall misses nothing.
                let changes = simulation.feed.watch(until: channel.closeFuture).cancelOnGracefulShutdown()
                // A reader who goes while nothing happens shows by nothing else than the end of what it sends.
                try await channel.setOption(.allowRemoteHalfClosure, value: false).get()
                try await writer.write(ByteBuffer(string: "event: run\ndata: \(runID)\n\n"))
                for await change in changes { try await writer.write(ByteBuffer(bytes: change)) }
                try await writer.finish(nil)
            }
        )
    }
}
