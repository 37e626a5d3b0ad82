public import GameCore
import LiveActivityContent

/// The rules that map each event of an adventure to its requirements for the phones that follow the adventure.
///
/// They are one exhaustive switch without `default`, so a new event without a rule does not compile. A rule states the
/// *need*; `PushCadence` decides when it is met, within the budget of the phone.
public enum PushRules {
    /// Returns the rule for an event.
    /// - Parameters:
    ///   - event: the event.
    ///   - adventure: the adventure after the event, or later; only its heroes, and whether they have left, are used.
    ///   - receiver: the seat of the hero whose player owns the phone.
    ///   - playerNames: the names of the players, for alerts about companions with the same hero.
    /// - Returns: the requirements of the event for that phone.
    public static func rule(
        for event: AdventureEvent,
        after adventure: Adventure,
        receiver: Seat,
        playerNames: [PlayerID: String] = [:]
    ) -> PushRule {
        rule(
            for: event,
            receiver: receiver,
            heroName: { adventure.heroName(at: $0) },
            playerName: { adventure.playerName(at: $0, among: playerNames) }
        )
    }

    /// Returns the freshness of an adventure's current state, for a dispatcher that has not observed all events.
    /// - Parameters:
    ///   - adventure: the adventure as it is now.
    ///   - headline: its last event for which ``GameCore/AdventureEvent/isHeadline`` is true. If its rule has no
    ///     freshness, the kind of the adventure decides.
    ///   - receiver: the seat of the hero whose player owns the phone.
    /// - Returns: the freshness of the next push, unless another event comes before it.
    public static func freshness(of adventure: Adventure, after headline: AdventureEvent, receiver: Seat) -> Freshness {
        freshness(of: adventure.kind, after: headline, receiver: receiver)
    }

    /// Returns the freshness of the state of an adventure of a kind after its last headline.
    package static func freshness(of kind: AdventureKind, after headline: AdventureEvent, receiver: Seat) -> Freshness {
        func freshness(of event: AdventureEvent) -> Freshness? {
            rule(for: event, receiver: receiver, heroName: { _ in "" }).freshness
        }
        return freshness(of: headline) ?? freshness(of: .adventureStarted(kind: kind)) ?? .brief
    }

    static func rule(
        for event: AdventureEvent,
        receiver: Seat,
        heroName: (Seat) -> String,
        playerName: (Seat) -> String? = { _ in nil }
    ) -> PushRule {
        switch event {
        case .adventureStarted(let kind):
            PushRule(
                .low,
                freshness: kind == .journey ? .lasting : .brief,
                because: "the activity was just started with this state"
            )
        case .storyTold:
            PushRule(.low, freshness: .lasting, because: "a story can wait until the player looks")
        case .travelled:
            PushRule(.low, freshness: .lasting, because: "scenery can wait")
        case .lootFound:
            PushRule(.low, freshness: .lasting, because: "loot can wait")
        case .hazardStruck, .restTaken:
            PushRule(.low, freshness: .lasting, because: "the next state shows its effect")
        case .encounterMet, .foeStruck, .encounterWon:
            PushRule(.low, freshness: .lasting, because: "the party fights small foes without its players")
        case .heroHurt(let hero, _, _, inDanger: true) where hero == receiver:
            PushRule(
                .high,
                state: .low,
                alert: .heroInDanger(named: heroName(hero)),
                because: "a potion now saves the hero from the next blow"
            )
        case .heroHurt:
            PushRule(.low, because: "a hero who still stands needs no immediate help")
        case .heroHealed(let hero, _, _) where hero == receiver:
            PushRule(.low, cancels: [.heroInDanger], because: "a gain can wait")
        case .heroHealed:
            PushRule(.low, because: "a gain can wait")
        case .heroLevelledUp:
            PushRule(.low, because: "a gain can wait")
        case .memberJoined:
            PushRule(.low, because: "the next state shows the new member")
        case .heroRevived(let hero, _):
            PushRule(
                .low,
                cancels: [hero == receiver ? .ownHeroDown : .companionDown(hero)],
                because: "a hero who is up again needs no potion"
            )
        case .heroDown(let hero):
            PushRule(
                .high,
                state: .low,
                alert: .heroDown(hero, named: heroName(hero), of: playerName(hero), receiver: receiver),
                cancels: hero == receiver ? [.heroInDanger] : [],
                freshness: .brief,
                because: "the hero needs a potion now"
            )
        case .bossAppeared(let boss):
            PushRule(
                .high,
                state: .turn,
                alert: .bossAppeared(boss),
                freshness: .brief,
                because: "the fight begins, and players have turns to take"
            )
        case .turnStarted(_, let hero) where hero == receiver:
            PushRule(
                .high,
                state: .turn,
                alert: .ownTurn(ofHeroNamed: heroName(receiver)),
                freshness: .brief,
                because: "the fight waits a few seconds for this player"
            )
        case .actionTaken(let hero, _, _) where hero == receiver:
            PushRule(.turn, cancels: [.ownTurn], freshness: .brief, because: "the turn is over")
        case .turnStarted, .actionTaken, .bossActed, .bossHealed, .bossHindered:
            // This includes a move that takes aim at the receiver's own hero: it recurs, and on a phone without
            // frequent pushes it would spend the small budget that alerts need.
            PushRule(.turn, freshness: .brief, because: "phones with frequent pushes show a fight turn by turn")
        case .bossEnraged:
            PushRule(.turn, freshness: .brief, because: "the boss fights differently from now on")
        case .raidProgressed:
            PushRule(.turn, freshness: .brief, because: "phones with frequent pushes show the common boss as it is")
        case .policyChosen:
            PushRule(.low, because: "it concerns only the player who chose it")
        case .bossDefeated(let boss):
            PushRule(.high, state: .turn, alert: .bossDefeated(boss), because: "the party has won")
        case .partyWiped:
            PushRule(.high, state: .turn, alert: .partyWiped, because: "all heroes are down")
        case .memberLeft(let hero):
            hero == receiver
                ? PushRule(.high, state: .low, endsActivity: true, because: "the member has left, so the activity ends")
                : PushRule(.low, cancels: [.companionDown(hero)], because: "the next state shows who left")
        case .adventureEnded(let outcome):
            PushRule(
                .high,
                state: .low,
                alert: .adventureOver(outcome),
                endsActivity: true,
                because: "the activity shows the final state and ends"
            )
        }
    }
}
