public import Foundation
public import GameCore
public import RangersClient

/// A party whose members play by themselves, on adventure after adventure, whatever happens to the service meanwhile.
public struct PlayingParty: Sendable {
    /// How its players reach the game, and how patient they are.
    public struct Dependencies: Sendable {
        /// Where rangersd is.
        public var server: URL
        /// Where the phones are.
        public var simulator: SimulatorClient
        /// What carries requests to the server.
        public var transport: any RangersTransport
        /// For how long a request is tried again before a player gives up.
        public var patience: Duration
        /// Between two looks of a player.
        public var pause: Duration

        /// What players have around them.
        public init(
            server: URL,
            simulator: SimulatorClient,
            transport: any RangersTransport,
            patience: Duration,
            pause: Duration
        ) {
            self.server = server
            self.simulator = simulator
            self.transport = transport
            self.patience = patience
            self.pause = pause
        }
    }

    /// Names the party.
    public let id: PartyID
    private let members: [AttachedPlayer]
    private let pause: Duration

    /// Makes a party of new players on new phones: the first creates it, the others join by its code.
    /// - Parameters:
    ///   - roles: who they are: at least one, at most a party's capacity.
    ///   - name: the party's name.
    ///   - dependencies: where they play.
    /// - Returns: the party.
    /// - Throws: ``RangersError``.
    public static func gather(
        _ roles: [PlayerRole],
        named name: String,
        in dependencies: Dependencies
    ) async throws -> PlayingParty {
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
            member.pause = dependencies.pause
            members.append(member)
        }
        return PlayingParty(id: members[0].partyID, members: members, pause: dependencies.pause)
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
            patience: dependencies.patience,
            over: dependencies.transport
        )
    }

    /// Plays, until the task is cancelled.
    /// - Parameter destination: where the leader sets out for, asked whenever the party is on no adventure; nil for not
    ///   now.
    public func play(settingOut destination: @escaping @Sendable () -> RegionID?) async {
        await withDiscardingTaskGroup { group in
            for member in members {
                group.addTask { await member.play() }
            }
            while !Task.isCancelled {
                await setOut(for: destination)
                // Who is cancelled needs no pause.
                try? await Task.sleep(for: pause)
            }
            group.cancelAll()
        }
    }

    /// Everybody leaves the party, which is disbanded with the last of them; an adventure that it is on ends.
    /// - Throws: ``RangersError``.
    public func leave() async throws {
        for member in members { try await member.player.server.remove(member.id, from: id) }
    }

    private func setOut(for destination: () -> RegionID?) async {
        let leader = members[0].player.server
        do {
            guard try await leader.party(id).adventureID == nil, let region = destination() else { return }
            _ = try await leader.startJourney(of: id, in: region)
        } catch {
            // Somebody else was first, or nobody answered: the next look tells.
        }
    }

    /// The adventure that the party is on, as its leader is told; nil between adventures.
    /// - Throws: ``RangersError``.
    public func adventureID() async throws -> AdventureID? {
        try await members[0].player.server.party(id).adventureID
    }
}
