public import Foundation
public import GameCore
public import RangersClient

/// A party whose members play one adventure after another by themselves, and continue after failures of the service.
public struct AutonomousParty: Sendable {
    /// The environment of the players.
    public struct Dependencies: Sendable {
        /// The address of rangersd.
        public var server: URL
        /// The simulator with the phones.
        public var simulator: SimulatorClient
        /// The transport of requests to the server.
        public var transport: any RangersTransport
        /// The time for which a request is retried before a player gives up.
        public var retryTimeLimit: Duration
        /// The players' polling interval.
        public var pollInterval: Duration

        /// Creates an environment.
        public init(
            server: URL,
            simulator: SimulatorClient,
            transport: any RangersTransport,
            retryTimeLimit: Duration,
            pollInterval: Duration
        ) {
            self.server = server
            self.simulator = simulator
            self.transport = transport
            self.retryTimeLimit = retryTimeLimit
            self.pollInterval = pollInterval
        }
    }

    /// The number of rounds of ``manage(every:)`` until another member leads.
    private static let roundsPerLeader = 4

    /// The party's identifier.
    public let id: PartyID
    private let members: [AttachedPlayer]
    private let pollInterval: Duration

    /// Creates a party of new players on new phones; the first creates it, and the others join with its code.
    /// - Parameters:
    ///   - roles: the players' roles: at least one, at most a party's capacity.
    ///   - name: the party's name.
    ///   - dependencies: the players' environment.
    ///   - leaderHasTablet: whether the first player has a tablet beside the phone.
    /// - Returns: the party.
    /// - Throws: ``RangersError``.
    public static func gather(
        _ roles: [PlayerRole],
        named name: String,
        in dependencies: Dependencies,
        leaderHasTablet: Bool
    ) async throws -> AutonomousParty {
        precondition(!roles.isEmpty, "a party has at least one member")
        var members: [AttachedPlayer] = []
        var party: PartyResponse?
        for role in roles {
            let player = try await player(as: role, in: dependencies)
            let joined =
                if let party { try await player.server.join(party.inviteCode) } else {
                    try await player.server.createParty(named: name)
                }
            party = joined
            var member = AttachedPlayer(role: role, partyID: joined.partyID, player: player)
            member.pollInterval = dependencies.pollInterval
            members.append(member)
        }
        if leaderHasTablet { members[0].tablet = try await members[0].player.addTablet() }
        return AutonomousParty(id: members[0].partyID, members: members, pollInterval: dependencies.pollInterval)
    }

    private static func player(as role: PlayerRole, in dependencies: Dependencies) async throws -> SimulatedPlayer {
        let phoneID = try await dependencies.simulator.addPhone(
            label: role.displayName,
            locale: role.locale,
            frequentPushesEnabled: role.frequentPushesEnabled
        )
        return try await SimulatedPlayer.register(
            as: role,
            at: dependencies.server,
            with: dependencies.simulator,
            on: phoneID,
            retryTimeLimit: dependencies.retryTimeLimit,
            over: dependencies.transport
        )
    }

    /// Plays until cancellation.
    /// - Parameter destination: returns the region for the next journey, called whenever the party is on no adventure;
    ///   nil to wait.
    public func play(travellingTo destination: @escaping @Sendable () -> RegionID?) async {
        await play(starting: { leader in
            guard let region = destination() else { return }
            _ = try await leader.startJourney(of: id, in: region)
        })
    }

    /// Plays until cancellation, in one raid after another.
    /// - Parameter joinsRaids: returns whether the party joins a running raid, also again after a defeat; called whenever
    ///   the party is on no adventure.
    public func playInRaids(while joinsRaids: @escaping @Sendable () -> Bool) async {
        await play(starting: { leader in
            guard joinsRaids(), let raid = try await leader.raids().first(where: { $0.state.value == .running }) else {
                return
            }
            _ = try await leader.joinRaid(raid.raidID, with: id)
        })
    }

    /// Plays until cancellation.
    /// - Parameter start: starts an adventure, unless there is a reason to wait; called whenever the party is on none.
    private func play(starting start: @escaping @Sendable (PlayerClient) async throws -> Void) async {
        await withDiscardingTaskGroup { group in
            for member in members {
                group.addTask { await member.play() }
            }
            while !Task.isCancelled {
                await startAdventure(start)
                // The loop checks for cancellation.
                try? await Task.sleep(for: pollInterval)
            }
            group.cancelAll()
        }
    }

    /// Changes the party until cancellation, as two devices of its leader do at the same time.
    ///
    /// Both renew the invite code of the version that they have read, so that one of them is refused. The leadership
    /// goes to another member and back from time to time.
    /// - Parameter pause: the time between two rounds.
    public func manage(every pause: Duration) async {
        let leader = members[0].player.server
        var round = 0
        while !Task.isCancelled {
            round += 1
            do {
                let party = try await leader.party(id)
                if let other = members.first(where: { $0.id == party.leaderID && $0.id != members[0].id }) {
                    _ = try await other.player.server.handOver(id, to: members[0].id)
                } else if members.count > 1, round.isMultiple(of: Self.roundsPerLeader) {
                    _ = try await leader.handOver(id, to: members[1].id, ifVersion: party.version)
                } else {
                    async let first = leader.renewInviteCode(of: id, ifVersion: party.version)
                    async let second = leader.renewInviteCode(of: id, ifVersion: party.version)
                    _ = try? await first
                    _ = try? await second
                }
            } catch {
                // The journal of requests shows what failed; the next round starts from the party as it is then.
            }
            // The loop checks for cancellation.
            try? await Task.sleep(for: pause)
        }
    }

    /// Removes all members, which disbands the party and ends its adventure.
    /// - Throws: ``RangersError``.
    public func leave() async throws {
        for member in members { try await member.player.server.remove(member.id, from: id) }
    }

    private func startAdventure(_ start: (PlayerClient) async throws -> Void) async {
        let leader = members[0].player.server
        do {
            guard try await leader.party(id).adventureID == nil else { return }
            try await start(leader)
        } catch {
            // The next iteration finds out whether another adventure started or the server failed.
        }
    }

    /// Returns the party's adventure, as the leader sees it; nil between adventures.
    /// - Throws: ``RangersError``.
    public func adventureID() async throws -> AdventureID? {
        try await members[0].player.server.party(id).adventureID
    }
}
