import GameCore
import RangersClient

// Raids: one boss against all parties that join.
extension Game {
    /// Shows a raid on the screen.
    func show(_ raidID: RaidID) async {
        await attempt {
            raid = try await Session.player?.raid(raidID, party: party?.partyID)
            watchedLink = nil
        }
    }

    /// Keeps the raid on the screen up to date, and its Live Activity, too.
    func followRaid(_ raidID: RaidID) async {
        await attempt {
            guard let player = Session.player else { return }
            try await player.followRaid(raidID, party: party?.partyID) { newest in
                // The person may have left the screen meanwhile.
                guard raid?.raidID == raidID else { return }
                raid = newest
                await activities?.update(newest)
            }
        }
    }

    /// Whether the party can join the raid on the screen.
    var canJoinRaid: Bool { raid?.state.value == .running && isLeader && party?.adventureID == nil }

    /// Lets the party join the raid on the screen: with a Live Activity of its own fight on this phone, which the server starts
    /// on those of the other members, and one of the common boss.
    func joinRaid() async {
        await attempt {
            guard let player = Session.player, let me, let party, let raid else { return }
            let fight = try await player.joinRaid(raid.raidID, with: party.partyID)
            self.raid = nil
            follow(fight.adventureID)
            try activities?.start(fight, of: party, for: me.playerID)
            try activities?.follow(raid)
        }
    }

    /// Whether a Live Activity of the raid on the screen can be started: APNs creates its channel seconds after its start.
    var canFollowRaid: Bool { raid?.state.value == .running && raid?.channels?[Self.environment.rawValue] != nil }

    /// Shows the common boss in a Live Activity, with or without a fight of the own party.
    func followRaidOnLockScreen() async {
        await attempt {
            if let raid { try activities?.follow(raid) }
        }
    }

    /// Leaves the screen of the raid.
    func closeRaid() async {
        raid = nil
        await refresh()
    }
}
