public import GameCore
import LiveActivityContent

/// What each event of an adventure owes the phones that follow it.
///
/// The one place that decides how loud an event is: a switch over all events without a `default`, so that a new event
/// does not compile until someone has decided. What is decided here is the *need*; when it is met, and whether the
/// budget of a phone allows it at once, is the business of `PushCadence`.
public enum PushRules {
    /// The rule for an event.
    /// - Parameters:
    ///   - event: what happened.
    ///   - adventure: the adventure after it, or later: it only lends its heroes' names.
    ///   - receiver: the seat of the hero whose player holds the phone.
    /// - Returns: what the event owes that phone.
    public static func rule(for event: Event, after adventure: Adventure, receiver: Seat) -> PushRule {
        rule(for: event, receiver: receiver, heroName: adventure.heroName(at:))
    }

    /// How long an adventure's state stays true for whoever has not seen all that led to it.
    /// - Parameters:
    ///   - adventure: as it is now.
    ///   - headline: the last event of it that a card tells; where that says nothing of it, the adventure's kind does.
    ///   - receiver: the seat of the hero whose player holds the phone.
    /// - Returns: what a card's next push has, unless something happens before.
    public static func freshness(of adventure: Adventure, after headline: Event, receiver: Seat) -> Freshness {
        func said(by event: Event) -> Freshness? {
            rule(for: event, after: adventure, receiver: receiver).freshness
        }
        return said(by: headline) ?? said(by: .adventureStarted(kind: adventure.kind)) ?? .brief
    }

    static func rule(for event: Event, receiver: Seat, heroName: (Seat) -> String) -> PushRule {
        switch event {
        case .adventureStarted(let kind):
            PushRule(
                .low,
                fresh: kind == .bossFight ? .brief : .lasting,
                because: "the card was made with this state a moment ago"
            )
        case .storyTold:
            PushRule(.low, fresh: .lasting, because: "a story is told to whoever looks")
        case .travelled:
            PushRule(.low, fresh: .lasting, because: "scenery can wait")
        case .lootFound:
            PushRule(.low, fresh: .lasting, because: "loot does not run away")
        case .hazardStruck, .restTaken:
            PushRule(.low, fresh: .lasting, because: "what it did to whom is seen with the next state")
        case .encounterMet, .foeStruck, .encounterWon:
            PushRule(.low, fresh: .lasting, because: "the party fights small foes by itself")
        case .heroHurt:
            PushRule(.low, because: "a hero who still stands needs nobody at once")
        case .heroHealed:
            PushRule(.low, because: "good news can wait")
        case .heroLevelledUp:
            PushRule(.low, because: "good news can wait")
        case .memberJoined:
            PushRule(.low, because: "a new face is seen with the next state")
        case .heroRevived(let hero, _):
            PushRule(
                .low,
                cancels: [hero == receiver ? .ownHeroDown : .companionDown(hero)],
                because: "a hero who is up again needs no potion"
            )
        case .heroDown(let hero):
            PushRule(
                .high,
                alert: .heroDown(hero, named: heroName(hero), receiver: receiver),
                fresh: .brief,
                because: "a potion helps now"
            )
        case .bossAppeared(let boss):
            PushRule(
                .high,
                alert: .bossAppeared(boss),
                fresh: .brief,
                because: "the fight begins, with turns to take"
            )
        case .turnStarted(_, let hero) where hero == receiver:
            PushRule(
                .high,
                alert: .ownTurn(ofHeroNamed: heroName(receiver)),
                fresh: .brief,
                because: "the fight waits for this player, for seconds"
            )
        case .actionTaken(let hero, _, _) where hero == receiver:
            PushRule(.turn, cancels: [.ownTurn], fresh: .brief, because: "the turn has passed")
        case .turnStarted, .actionTaken, .bossActed, .bossHealed, .bossHindered:
            // Aiming at the receiver's own hero is no exception: it happens again and again, and on a phone without
            // frequent pushes it would take from the alerts the little budget that there is.
            PushRule(.turn, fresh: .brief, because: "a fight is followed turn by turn where the phone allows it")
        case .bossEnraged:
            PushRule(.turn, fresh: .brief, because: "from now on it fights in another way")
        case .policyChosen:
            PushRule(.low, because: "who chose it knows it, and the others need not")
        case .bossDefeated(let boss):
            PushRule(.high, alert: .bossDefeated(boss), because: "this is what the party fought for")
        case .partyWiped:
            PushRule(.high, alert: .partyWiped, because: "nobody is left standing")
        case .memberLeft(let hero):
            hero == receiver
                ? PushRule(.high, endsActivity: true, because: "who has left sees the party no more: the card ends")
                : PushRule(.low, cancels: [.companionDown(hero)], because: "who left is seen with the next state")
        case .adventureEnded(let outcome):
            PushRule(
                .high,
                alert: .adventureOver(outcome),
                endsActivity: true,
                because: "the card gets its last state and ends"
            )
        }
    }
}
