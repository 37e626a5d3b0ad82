import GameCore
import GameEngine
import GameLog
import GameStore
import HTTPServing
import Hummingbird
import JSONCoding

/// The routes with which a leader opens the party to spectators, and those of the spectators, who need no token.
///
/// They support no idempotency key: the link, which a stored response would have, is a secret.
struct SpectatorRoutes: Sendable {
    let store: GameStore
    let commands: GameCommands
    let feed: EventFeed
    let proxies: [AddressRange]

    /// The prefix of the paths of spectators' routes.
    static let path = "/v1/spectators/"

    func add(to router: Router<ServingContext>, _ authenticator: Authenticator) {
        router.post("v1/parties/:partyID/spectators", use: authenticator.tokenHolder(open))
        router.delete("v1/parties/:partyID/spectators", use: authenticator.player(close))
        router.get("v1/spectators/:link", use: authenticator.anyone(show))
        router.get("v1/spectators/:link/events", use: authenticator.anyone(query: ["after"], events))
    }

    private func open(_ request: APIRequest<TokenHolder>) async throws -> Response {
        let (id, secret) = (try request.partyID, request.caller.token.text)
        let opened = try await commands.openToSpectators(id, by: request.caller.playerID) { salt in
            SecretDerivation(from: secret, salt: salt).spectatorToken(for: id).link
        }
        let token = SecretDerivation(from: secret, salt: opened.salt).spectatorToken(for: id)
        let view = OpenedView(token: token, channels: try await channels(of: id))
        return Response(status: opened.isNew ? .created : .ok, json: view)
    }

    private func close(_ request: APIRequest<PlayerID>) async throws -> Response {
        try await commands.closeToSpectators(try request.partyID, by: request.caller)
        feed.checkAllAccess()
        return Response(status: .noContent)
    }

    private func show(_ request: APIRequest<Void>) async throws -> Response {
        let (_, party) = try await party(of: request)
        let stored = try await adventure(of: party)
        let isRunning = stored.map { $0.endedAt == nil } ?? false
        let channels = try await channels(of: party.id, wanted: isRunning)
        return Response(json: WatchedView(adventure: stored, channels: channels))
    }

    private func events(_ request: APIRequest<Void>) async throws -> Response {
        let (link, party) = try await party(of: request)
        let resumption = try Resumption(of: request)
        // Clients reconnect when a stream ends, unless the status is 204.
        guard let stored = try await adventure(of: party), stored.endedAt == nil || !resumption.isLast(of: stored)
        else {
            return Response(status: .noContent)
        }
        let address = request.address(trusting: proxies)
        guard let ofAddress = feed.slots.tryAcquire(for: .spectator(link, address)),
            let ofLink = feed.linkSlots.tryAcquire(for: .link(link))
        else {
            throw HTTPProblem.tooManySpectators
        }
        return feed.response(
            to: request,
            of: stored,
            after: resumption,
            for: .spectator(link),
            holding: [ofAddress, ofLink]
        )
    }

    private func party(of request: APIRequest<Void>) async throws -> (SpectatorLink, WatchedParty) {
        guard let link = request.spectatorToken?.link, let party = try await store.watchedParty(by: link) else {
            throw HTTPProblem.unknownLink
        }
        return (link, party)
    }

    private func adventure(of party: WatchedParty) async throws -> StoredAdventure? {
        guard let id = party.adventureID else { return nil }
        return try await store.adventure(id)
    }

    /// Returns the party's channels that exist.
    /// - Parameters:
    ///   - id: the party.
    ///   - isWanted: whether to have channels created in all environments that have none, because a spectator watches.
    /// - Returns: the channels, without those that are only wanted.
    /// - Throws: `PostgresError`; ``StoreError``.
    private func channels(of id: PartyID, wanted isWanted: Bool = false) async throws -> [BroadcastChannel] {
        let owner = BroadcastChannel.Owner(.party, id.rawValue)
        let known = try await store.channels(of: owner)
        if isWanted {
            let held = known.filter { $0.state != .deleted }.map(\.key.environment)
            let missing = try await store.keptEnvironments().filter { !held.contains($0) }
            try await store.wantChannels(
                missing.map { BroadcastChannel.Key(owner, in: $0) },
                storing: .ofSpectators
            )
        }
        return known.filter { $0.state == .created || $0.state == .live }
    }
}

extension SecretDerivation {
    /// The secret of a spectators' link.
    func spectatorToken(for id: PartyID) -> SpectatorToken {
        SpectatorToken(in: id.shard, bytes: bytes("spectators"))
    }
}

/// The response of a party that is open to spectators.
private struct OpenedView: JSONWritable {
    let token: SpectatorToken
    let channels: [BroadcastChannel]

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("link", token.text)
            json.member("channels", ChannelsView(channels: channels))
        }
    }
}

/// What spectators see of a party: no name, no player and no invite code.
private struct WatchedView: JSONWritable {
    let adventure: StoredAdventure?
    let channels: [BroadcastChannel]

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("adventure", adventure.map { AdventureView($0, isPublic: true) })
            json.member("channels", ChannelsView(channels: channels))
        }
    }
}

/// The channels of APNs by environment.
private struct ChannelsView: JSONWritable {
    let channels: [BroadcastChannel]

    func write(to json: inout JSONWriter) {
        json.object { json in
            for channel in channels {
                json.key(escaping: channel.key.environment.rawValue)
                json.value(channel.channelID ?? "")
            }
        }
    }
}
