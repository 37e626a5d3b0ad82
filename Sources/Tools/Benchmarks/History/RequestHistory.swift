import Foundation
import GameCore
import Synchronization

/// A party as a response shows it.
struct PartySnapshot: Decodable, Hashable, Sendable {
    private enum CodingKeys: String, CodingKey { case partyID, version, leaderID, inviteCode, members, adventureID }

    private struct Member: Decodable { let playerID: PlayerID }

    let partyID: PartyID
    let version: Int64
    let leaderID: PlayerID
    let inviteCode: String
    /// In the order in which they joined.
    let members: [PlayerID]
    let adventureID: AdventureID?

    init(
        partyID: PartyID,
        version: Int64,
        leaderID: PlayerID,
        inviteCode: String,
        members: [PlayerID],
        adventureID: AdventureID?
    ) {
        self.partyID = partyID
        self.version = version
        self.leaderID = leaderID
        self.inviteCode = inviteCode
        self.members = members
        self.adventureID = adventureID
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        partyID = try container.decode(PartyID.self, forKey: .partyID)
        version = try container.decode(Int64.self, forKey: .version)
        leaderID = try container.decode(PlayerID.self, forKey: .leaderID)
        inviteCode = try container.decode(String.self, forKey: .inviteCode)
        members = try container.decode([Member].self, forKey: .members).map(\.playerID)
        adventureID = try container.decodeIfPresent(AdventureID.self, forKey: .adventureID)
    }

    fileprivate var content: String {
        "\(leaderID) \(inviteCode) \(members.map(\.description)) \(adventureID?.description ?? "-")"
    }
}

/// An adventure as a response shows it.
struct AdventureSnapshot: Decodable, Hashable, Sendable {
    struct Hero: Decodable, Hashable, Sendable {
        let health: Int
        let potions: Int
        let isDown: Bool
        let hasLeft: Bool
    }

    let adventureID: AdventureID
    let sequence: Int64
    let tick: Int64
    let heroes: [Hero]

    fileprivate var version: HistoryCheck.Version { .init(major: sequence, minor: tick) }
    fileprivate var content: String {
        heroes.map { "\($0.health)/\($0.potions)\($0.isDown ? " down" : "")\($0.hasLeft ? " left" : "")" }
            .joined(separator: ", ")
    }
}

/// A request of a player and its response.
struct RequestAttempt: Sendable {
    /// The player; nil before the registration.
    let playerID: PlayerID?
    let method: String
    let path: String
    /// The `Idempotency-Key`; nil for a read.
    var key: String?
    /// The version in `If-Match`; nil without one.
    var expectedVersion: Int64?
    var body = Data()
    /// The moment before the request was sent, since any fixed moment.
    let invokedAt: Duration
    /// The moment after the response was read, or the request failed.
    let respondedAt: Duration
    /// The response's status; zero without a response.
    let status: Int
    var response = Data()
}

/// The requests that read and write parties and adventures, with their responses.
///
/// All attempts with one idempotency key are one request, from the first attempt to the first response with success.
final class RequestHistory: Sendable {
    /// The outcome of a request.
    fileprivate enum Outcome {
        /// Carried out; the response is as of ``Response``.
        case done(Response)
        /// Not carried out: refused with a status.
        case refused(Int)
        /// Possibly carried out.
        case unknown
    }

    fileprivate enum Response {
        case party(PartySnapshot)
        case adventure(AdventureSnapshot)
        /// The number of events that a command caused, and the adventure after them.
        case command(events: Int, AdventureSnapshot)
        case empty
    }

    fileprivate enum Subject {
        case party(PartyID)
        /// The party is known only from the response.
        case anyParty
        case adventure(AdventureID)
    }

    fileprivate struct Request {
        let name: String
        let playerID: PlayerID?
        let subject: Subject
        /// What the request does to a party, as far as the request tells; nil for an adventure.
        var effect: PartySearch.Effect?
        let expectedVersion: Int64?
        let invokedAt: Duration
        var respondedAt: Duration
        var outcome: Outcome
    }

