import Cryptography
import Encodings
import Foundation
import GameCore
import GameEngine
import GameLog
import GameStore

/// The players of one party with their phones, who play random adventures and record the service's responses.
final class ScriptedParty {
    private let world: SimulatedWorld
    private let client: CommandClient
    private let apns: SimulatedAPNs
    private let shards: [Int16]
    private let number: Int
    private let end: Duration
    private var keyCount = 0
    private var players: [PlayerID] = []
    /// The phones and other devices of the players.
    private var phones: [Phone] = []
    /// The devices with a push-to-start token on which Live Activities are off.
    private var areActivitiesOff: [DeviceID: Bool] = [:]
    /// Which alerts ring on the devices; without an entry, all of them.
    private var alertPreferences: [DeviceID: AlertPreferences] = [:]
    /// Whether the party sets out again and again, as that of a leader who wants to use up its members' starts.
    private let isHasty: Bool

    /// The responses to commands with an idempotency key.
    private(set) var responses: [ResponseRecord] = []
    /// The activities of the players, with the history of their tokens.
    private(set) var activities: [ActivityReference: ActivityRecord] = [:]
    /// What the phones were shown of each adventure.
    private(set) var shown: [AdventureID: ShownAdventure] = [:]
    /// The successful attempts of a player outside the party, as sentences.
    private(set) var unauthorizedSuccesses: [String] = []

    private struct Phone {
        let player: PlayerID
        let device: DeviceID
        let frequentPushesEnabled: Bool
        /// The push-to-start token of a device whose app is closed, so that only the server starts activities.
        let startToken: [UInt8]?
    }

