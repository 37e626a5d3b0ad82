import ActivityKit
import Foundation
import GameCore
import LiveActivityContent
import Observation
import RangersClient
import UserNotifications

/// The state of the app: the player, the party, and what is on the screen.
@MainActor @Observable
final class Game {
    static let shared = Game()

    private(set) var isRegistered = Session.player != nil
    private(set) var me: PlayerResponse?
    private(set) var heroes: [CatalogueHero] = []
    private(set) var regions: [CatalogueRegion] = []
    private(set) var party: PartyResponse?
    private(set) var adventure: AdventureResponse?
    private(set) var events: [EventResponse] = []
    /// Which alerts ring on this device.
    private(set) var alerts = Session.alerts
    /// The recovery code of a new player, until it was shown.
    var recoveryCode: RecoveryCode?
    /// The error of the last action; nil if it succeeded.
    var problem: String?

    // Raids, see Game+Raids.swift.

    /// The raids that are scheduled or running.
    var raids: [RaidResponse] = []
    /// The raid on the screen.
    var raid: RaidResponse?

    // Spectators, see Game+Spectators.swift.

    /// The link with which anyone can watch the party, once this launch of the app has opened it.
    var spectatorsLink: URL?
    /// The link of the party that this person watches; it is a secret.
    var watchedLink = Keychain["watched"]
    var watched: WatchedParty?
    var watchedEvents: [EventResponse] = []

    private(set) var activities: LiveActivities?
    private var following: Task<Void, Never>?

    /// The APNs environment of this build.
    static var environment: PushEnvironment {
        #if DEBUG
        return .sandbox
        #else
        return .production
        #endif
    }

    /// Connects ActivityKit to the server; call it at each launch, before anything else.
    func launch() {
        guard activities == nil, let player = Session.player else { return }
        let activities = LiveActivities(
            player: player,
            deviceID: Session.deviceID,
            environment: Self.environment,
            appBuild: Bundle.main.object(forInfoDictionaryKey: "CFBundleVersion") as? String,
            followsRaids: true,
            alertToken: { Session.alertToken },
            alerts: { Session.alerts },
            onToken: { line in print(line) },
            onError: { error in print("The server rejected a report: \(error)") }
        )
        self.activities = activities
        Task { await activities.run() }
    }

    /// Reports the newest token for ordinary alerts.
    func alertTokenChanged(to token: Data) {
        Session.alertToken = token
        activities?.deviceChanged()
    }

    /// Changes which alerts ring on this device.
    func change(_ alerts: AlertPreferences) {
        self.alerts = alerts
        Session.alerts = alerts
        activities?.deviceChanged()
    }

    func register(_ name: String, playing hero: HeroID) async {
        await attempt {
            // A second attempt with the same key gets the same player, even if the first response was lost.
            let key = Keychain["registration"].map(IdempotencyKey.init) ?? IdempotencyKey()
            Keychain["registration"] = key.rawValue
            let registered = try await Session.server.register(name, playing: hero, key: key)
            Keychain["token"] = registered.token.text
            Keychain["registration"] = nil
            recoveryCode = registered.recoveryCode
            isRegistered = true
            launch()
            // Without the permission only ordinary alerts are missing.
            _ = try? await UNUserNotificationCenter.current().requestAuthorization(options: [.alert, .sound])
            await refresh()
        }
    }

    /// Loads the profile, the catalogues, the party and the raids, and follows the party's adventure.
    func refresh() async {
        await attempt {
            guard let player = Session.player else { return }
            // A launch before the phone's first unlock could not read the token.
            isRegistered = true
            launch()
            // The player may have added widgets, whose token ActivityKit does not announce.
            activities?.deviceChanged()
            me = try await player.profile()
            heroes = try await player.heroes()
            regions = try await player.regions()
            party = try await player.parties().first
            if let adventureID = adventure?.adventureID ?? party?.adventureID { follow(adventureID) }
            raids = try await player.raids()
            try await activities?.updateRaids()
        }
    }

    func choose(_ hero: HeroID) async {
        await attempt { me = try await Session.player?.changeProfile(hero: hero) }
    }

    func showNameInLeaderboards(_ isShown: Bool) async {
        await attempt { me = try await Session.player?.changeProfile(namedInLeaderboards: isShown) }
    }

    func createParty(named name: String) async {
        await attempt { party = try await Session.player?.createParty(named: name) }
    }

    func join(_ inviteCode: String) async {
        await attempt { party = try await Session.player?.join(inviteCode) }
    }

    /// Starts a journey of the party, with a Live Activity on this phone; the server starts those of the other members.
    func setOut(through region: RegionID) async {
        await attempt {
            guard let player = Session.player, let me, let party else { return }
            let journey = try await player.startJourney(of: party.partyID, in: region)
            follow(journey.adventureID)
            try activities?.start(journey, of: party, for: me.playerID)
        }
    }

    /// Whether the player's hero can act now.
    var isOwnTurn: Bool { ownHero.map { !$0.isDown && $0.seat == adventure?.turn?.seat } ?? false }

    var ownHero: AdventureResponse.Hero? { me.flatMap { adventure?.hero(of: $0.playerID) } }

    func run(_ command: Command) async {
        await attempt {
            guard let adventureID = adventure?.adventureID else { return }
            adventure = try await Session.player?.run(command, in: adventureID).adventure
        }
    }

    /// Whether the player leads the party, and so decides about its adventures and spectators.
    var isLeader: Bool { party != nil && party?.leaderID == me?.playerID }

    /// Opens a deep link of a Live Activity, or one that a person has sent.
    func open(_ url: URL) {
        switch DeepLink(url) {
        case .adventure(let id): open(id)
        case .raid(let id): Task { await show(id) }
        case .party(let link): watch(link)
        case .lastParty: watchedLink = Keychain["watched"]
        case nil: break
        }
    }

    private func open(_ adventureID: AdventureID) {
        (raid, watchedLink) = (nil, nil)
        follow(adventureID)
        let tapped = Activity<AdventureAttributes>.activities.first {
            $0.attributes.adventureID == adventureID.description
        }
        if let tapped, let activities { Task { await activities.tapped(tapped) } }
    }

    /// Updates the Live Activities of an adventure while the app shows it, so that they are right even without pushes.
    func updateActivities(of adventureID: AdventureID) async {
        guard let activities, let me else { return }
        await attempt { try await activities.followAdventure(adventureID, for: me.playerID) }
    }

    /// Leaves the screen of an adventure that is over.
    func close() async {
        following?.cancel()
        adventure = nil
        await refresh()
    }

    /// Shows an adventure with its events, until it is over or another one is shown.
    func follow(_ adventureID: AdventureID) {
        following?.cancel()
        following = Task {
            await attempt {
                guard let player = Session.player else { return }
                adventure = try await player.adventure(adventureID)
                events = []
                for try await event in player.stream(of: adventureID) {
                    if event.sequence == 1 { events = [] }
                    events.append(event)
                    if event.sequence > adventure?.sequence ?? 0 {
                        adventure = try await player.adventure(adventureID)
                    }
                }
                party = try await player.parties().first
            }
        }
    }

    /// Runs an action, and keeps the error for the screen.
    func attempt(_ action: () async throws -> Void) async {
        do {
            problem = nil
            try await action()
        } catch is CancellationError {
            // Something else is shown.
        } catch RangersError.problem(let refusal) {
            problem = refusal.detail ?? refusal.title
        } catch {
            problem = error.localizedDescription
        }
    }
}