    private struct State {
        var reads: [Request] = []
        var writes: [String: Request] = [:]
        /// The latency of each attempt with its shard, in the order of the responses.
        var latencies: [(shard: Shard, invokedAt: Duration, seconds: Double)] = []
        /// The spans of time of which the database may have lost commits.
        var losses: [ClosedRange<Duration>] = []
    }

    private let start = ContinuousClock.now
    private let state = Mutex(State())

    /// The time since the beginning of the history.
    var now: Duration { ContinuousClock.now - start }

    /// Returns whether a read is part of the history.
    static func includesRead(of path: String) -> Bool {
        classify("GET", path, Data()) != nil
    }

    /// Adds an attempt; requests of other kinds are skipped.
    /// - Returns: a sentence about a response with success that cannot be read; otherwise nil.
    func add(_ attempt: RequestAttempt) -> String? {
        guard let (subject, effect) = Self.classify(attempt.method, attempt.path, attempt.body) else { return nil }
        let name = "\(attempt.method) \(attempt.path)"
        var (outcome, problem): (Outcome, String?) = (.unknown, nil)
        switch attempt.status {
        case 200..<300:
            do { outcome = .done(try Self.decode(attempt, subject)) } catch {
                problem = "the response to \(name) cannot be read: \(error)"
            }
        case 429: outcome = .refused(429)
        case 400..<500: outcome = .refused(attempt.status)
        case 503 where Self.isShardBusy(attempt.response): outcome = .refused(503)
        default: break
        }
        let request = Request(
            name: name + (attempt.key.map { " (key \($0))" } ?? ""),
            playerID: attempt.playerID,
            subject: subject,
            effect: effect,
            expectedVersion: attempt.expectedVersion,
            invokedAt: attempt.invokedAt,
            respondedAt: attempt.respondedAt,
            outcome: outcome
        )
        state.withLock { state in
            if let shard = subject.shard {
                let seconds = (attempt.respondedAt - attempt.invokedAt) / .seconds(1)
                state.latencies.append((shard, attempt.invokedAt, seconds))
            }
            guard let key = attempt.key else {
                state.reads.append(request)
                return
            }
            let name = "\(attempt.playerID?.description ?? "-")/\(key)"
            guard var known = state.writes[name] else {
                state.writes[name] = request
                return
            }
            if known.add(request) { state.writes[name] = known }
        }
        return problem
    }

    /// Notes that the database may have lost what it committed in a span of time: responses within it show nothing, and
    /// the writes may have been carried out or not.
    func addLoss(_ span: ClosedRange<Duration>) { state.withLock { $0.losses.append(span) } }

    /// Returns the seconds that attempts in other shards took, for those that began in a span of time.
    func latencies(from start: Duration, to end: Duration, except shards: Set<Shard>) -> [Double] {
        state.withLock { state in
            state.latencies.filter { $0.invokedAt >= start && $0.invokedAt <= end && !shards.contains($0.shard) }
                .map(\.seconds)
        }
    }

