import Cryptography
import Encodings
import Foundation
import GameCore
import GameEngine
import GameStore

/// What one party's players and their phones do in a run, and what they were told.
///
/// Unchecked but true: touched on its world's one thread only.
final class PartyStory: @unchecked Sendable {
    private let world: World
    private let clients: Clients
    private let apns: SimulatedAPNs
    private let shards: [Int16]
    private let number: Int
    private let end: Duration
    private var keys = 0
    private var phones: [Phone] = []

    /// What clients were told of commands with a key.
    private(set) var answers: [AnswerRecord] = []
    /// The cards of the players, with what became of their tokens.
    private(set) var cards: [ActivityName: CardRecord] = [:]
    /// What somebody who is no member was allowed to do.
    private(set) var trespasses: [String] = []

    private struct Phone {
        let player: PlayerID
        let takesFrequentPushes: Bool
    }

    init(
        number: Int,
        in world: World,
        clients: Clients,
        apns: SimulatedAPNs,
        shards: [Int16],
        until end: Duration
    ) {
        self.number = number
        self.world = world
        self.clients = clients
        self.apns = apns
        self.shards = shards
        self.end = end
    }

    private var isOver: Bool { world.elapsed >= end.wholeMicroseconds }

    private func pause(_ range: ClosedRange<Int>) async {
        // Never cancelled.
        try? await world.sleep(for: world.duration(range))
    }

    private func key(_ what: String) -> RepeatableRequest {
        keys += 1
        let key = "\(what)/\(number)/\(keys)"
        return RepeatableRequest(key: key, hash: SHA256.digest(of: key))
    }

