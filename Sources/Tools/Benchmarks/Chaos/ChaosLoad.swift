import Encodings
import Foundation
import GameCore
import RangersClient
import SimulatedPlayers
import Synchronization

/// The players of a run: parties that travel, parties that wait for an operator's boss, and a stranger who tries what only
/// members may.
final class ChaosLoad: Sendable {
    private static let pauseOfStranger = Duration.seconds(2)
    /// How many come at once while the load is raised, as a share of those who travel always.
    private static let raise = 0.5

    /// What a phone tells of a card, as far as it matters here.
    private struct Registered: Decodable { let pushToken: String }

    private struct State {
        var parties: [PlayingParty] = []
        var journeys = 0
        var isOpen = true
        /// By card: the newest token that a phone was given in place of another.
        var rotations: [ActivityID: Data] = [:]
        var attempts = 0
        var trespasses: [String] = []
    }

    private let world: ChaosWorld
    /// How many parties travel.
    private let travelling: Int
    /// How many wait for a boss.
    private let waiting: Int
    private let state = Mutex(State())

    /// How many parties come and go.
    var guests: Int { max(1, Int(Double(travelling) * Self.raise)) }

    init(in world: ChaosWorld, parties: Int) {
        self.world = world
        waiting = max(2, parties / 3)
        travelling = max(1, parties - waiting)
    }

    /// Gathers the parties.
    func gather() async throws {
        try await withThrowingTaskGroup(of: PlayingParty.self) { group in
            for number in 0..<travelling + waiting {
                group.addTask { [self] in try await party(number, named: "Party \(number)") }
            }
            for try await party in group { state.withLock { $0.parties.append(party) } }
        }
    }

    /// Plays, until the task is cancelled.
    func play() async {
        let parties = state.withLock(\.parties)
        await withDiscardingTaskGroup { group in
            for (number, party) in parties.enumerated() {
                let travels = number < travelling
                group.addTask { [self] in await party.play { travels ? self.destination() : nil } }
            }
            group.addTask { [self] in await tryDoors(of: parties) }
        }
    }

    /// More parties come, play for so long, and go home in the midst of it.
    func raise(for length: Duration) async throws -> String {
        let count = guests
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask { [self] in
                    let party = try await party(number, named: "Guests \(number)")
                    await party.play { self.destination() }
                }
            }
            try await Wait.passing(length)
            group.cancelAll()
            while let result = await group.nextResult() {
                // Who has not been let in by now goes home as well.
                if case .failure(let error) = result, !(error is CancellationError) { throw error }
            }
        }
        return "\(count) parties more"
    }

    /// As many parties come, play for so long, and leave for good: nothing is left of them that could be set out with.
    func visit(for length: Duration) async throws {
        let parties = try await withThrowingTaskGroup(of: PlayingParty.self) { group in
            for number in 0..<guests {
                group.addTask { [self] in try await party(number, named: "Guests \(number)") }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        try await withThrowingDiscardingTaskGroup { group in
            for party in parties { group.addTask { [self] in await party.play { self.destination() } } }
            try await Wait.passing(length)
            group.cancelAll()
        }
        for party in parties { try await party.leave() }
    }

    /// Gives every live card another token.
    func rotateTokens() async throws -> String {
        var count = 0
        for phone in try await world.simulator.phones() {
            for activity in phone.activities where !activity.isEndedByPush {
                // One that has ended meanwhile has no token.
                guard let token = try? await world.simulator.rotateToken(of: activity.activityID, on: phone.phoneID)
                else { continue }
                state.withLock { $0.rotations[activity.activityID] = token }
                count += 1
            }
        }
        return "\(count) tokens"
    }

    /// Nobody sets out any more.
    func close() { state.withLock { $0.isOpen = false } }

    /// What clients were told, once nobody asks for anything any more.
    func acknowledged() async throws -> Acknowledged {
        let (writes, inDoubt) = world.journal.writes()
        let registrations = writes.filter { $0.method == "PUT" }
        let known = Set(registrations.map { $0.path.lowercased().split(separator: "/").last ?? "" })
        let tokens = Set(
            registrations.compactMap { try? JSONDecoder().decode(Registered.self, from: $0.body).pushToken }
        )
        let state = state.withLock { $0 }
        var acknowledged = Acknowledged()
        acknowledged.writes = writes
        acknowledged.inDoubt = inDoubt
        for activity in try await world.simulator.phones().flatMap(\.activities) {
            let id = activity.activityID
            let isTold = state.rotations[id].map { tokens.contains($0.hexadecimal) } ?? true
            if !isTold || !known.contains(id.description.lowercased()[...]) { acknowledged.abandoned.insert(id) }
        }
        acknowledged.trespassAttempts = state.attempts
        acknowledged.trespasses = state.trespasses
        return acknowledged
    }

    private func party(_ number: Int, named name: String) async throws -> PlayingParty {
        // One player, two or three: a party of more makes no other kind of load, only more of it.
        let roles = (0...number % 3).map { PlayerRole.cast[(number + $0) % PlayerRole.cast.count] }
        return try await PlayingParty.gather(roles, named: name, in: world.players)
    }

    /// Each journey leads through the next region.
    private func destination() -> RegionID? {
        state.withLock { state in
            guard state.isOpen else { return nil }
            state.journeys += 1
            return RegionCatalogue.all[state.journeys % RegionCatalogue.all.count].id
        }
    }

    private func tryDoors(of parties: [PlayingParty]) async {
        guard let stranger = try? await Stranger.come(in: world.players) else { return }
        var turn = 0
        while !Task.isCancelled {
            let party = parties[turn % parties.count]
            turn += 1
            let adventureID = try? await party.adventureID()
            let outcome = await stranger.tryDoors(of: party.id, on: adventureID)
            state.withLock { state in
                state.attempts += outcome.attempts
                state.trespasses += outcome.findings
            }
            await Wait.betweenLooks(Self.pauseOfStranger)
        }
    }
}