    /// Checks whether all requests are linearizable per party and per adventure.
    /// - Parameter bound: the number of partial orders of a party's requests after which its search is given up.
    /// - Returns: the counts and the contradictions.
    func results(within bound: Int = 200_000) -> HistoryResults {
        let (recorded, losses) = state.withLock { ($0.reads + $0.writes.values, $0.losses) }
        let requests = recorded.compactMap { $0.considering(losses) }.sorted { $0.invokedAt < $1.invokedAt }
        // No search finds the beginning of a party whose creation may be lost.
        let doubtful = Set(
            recorded.filter { $0.effect == .create && $0.isResponse(within: losses) }.compactMap(\.partyID)
        )
        var results = HistoryResults()
        var versions: [String: [HistoryCheck.Operation]] = [:]
        var parties: [PartyID: [PartySearch.Operation]] = [:]
        var unknownJoins: [PartySearch.Operation] = []
        for request in requests {
            results.count(request.isWrite, request.outcome.kind)
            if let (object, operation) = request.versioned { versions[object, default: []].append(operation) }
            guard let operation = request.partyOperation else { continue }
            if let id = request.partyID {
                guard !doubtful.contains(id) else { continue }
                parties[id, default: []].append(operation)
            } else if operation.effect == .join {
                unknownJoins.append(operation)
            }
        }
        results.objects = versions.count
        for (object, operations) in versions.sorted(by: { $0.key < $1.key }) {
            results.findings += HistoryCheck.findings(in: operations, of: object)
        }
        for (id, operations) in parties.sorted(by: { $0.key < $1.key }) {
            // Strangers get 404 for parties that exist; only a party with a response of success is searched.
            guard operations.contains(where: { $0.seen != nil }) else { continue }
            results.parties += 1
            switch PartySearch(operations + unknownJoins).verdict(within: bound) {
            case .linearizable: break
            case .violation(let sentence): results.findings.append("party \(id): \(sentence)")
            case .undecided: results.undecided += 1
            }
        }
        return results
    }
}

extension RequestHistory.Request {
    /// Adds another attempt with the same key.
    /// - Returns: whether the request has changed; a request that was carried out does not.
    fileprivate mutating func add(_ attempt: Self) -> Bool {
        switch (outcome, attempt.outcome) {
        case (.done, _): return false
        // An earlier attempt may still be carried out after a later one was refused.
        case (.unknown, .refused): break
        default: outcome = attempt.outcome
        }
        respondedAt = attempt.respondedAt
        return true
    }

    /// Returns what the request says if the database may have lost the commits of some spans; nil if that is nothing.
    fileprivate func considering(_ losses: [ClosedRange<Duration>]) -> Self? {
        guard isWrite else { return losses.contains { $0.overlaps(invokedAt...respondedAt) } ? nil : self }
        guard isResponse(within: losses) else { return self }
        if case .refused = outcome { return nil }
        var request = self
        request.outcome = .unknown
        return request
    }

    fileprivate func isResponse(within spans: [ClosedRange<Duration>]) -> Bool {
        spans.contains { $0.contains(respondedAt) }
    }

    fileprivate var isWrite: Bool { effect.map { ![.read, .absent].contains($0) } ?? name.hasPrefix("POST") }

    fileprivate var partyID: PartyID? {
        if case .done(.party(let party)) = outcome { return party.partyID }
        if case .party(let id) = subject { return id }
        return nil
    }

    /// The object with the version that the request saw or made; nil without one.
    fileprivate var versioned: (object: String, HistoryCheck.Operation)? {
        func operation(_ version: HistoryCheck.Version, isWrite: Bool, _ content: String) -> HistoryCheck.Operation {
            .init(
                name: name,
                invokedAt: invokedAt,
                respondedAt: respondedAt,
                version: version,
                isWrite: isWrite,
                expectedVersion: expectedVersion,
                content: content
            )
        }
        guard case .done(let response) = outcome else { return nil }
        switch response {
        case .party(let party):
            // Joining again changes nothing; the search checks it.
            let isWrite = effect != .read && effect != .join
            return ("party \(party.partyID)", operation(.init(major: party.version), isWrite: isWrite, party.content))
        case .adventure(let adventure):
            // The response to a start has the adventure at its beginning.
            return (
                "adventure \(adventure.adventureID)",
                operation(adventure.version, isWrite: effect != nil, adventure.content)
            )
        case .command(let events, let adventure):
            return (
                "adventure \(adventure.adventureID)",
                operation(adventure.version, isWrite: events > 0, adventure.content)
            )
        case .empty: return nil
        }
    }

