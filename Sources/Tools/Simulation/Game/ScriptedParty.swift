import Cryptography
import Encodings
import Foundation
import GameCore
import GameEngine
import GameLog
import GameStore

/// The players of one party with their phones, who play random adventures and record the service's responses.
final class ScriptedParty {
    let world: SimulatedWorld
    let client: CommandClient
    let apns: SimulatedAPNs
    private let shards: [Int16]
    /// The raid of the run, if it has one.
    private let raid: ScriptedRaid?
    private let number: Int
    private let end: Duration
    private var keyCount = 0
    private var players: [PlayerID] = []
    /// The phones and other devices of the players.
    private var phones: [Phone] = []
    /// The devices with a push-to-start token on which Live Activities are off.
    var areActivitiesOff: [DeviceID: Bool] = [:]
    /// Which alerts ring on the devices; without an entry, all of them.
    var alertPreferences: [DeviceID: AlertPreferences] = [:]
    /// The tokens of the devices for ordinary alerts and widgets, as far as they have some.
    var deviceTokens: [DeviceID: (alert: [UInt8]?, widget: [UInt8]?)] = [:]
    /// Whether the party sets out again and again, as that of a leader who wants to use up its members' starts.
    private let isHasty: Bool

    /// The responses to commands with an idempotency key.
    private(set) var responses: [ResponseRecord] = []
    /// The activities of the players, with the history of their tokens.
    var activities: [ActivityReference: ActivityRecord] = [:]
    /// What the phones were shown of each adventure.
    private(set) var shown: [AdventureID: ShownAdventure] = [:]
    /// The successful attempts of a player outside the party, as sentences.
    private(set) var unauthorizedSuccesses: [String] = []

    struct Phone {
        let player: PlayerID
        let device: DeviceID
        let frequentPushesEnabled: Bool
        /// Whether the app shows Live Activities, or the server starts them.
        let showsActivities: Bool
        let takesAlerts: Bool
        let hasWidgets: Bool
        /// The push-to-start token of a device whose app is closed, so that only the server starts activities.
        let startToken: [UInt8]?
    }

    init(
        number: Int,
        in world: SimulatedWorld,
        client: CommandClient,
        apns: SimulatedAPNs,
        shards: [Int16],
        raid: ScriptedRaid?,
        until end: Duration
    ) {
        self.number = number
        self.world = world
        self.client = client
        self.apns = apns
        self.shards = shards
        self.raid = raid
        self.end = end
        isHasty = world.number(below: 4) == 0
    }

    /// Notes that the database has lost the commits since a moment, in microseconds since the run began: what was shown
    /// or confirmed before may be taken back.
    func noteLostCommits(since moment: Int64) {
        shown = [:]
        responses = []
        for (reference, record) in activities where record.tokenChanges.contains(where: { $0.until ?? 0 >= moment }) {
            activities[reference]?.isAbandoned = true
        }
    }

    var isOver: Bool { world.elapsed >= end.wholeMicroseconds }

    func pause(_ range: ClosedRange<Int>) async {
        // This task is never cancelled.
        try? await world.sleep(for: world.duration(range))
    }

    /// Returns a request with a new idempotency key.
    func request(_ prefix: String) -> IdempotentRequest {
        keyCount += 1
        let key = "\(prefix)/\(number)/\(keyCount)"
        return IdempotentRequest(key: key, hash: SHA256.digest(of: key))
    }