    init(
        number: Int,
        in world: SimulatedWorld,
        client: CommandClient,
        apns: SimulatedAPNs,
        shards: [Int16],
        until end: Duration
    ) {
        self.number = number
        self.world = world
        self.client = client
        self.apns = apns
        self.shards = shards
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

    private var isOver: Bool { world.elapsed >= end.wholeMicroseconds }

    private func pause(_ range: ClosedRange<Int>) async {
        // This task is never cancelled.
        try? await world.sleep(for: world.duration(range))
    }

    /// Returns a request with a new idempotency key.
    private func request(_ prefix: String) -> IdempotentRequest {
        keyCount += 1
        let key = "\(prefix)/\(number)/\(keyCount)"
        return IdempotentRequest(key: key, hash: SHA256.digest(of: key))
    }

    private func bytes(_ count: Int) -> [UInt8] {
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
                for phone in phones {
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
            for phone in phones where phone.startToken != nil && world.number(below: 4) == 0 {
                areActivitiesOff[phone.device] = !(areActivitiesOff[phone.device] ?? false)
                _ = await register(phone)
            }
            await pause(isHasty ? 100...500 : 1_000...5_000)
        }
    }

    // MARK: - Parties

    /// Returns the response to a command; nil if it was refused or got no response.
    private func value<Value>(_ response: Result<Value, CommandError>?) -> Value? { try? response?.get() }

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

    /// Returns a new device of a player; nil if it could not be registered.
    private func addDevice(of player: PlayerID) async -> Phone? {
        let phone = Phone(
            player: player,
            device: DeviceID(rawValue: UUID(bytes: bytes(16))),
            frequentPushesEnabled: world.number(below: 2) == 0,
            startToken: world.number(below: 4) == 0 ? bytes(32) : nil
        )
        if let token = phone.startToken { apns.issueStart(token, to: phone.device) }
        alertPreferences[phone.device] = AlertPreferences(drawnBy: world)
        while !isOver {
            if await register(phone) { return phone }
            await pause(100...1_000)
        }
        return nil
    }

    /// Registers a device, or what has changed about it.
    /// - Returns: whether the service has registered it.
    private func register(_ phone: Phone) async -> Bool {
        let registration = DeviceRegistration(
            id: phone.device,
            environment: .simulator,
            locale: nil,
            appBuild: nil,
            liveActivitiesEnabled: !(areActivitiesOff[phone.device] ?? false),
            frequentPushesEnabled: phone.frequentPushesEnabled,
            pushToStartToken: phone.startToken,
            alertToken: nil,
            alertPreferences: alertPreferences[phone.device] ?? AlertPreferences()
        )
        let response = await client.send { commands in
            try await commands.register(registration, of: phone.player, request: nil) { _, _ in Self.done }
        }
        return value(response) != nil
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

    private static let operatorAuthor = AuditAuthor(operator: "game-master", requestID: nil)

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

    private static let done = EncodedResponse(status: 200, body: "")

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

    // MARK: - Phones

    /// Waits until the system has started a Live Activity by push, and shows it; a device starts none if they are off.
    private func awaitStart(of id: AdventureID, on phone: Phone) async {
        for _ in 0..<15 where !isOver {
            await pause(200...1_500)
            guard apns.arrivedStarts[phone.device]?.contains(id) ?? false else { continue }
            if areActivitiesOff[phone.device] ?? false { return }
            return await showActivity(of: id, on: phone)
        }
    }

    /// Shows a Live Activity: registers it early or late, occasionally rotates its token, and sometimes dismisses it.
    private func showActivity(of id: AdventureID, on phone: Phone) async {
        await pause(0...6_000)
        let activity = ActivityReference(adventureID: id, activityID: ActivityID(rawValue: UUID(bytes: bytes(16))))
        // A few are scheduled, by the clock of the server.
        var startsAt: Timestamp?
        if world.number(below: 10) == 0, let now = await client.read({ try await $0.now() }) {
            startsAt = now + world.duration(1_000...6_000)
        }
        activities[activity] = ActivityRecord(
            playerID: phone.player,
            deviceID: phone.device,
            startsAt: startsAt,
            frequentPushesEnabled: phone.frequentPushesEnabled
        )
        guard await registerToken(of: activity, on: phone) else { return }
        while !isOver {
            await pause(2_000...20_000)
            switch world.number(below: 12) {
            case 0:
                await dismiss(activity, on: phone)
                return
            case 1:
                // The player deletes the app: its tokens become invalid, and the service is not notified.
                activities[activity]?.isAbandoned = true
                apns.invalidateTokens(of: activity)
                return
            case 2...4:
                await pause(0...3_000)
                _ = await registerToken(of: activity, on: phone)
            case 5:
                alertPreferences[phone.device] = AlertPreferences(drawnBy: world)
                _ = await register(phone)
            default:
                if apns.activities[activity]?.hasEnded ?? true { return }
            }
        }
    }

    private func registerToken(of activity: ActivityReference, on phone: Phone) async -> Bool {
        let token = bytes(32)
        apns.issue(token, to: activity)
        activities[activity]?.tokenChanges.append((from: world.elapsed, until: nil))
        await pause(0...2_000)
        let registration = registration(of: activity.activityID, with: token, on: phone, activities[activity]?.startsAt)
        let response = await client.send { commands in
            try await commands.register(registration, for: activity.adventureID, by: phone.player, request: nil) {
                EncodedResponse(status: $1 ? 201 : 200, body: "\($0.generation)")
            }
        }
        let index = (activities[activity]?.tokenChanges.count ?? 1) - 1
        guard case .success? = response else {
            activities[activity]?.isAbandoned = true
            return false
        }
        activities[activity]?.tokenChanges[index].until = world.elapsed
        return true
    }

    private func registration(
        of id: ActivityID,
        with token: [UInt8],
        on phone: Phone,
        _ startsAt: Timestamp? = nil
    ) -> ActivityRegistration {
        ActivityRegistration(
            id: id,
            deviceID: phone.device,
            pushToken: token,
            environment: .simulator,
            frequentPushesEnabled: phone.frequentPushesEnabled,
            locale: nil,
            startsAt: startsAt
        )
    }

    private func dismiss(_ activity: ActivityReference, on phone: Phone) async {
        activities[activity]?.isAbandoned = true
        if world.number(below: 2) == 0 { apns.invalidateTokens(of: activity) }
        await pause(0...3_000)
        let request = self.request("release")
        _ = await client.send { commands in
            try await commands.release(
                activity.activityID,
                of: activity.adventureID,
                by: phone.player,
                request: request
            )
        }
    }
}

extension AlertPreferences {
    /// Draws what a player mutes: mostly nothing, otherwise bosses, own turns, or everything in quiet hours.
    ///
    /// Quiet hours begin or end 40 seconds after the beginning of the run, at 14:13 UTC.
    fileprivate init(drawnBy world: SimulatedWorld) {
        self.init()
        switch world.number(below: 10) {
        case 0: muted = [.boss]
        case 1: muted = [.ownTurn]
        case 2: quietHours = QuietHours(from: 18 * 60, to: 19 * 60 + 44, timeZone: "Asia/Kolkata")
        case 3: quietHours = QuietHours(from: 16 * 60 + 14, to: 16 * 60 + 16, timeZone: "Europe/Berlin")
        default: break
        }
    }
}