    /// The request as the search for an order needs it; nil if it tells nothing about a party.
    fileprivate var partyOperation: PartySearch.Operation? {
        guard var effect, let playerID else { return nil }
        var seen: PartySnapshot?
        switch (outcome, effect) {
        case (.done(.party(let party)), _): seen = party
        case (.done(.adventure(let adventure)), .start): effect = .start(adventure.adventureID)
        case (.refused(404), .read): effect = .absent
        case (.refused(412), _):
            guard let expectedVersion else { return nil }
            effect = .refused(from: expectedVersion)
        case (.refused, _), (.unknown, .read), (.unknown, .create): return nil
        default: break
        }
        let isUnknown = if case .unknown = outcome { true } else { false }
        return PartySearch.Operation(
            name: name,
            actor: playerID,
            effect: effect,
            seen: seen,
            expectedVersion: expectedVersion,
            invokedAt: invokedAt,
            respondedAt: isUnknown ? nil : respondedAt
        )
    }
}

extension RequestHistory.Outcome {
    fileprivate var kind: HistoryResults.Kind {
        switch self {
        case .done: .done
        case .refused: .refused
        case .unknown: .unknown
        }
    }
}

extension RequestHistory.Subject {
    fileprivate var shard: Shard? {
        switch self {
        case .party(let id): id.shard
        case .adventure(let id): id.shard
        case .anyParty: nil
        }
    }
}

// MARK: - Requests and responses

extension RequestHistory {
    private struct CommandResponse: Decodable {
        struct Event: Decodable {}

        let events: [Event]
        let adventure: AdventureSnapshot
    }

    private struct NewLeader: Decodable { let playerID: PlayerID }
    private struct Problem: Decodable { let type: String }

    /// Returns what a request concerns, and what it does to a party; nil for requests of other kinds.
    private static func classify(_ method: String, _ path: String, _ body: Data) -> (Subject, PartySearch.Effect?)? {
        let words = path.prefix { $0 != "?" }.split(separator: "/").map(String.init)
        guard words.count > 1, words[0] == "v1" else { return nil }
        let rest = words.dropFirst(3).first
        switch (method, words[1], words.count) {
        case ("POST", "parties", 2): return (.anyParty, .create)
        case ("POST", "parties", 3) where words[2] == "join": return (.anyParty, .join)
        case ("GET", "parties", 3): return PartyID(words[2]).map { (.party($0), .read) }
        case ("GET", "adventures", 3): return AdventureID(words[2]).map { (.adventure($0), nil) }
        case ("POST", "adventures", 4) where rest == "commands":
            return AdventureID(words[2]).map { (.adventure($0), nil) }
        case ("POST", "parties", 4):
            guard let id = PartyID(words[2]) else { return nil }
            switch rest {
            case "invite-code": return (.party(id), .renewCode)
            case "adventures": return (.party(id), .start(nil))
            case "leader":
                let leader = try? JSONDecoder().decode(NewLeader.self, from: body)
                return leader.map { (.party(id), .handOver(to: $0.playerID)) }
            default: return nil
            }
        case ("DELETE", "parties", 5) where rest == "members":
            guard let id = PartyID(words[2]), let player = PlayerID(words[4]) else { return nil }
            return (.party(id), .remove(player))
        default: return nil
        }
    }

    private static func decode(_ attempt: RequestAttempt, _ subject: Subject) throws -> Response {
        let decoder = JSONDecoder()
        if case .adventure = subject {
            guard attempt.method == "POST" else {
                return .adventure(try decoder.decode(AdventureSnapshot.self, from: attempt.response))
            }
            let command = try decoder.decode(CommandResponse.self, from: attempt.response)
            return .command(events: command.events.count, command.adventure)
        }
        if attempt.method == "DELETE" { return .empty }
        if attempt.path.hasSuffix("/adventures") {
            return .adventure(try decoder.decode(AdventureSnapshot.self, from: attempt.response))
        }
        return .party(try decoder.decode(PartySnapshot.self, from: attempt.response))
    }

    /// Returns whether a response with 503 says that the request was refused because its shard is locked.
    private static func isShardBusy(_ response: Data) -> Bool {
        (try? JSONDecoder().decode(Problem.self, from: response))?.type.hasSuffix("shard-busy") ?? false
    }
}