    private func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(world.number(below: 256)) }
    }

    /// Lives until the end: registers, founds a party, and goes on one adventure after the other.
    func live() async {
        let size = 1 + world.number(below: 4)
        // One more than there is room for, now and then.
        let players = size + (world.happens(inAThousand: 300) ? 1 : 0)
        for _ in 0..<players {
            guard let player = await register() else { return }
            phones.append(Phone(player: player, takesFrequentPushes: world.number(below: 2) == 0))
        }
        guard let stranger = await register(), let (partyID, code) = await found(capacity: size) else { return }
        await withDiscardingTaskGroup { group in
            for phone in phones.dropFirst() {
                group.addTask { await self.join(phone.player, code: code) }
            }
        }
        while !isOver {
            guard let adventureID = await setOut(partyID) else {
                await pause(500...2_000)
                continue
            }
            await withDiscardingTaskGroup { group in
                for phone in phones { group.addTask { await self.play(phone, in: adventureID) } }
                group.addTask { await self.trespass(stranger, party: partyID, adventure: adventureID) }
                if world.happens(inAThousand: 400) {
                    group.addTask { await self.cutShort(adventureID, of: partyID) }
                }
            }
            await pause(1_000...5_000)
        }
    }

    // MARK: - Parties

    /// What a command was answered with; who was refused, or heard nothing, does without.
    private func given<Answer>(_ answer: Result<Answer, CommandError>?) -> Answer? { try? answer?.get() }

    private func register() async -> PlayerID? {
        let heroes = HeroCatalogue.all
        let hero = heroes[world.number(below: heroes.count)].id
        let tokenHash = bytes(32)
        guard let name = try? Name("Player") else { preconditionFailure("a name of letters is a name") }
        let answer = await clients.ask { commands in
            try await commands.register(displayName: name, hero: hero, tokenHash: tokenHash).id
        }
        return given(answer)
    }

    private func found(capacity: Int) async -> (PartyID, InviteCode)? {
        let founder = phones[0].player
        guard let name = try? Name("Party") else { preconditionFailure("a name of letters is a name") }
        // The key decides about the shard, of which there are few here.
        var request = key("party")
        while !shards.contains(Int16(SHA256.digest(of: "party of \(founder) by key \(request.key)")[0])) {
            request = key("party")
        }
        let founding = request
        let answer = await clients.ask { commands in
            try await commands.createParty(named: name, capacity: capacity, founder: founder, request: founding) {
                Answer(status: 201, body: "\($0.id) \($0.inviteCode.rawValue)")
            }
        }
        guard let words = given(answer)?.body.split(separator: " "), let id = PartyID(String(words[0])) else {
            return nil
        }
        return (id, InviteCode(rawValue: String(words[1])))
    }

    private func join(_ player: PlayerID, code: InviteCode) async {
        let request = key("join")
        _ = await clients.ask { commands in
            try await commands.join(code: code, player: player, request: request) {
                Answer(status: 200, body: "\($0.members.count)")
            }
        }
    }

    private func setOut(_ id: PartyID) async -> AdventureID? {
        let leader = phones[0].player
        if world.number(below: 2) == 0 {
            let request = key("journey")
            let region = RegionCatalogue.all[world.number(below: RegionCatalogue.all.count)].id
            let answer = await clients.ask { commands in
                try await commands.startJourney(of: id, in: region, by: leader, request: request) {
                    Answer(status: 201, body: "\($0.id)")
                }
            }
            return given(answer).flatMap { AdventureID($0.body) }
        }
        let boss = BossCatalogue.all[world.number(below: BossCatalogue.all.count)].id
        // Without a key: asked again after a lost answer it may be refused, since the fight has begun.
        let answer = await clients.ask { commands in
            try await commands.startBossFight(of: id, against: boss, by: Self.operators).id
        }
        return given(answer)
    }

    private static let operators = AuditAuthor(operator: "game-master", requestID: nil)

    private func cutShort(_ id: AdventureID, of partyID: PartyID) async {
        await pause(5_000...40_000)
        guard !isOver else { return }
        if phones.count > 1, world.number(below: 3) == 0 {
            let player = phones[1].player
            let request = key("leave")
            _ = await clients.ask { commands in
                try await commands.removeMember(player, of: partyID, by: player, request: request)
            }
        } else {
            _ = await clients.ask { try await $0.end(id, by: Self.operators).id }
        }
    }

    /// Somebody who is no member tries what members may.
    private func trespass(_ stranger: PlayerID, party: PartyID, adventure: AdventureID) async {
        await pause(0...20_000)
        let request = key("trespass")
        let played = await clients.ask { commands in
            try await commands.run(.attack, in: adventure, by: stranger, request: request) { _, _ in
                Answer(status: 200, body: "")
            }
        }
        if case .success = played { trespasses.append("\(stranger) played in \(adventure)") }
        let registration = ActivityRegistration(
            id: ActivityID(rawValue: UUID(bytes: bytes(16))),
            pushToken: bytes(32),
            environment: .simulator,
            frequentPushesEnabled: true,
            locale: nil
        )
        let watched = await clients.ask { commands in
            try await commands.register(registration, for: adventure, by: stranger, request: nil) { _, _ in
                Answer(status: 201, body: "")
            }
        }
        if case .success = watched { trespasses.append("\(stranger) follows \(adventure)") }
        let led = await clients.ask { commands in
            try await commands.handOver(party, to: stranger, by: stranger, request: nil) { _ in
                Answer(status: 200, body: "")
            }
        }
        if case .success = led { trespasses.append("\(stranger) leads \(party)") }
    }

    // MARK: - Adventures

    private func play(_ phone: Phone, in id: AdventureID) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.follow(id, on: phone) }
            group.addTask { await self.command(phone, in: id) }
        }
    }

    private func command(_ phone: Phone, in id: AdventureID) async {
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
            let request = key("run/\(id)")
            let answer = await clients.ask { commands in
                try await commands.run(command, in: id, by: phone.player, request: request) { events, stored in
                    Answer(status: 200, body: "\(events.map(\.sequence)) \(stored.adventure.sequence)")
                }
            }
            switch answer {
            case .success(let answer)?:
                answers.append(AnswerRecord(adventureID: id, key: request.key, body: answer.body))
                await repeatNowAndThen(command, request, phone, in: id)
            case .failure(.adventure(.adventureOver))?, .failure(.unknownAdventure)?:
                return
            case .failure?, nil:
                continue
            }
        }
    }

    /// The same once more: it must have the same answer, and no effect.
    private func repeatNowAndThen(
        _ command: Command,
        _ request: RepeatableRequest,
        _ phone: Phone,
        in id: AdventureID
    ) async {
        guard world.happens(inAThousand: 250) else { return }
        let answer = await clients.ask { commands in
            try await commands.run(command, in: id, by: phone.player, request: request) { events, stored in
                Answer(status: 200, body: "\(events.map(\.sequence)) \(stored.adventure.sequence)")
            }
        }
        if case .success(let answer)? = answer {
            answers.append(AnswerRecord(adventureID: id, key: request.key, body: answer.body))
        }
    }

    // MARK: - Phones

    /// A card from its beginning to its end: late or early, with new tokens now and then, dismissed at times.
    private func follow(_ id: AdventureID, on phone: Phone) async {
        await pause(0...6_000)
        let activity = ActivityName(
            adventureID: id,
            activityID: ActivityID(rawValue: UUID(bytes: bytes(16)))
        )
        cards[activity] = CardRecord(playerID: phone.player)
        guard await showToken(of: activity, on: phone) else { return }
        while !isOver {
            await pause(2_000...20_000)
            switch world.number(below: 12) {
            case 0:
                await dismiss(activity, on: phone)
                return
            case 1:
                // The app is deleted: its tokens are dead, and nobody tells the service.
                cards[activity]?.isAbandoned = true
                apns.kill(activity)
                return
            case 2...4:
                await pause(0...3_000)
                _ = await showToken(of: activity, on: phone)
            default:
                if apns.cards[activity]?.hasEnded ?? true { return }
            }
        }
    }

    private func showToken(of activity: ActivityName, on phone: Phone) async -> Bool {
        let token = bytes(32)
        apns.issue(token, to: activity)
        cards[activity]?.tokenChanges.append((from: world.elapsed, until: nil))
        await pause(0...2_000)
        let registration = ActivityRegistration(
            id: activity.activityID,
            pushToken: token,
            environment: .simulator,
            frequentPushesEnabled: phone.takesFrequentPushes,
            locale: nil
        )
        let answer = await clients.ask { commands in
            try await commands.register(registration, for: activity.adventureID, by: phone.player, request: nil) {
                Answer(status: $1 ? 201 : 200, body: "\($0.generation)")
            }
        }
        let index = (cards[activity]?.tokenChanges.count ?? 1) - 1
        guard case .success? = answer else {
            cards[activity]?.isAbandoned = true
            return false
        }
        cards[activity]?.tokenChanges[index].until = world.elapsed
        return true
    }

    private func dismiss(_ activity: ActivityName, on phone: Phone) async {
        cards[activity]?.isAbandoned = true
        if world.number(below: 2) == 0 { apns.kill(activity) }
        await pause(0...3_000)
        let request = key("release")
        _ = await clients.ask { commands in
            try await commands.release(
                activity.activityID,
                of: activity.adventureID,
                by: phone.player,
                request: request
            )
        }
    }
}