    func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(world.number(below: 256)) }
    }

    /// Registers the players, founds the party, and plays one adventure after the other until the end.
    func play() async {
        let size = 1 + world.number(below: 4)
        // Some parties have one more player than members may join.
        for _ in 0..<size + (world.happens(inAThousand: 300) ? 1 : 0) {
            guard let player = await register() else { return }
            players.append(player)
            // Some players have a tablet, too.
            for _ in 0..<(world.number(below: 4) == 0 ? 2 : 1) {
                guard let phone = await addDevice(of: player) else { return }
                phones.append(phone)
            }
        }
        guard let outsider = await register(), let stranger = await addDevice(of: outsider),
            let (partyID, code) = await createParty(capacity: size)
        else { return }
        let party = WorldBound(self)
        await withDiscardingTaskGroup { group in
            for player in players.dropFirst() {
                group.addTask { await party.value.join(player, code: code) }
            }
        }
        while !isOver {
            guard let adventureID = await startAdventure(of: partyID) else {
                await pause(500...2_000)
                continue
            }
            await withDiscardingTaskGroup { group in
                for phone in phones where phone.showsActivities {
                    if phone.startToken == nil {
                        group.addTask { await party.value.showActivity(of: adventureID, on: phone) }
                    } else {
                        group.addTask { await party.value.awaitStart(of: adventureID, on: phone) }
                    }
                }
                for player in players {
                    group.addTask { await party.value.sendCommands(of: player, in: adventureID) }
                    group.addTask { await party.value.watch(adventureID) }
                }
                group.addTask { await party.value.intrude(from: stranger, into: partyID, adventureID) }
                if isHasty || world.happens(inAThousand: 400) {
                    group.addTask { await party.value.interrupt(adventureID, of: partyID) }
                }
            }
            for phone in phones where world.number(below: 4) == 0 { await change(phone) }
            await pause(isHasty ? 100...500 : 1_000...5_000)
        }
    }

    // MARK: - Parties

    /// Returns the response to a command; nil if it was refused or got no response.
    func value<Value>(_ response: Result<Value, CommandError>?) -> Value? { try? response?.get() }

    private func register() async -> PlayerID? {
        let heroes = HeroCatalogue.all
        let hero = heroes[world.number(below: heroes.count)].id
        let tokenHash = bytes(32)
        guard let name = try? Name("Player \(players.count)") else { preconditionFailure("letters make a valid name") }
        let response = await client.send { commands in
            try await commands.register(displayName: name, hero: hero, tokenHash: tokenHash).id
        }
        return value(response)
    }

    private func createParty(capacity: Int) async -> (PartyID, InviteCode)? {
        let founder = players[0]
        guard let name = try? Name("Party") else { preconditionFailure("letters make a valid name") }
        var known: [UInt8]?
        while known == nil, !isOver {
            known = await client.read { try await $0.shardSecret(of: founder) } ?? nil
            if known == nil { await pause(100...1_000) }
        }
        guard let secret = known else { return nil }
        // The shard follows from the key and the secret, and the database has only a few shards.
        var request = self.request("party")
        while !shards.contains(Int16(Shard.ofNewParty(secret: secret, key: request.key).rawValue)) {
            request = self.request("party")
        }
        let founding = request
        let response = await client.send { commands in
            try await commands.createParty(named: name, capacity: capacity, founder: founder, request: founding) {
                EncodedResponse(status: 201, body: "\($0.id) \($0.inviteCode.rawValue)")
            }
        }
        guard let words = value(response)?.body.split(separator: " "), let id = PartyID(String(words[0])) else {
            return nil
        }
        return (id, InviteCode(rawValue: String(words[1])))
    }

    private func join(_ player: PlayerID, code: InviteCode) async {
        let request = self.request("join")
        _ = await client.send { commands in
            try await commands.join(code: code, player: player, request: request) {
                EncodedResponse(status: 200, body: "\($0.members.count)")
            }
        }
    }

    private func startAdventure(of id: PartyID) async -> AdventureID? {
        let leader = players[0]
        if let raid = raid?.id, !isOver, world.number(below: 4) > 0 {
            let request = self.request("raid")
            let response = await client.send(knowing: .raids) { commands in
                try await commands.joinRaid(raid, with: id, by: leader, request: request) {
                    EncodedResponse(status: 201, body: "\($0.id)")
                }
            }
            // The raid may not have started, or be over.
            if let joined = value(response).flatMap({ AdventureID($0.body) }) { return joined }
        }
        if world.number(below: 2) == 0 {
            let request = self.request("journey")
            let region = RegionCatalogue.all[world.number(below: RegionCatalogue.all.count)].id
            let response = await client.send { commands in
                try await commands.startJourney(of: id, in: region, by: leader, request: request) {
                    EncodedResponse(status: 201, body: "\($0.id)")
                }
            }
            return value(response).flatMap { AdventureID($0.body) }
        }
        let boss = BossCatalogue.all[world.number(below: BossCatalogue.all.count)].id
        // Without a key: a repeat after a lost response may be refused because the fight is already running.
        let response = await client.send { commands in
            try await commands.startBossFight(of: id, against: boss, by: Self.operatorAuthor).id
        }
        return value(response)
    }

    static let operatorAuthor = AuditAuthor(operator: "game-master", requestID: nil)

    /// Lets a member leave the party, or an operator end the adventure.
    private func interrupt(_ id: AdventureID, of partyID: PartyID) async {
        await pause(isHasty ? 6_000...9_000 : 5_000...40_000)
        guard !isOver else { return }
        if !isHasty, players.count > 1, world.number(below: 3) == 0 {
            let player = players[1]
            let request = self.request("leave")
            _ = await client.send { commands in
                try await commands.removeMember(player, of: partyID, by: player, request: request)
            }
        } else {
            _ = await client.send { try await $0.end(id, by: Self.operatorAuthor).id }
        }
    }

    /// Attempts, as a player outside the party, actions that only members may perform.
    private func intrude(from phone: Phone, into party: PartyID, _ adventure: AdventureID) async {
        await pause(0...20_000)
        let outsider = phone.player
        let request = self.request("intrude")
        let registration = registration(of: ActivityID(rawValue: UUID(bytes: bytes(16))), with: bytes(32), on: phone)
        let attempts: [(deed: String, attempt: @Sendable (GameCommands) async throws -> EncodedResponse)] = [
            (
                "played in \(adventure)",
                { try await $0.perform(.attack, in: adventure, by: outsider, request: request) { _, _ in Self.done } }
            ),
            (
                "registered an activity for \(adventure)",
                {
                    try await $0.register(registration, for: adventure, by: outsider, request: nil) { _, _ in Self.done
                    }
                }
            ),
            (
                "became leader of \(party)",
                { try await $0.handOver(party, to: outsider, by: outsider, request: nil) { _ in Self.done } }
            ),
        ]
        for (deed, attempt) in attempts {
            if case .success = await client.send(attempt) { unauthorizedSuccesses.append("\(outsider) \(deed)") }
        }
    }

    static let done = EncodedResponse(status: 200, body: "")

    // MARK: - Adventures

    private func sendCommands(of player: PlayerID, in id: AdventureID) async {
        while !isOver {
            await pause(500...8_000)
            let command: Command =
                switch world.number(below: 8) {
                case 0: .potion(target: nil)
                case 1: .guardUp
                case 2: .special
                case 3: .pass
                case 4: .policy(.automatic)
                default: .attack
                }
            let request = self.request("run/\(id)")
            let response = await perform(command, request, by: player, in: id)
            switch response {
            case .success?:
                // One command in four is sent again: it must get the same response and have no effect.
                guard world.happens(inAThousand: 250) else { continue }
                _ = await perform(command, request, by: player, in: id)
            case .failure(.adventure(.adventureOver))?, .failure(.unknownAdventure)?:
                return
            case .failure?, nil:
                continue
            }
        }
    }

    /// Separates the events and the state in a response; states have several lines.
    private static let separator = "\n\n"

    /// Sends a command, and records the response and what it shows.
    private func perform(
        _ command: Command,
        _ request: IdempotentRequest,
        by player: PlayerID,
        in id: AdventureID
    ) async -> Result<EncodedResponse, CommandError>? {
        let response = await client.send { commands in
            try await commands.perform(command, in: id, by: player, request: request) { events, stored in
                let lines = events.map(ShownAdventure.text(of:)) + [stored.adventure.encoded]
                return EncodedResponse(status: 200, body: lines.joined(separator: Self.separator))
            }
        }
        if case .success(let response)? = response {
            responses.append(ResponseRecord(adventureID: id, key: request.key, body: response.body))
            let lines = response.body.components(separatedBy: Self.separator)
            shown[id, default: ShownAdventure()].add(events: lines.dropLast(), state: lines.last)
        }
        return response
    }

    /// Follows the events of an adventure page by page, as a stream does that is resumed on other nodes, and reads its
    /// state in between.
    private func watch(_ id: AdventureID) async {
        var sequence = 0
        while !isOver {
            await pause(200...5_000)
            if world.number(below: 3) == 0 {
                guard let state = await client.read({ try await $0.adventure(id)?.adventure.encoded }) else { continue }
                shown[id, default: ShownAdventure()].add(events: [], state: state)
            } else {
                let (after, limit) = (sequence, 1 + world.number(below: 40))
                guard let page = await client.read({ try await $0.events(of: id, after: after, limit: limit) }) else {
                    continue
                }
                shown[id, default: ShownAdventure()].add(events: page.map(ShownAdventure.text(of:)))
                if page.contains(where: { if case .adventureEnded = $0.event { true } else { false } }) { return }
                sequence = page.last?.sequence ?? sequence
            }
        }
    }
}
