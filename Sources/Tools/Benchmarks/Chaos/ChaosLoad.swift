import Encodings
import Foundation
import GameCore
import SimulatedPlayers
import Synchronization

/// The players of a run: parties that travel, parties that join raids, parties that wait for an operator's boss, and a
/// stranger who tries requests that only members may make.
final class ChaosLoad: Sendable {
    private static let strangerPause = Duration.seconds(2)
    /// The time between two changes of a party by its leader.
    private static let managementPause = Duration.seconds(1)
    /// The ratio of guests to travelling parties.
    private static let guestShare = 0.5

    /// The body of a registration.
    private struct Registration: Decodable { let pushToken: String }

    private struct State {
        var parties: [AutonomousParty] = []
        var journeys = 0
        var isOpen = true
        /// The newest push token of each activity with a rotated token.
        var rotations: [ActivityID: Data] = [:]
        var attempts = 0
        var intrusions: [String] = []
    }

    private let cluster: ChaosCluster
    private let travelling: Int
    private let raiding: Int
    private let waiting: Int
    private let state = Mutex(State())

    /// The number of guest parties, which come and go during a run.
    var guests: Int { max(1, Int(Double(travelling) * Self.guestShare)) }

    /// Creates the players.
    /// - Parameters:
    ///   - cluster: the system under test.
    ///   - parties: the number of parties without guests.
    ///   - hasRaids: whether two or more of the parties join raids, and only these.
    init(in cluster: ChaosCluster, parties: Int, hasRaids: Bool = false) {
        self.cluster = cluster
        waiting = max(2, parties / 3)
        raiding = hasRaids ? max(2, parties / 4) : 0
        travelling = max(1, parties - waiting - raiding)
    }

    /// Creates the parties.
    func gather() async throws {
        let parties = try await gather(travelling + raiding + waiting, named: "Party")
        state.withLock { $0.parties = parties }
    }

    /// Plays until the task is cancelled.
    func play() async {
        let parties = state.withLock(\.parties)
        await withDiscardingTaskGroup { group in
            for (number, party) in parties.enumerated() {
                group.addTask { [self] in
                    if (travelling..<travelling + raiding).contains(number) {
                        await party.playInRaids { self.state.withLock(\.isOpen) }
                    } else {
                        let travels = number < travelling
                        await party.play { travels ? self.destination() : nil }
                    }
                }
                guard cluster.journal.requests != nil else { continue }
                group.addTask { await party.manage(every: Self.managementPause) }
            }
            group.addTask { [self] in await tryIntrusions(into: parties) }
        }
    }

    /// Creates guest parties, which play for a time and stop in the middle of their adventures.
    /// - Returns: the number of parties.
    func raise(for length: Duration) async throws -> Int {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<guests {
                group.addTask { [self] in
                    let party = try await party(number, named: "Guests \(number)")
                    await party.play { self.destination() }
                }
            }
            try await Task.sleep(for: length)
            group.cancelAll()
            while let result = await group.nextResult() {
                // Guests who are still registering are cancelled; the database may have lost the others.
                if case .failure(let error) = result, !(error is CancellationError), !cluster.losesCommits {
                    throw error
                }
            }
        }
        return guests
    }

    /// Creates guest parties, which play for a time and are then disbanded.
    func visit(for length: Duration) async throws {
        let parties = try await gather(guests, named: "Guests")
        try await withThrowingDiscardingTaskGroup { group in
            for party in parties { group.addTask { [self] in await party.play { self.destination() } } }
            try await Task.sleep(for: length)
            group.cancelAll()
        }
        for party in parties { try await party.leave() }
    }

    /// Gives every live activity another push token.
    /// - Returns: the number of tokens.
    func rotateTokens() async throws -> Int {
        var count = 0
        for phone in try await cluster.simulator.phones() {
            for activity in phone.activities where !activity.isEndedByPush {
                // Fails for an activity that has ended in the meantime.
                guard let token = try? await cluster.simulator.rotateToken(of: activity.activityID, on: phone.phoneID)
                else { continue }
                state.withLock { $0.rotations[activity.activityID] = token }
                count += 1
            }
        }
        return count
    }

    /// Stops starting journeys and joining raids.
    func close() { state.withLock { $0.isOpen = false } }

    /// Returns the responses that clients received; complete only when no client sends requests any more.
    func history() async throws -> ClientHistory {
        var history = cluster.journal.history
        let registrations = history.writes.filter { $0.method == "PUT" }
        let known = Set(registrations.map { $0.path.lowercased().split(separator: "/").last ?? "" })
        let tokens = Set(
            registrations.compactMap { try? JSONDecoder().decode(Registration.self, from: $0.body).pushToken }
        )
        let state = state.withLock { $0 }
        for activity in try await cluster.simulator.phones().flatMap(\.activities) {
            let id = activity.activityID
            let isTokenKnown = state.rotations[id].map { tokens.contains(Array($0).hexadecimal) } ?? true
            if !isTokenKnown || !known.contains(id.description.lowercased()[...]) { history.abandoned.insert(id) }
        }
        history.intrusionAttempts = state.attempts
        history.intrusions = state.intrusions
        return history
    }

    private func gather(_ count: Int, named name: String) async throws -> [AutonomousParty] {
        try await concurrently(count) { [self] number in try await party(number, named: "\(name) \(number)") }
    }

    /// Creates a party of one to three players; larger parties would add no other kind of load.
    ///
    /// The leader of every second party has a phone and a tablet.
    private func party(_ number: Int, named name: String) async throws -> AutonomousParty {
        let roles = (0...number % 3).map { PlayerRole.cast[(number + $0) % PlayerRole.cast.count] }
        return try await AutonomousParty.gather(
            roles,
            named: name,
            in: cluster.players,
            leaderHasTablet: number.isMultiple(of: 2)
        )
    }

    /// Returns the region of the next journey; nil for none.
    private func destination() -> RegionID? {
        state.withLock { state in
            guard state.isOpen else { return nil }
            state.journeys += 1
            return RegionCatalogue.all[state.journeys % RegionCatalogue.all.count].id
        }
    }

    private func tryIntrusions(into parties: [AutonomousParty]) async {
        let stranger: Outsider
        do { stranger = try await Outsider.register(in: cluster.players) } catch {
            if !Task.isCancelled { cluster.journal.reportProblem("the stranger cannot register: \(error)") }
            return
        }
        var turn = 0
        while !Task.isCancelled {
            let party = parties[turn % parties.count]
            turn += 1
            let adventureID = try? await party.adventureID()
            let outcome = await stranger.probe(of: party.id, on: adventureID)
            state.withLock { state in
                state.attempts += outcome.attempts
                state.intrusions += outcome.findings
            }
            await Polling.pause(Self.strangerPause)
        }
    }
}
