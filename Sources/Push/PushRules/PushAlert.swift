public import GameCore
public import LiveActivityContent

/// What lights a phone's screen, and what it is about.
public struct PushAlert: Hashable, Sendable {
    /// What it is about: two alerts of one kind are never wanted at once.
    public let kind: AlertKind
    /// Title, body and sound as they travel.
    public let content: LiveActivityPayload.Alert
    /// The companions who are down, where it tells of such.
    private let names: [String]

    init(_ kind: AlertKind, naming names: [String] = [], title: LocalizableText, body: LocalizableText) {
        self.kind = kind
        self.names = names
        self.content = LiveActivityPayload.Alert(title: title, body: body, sound: kind.sound.rawValue)
    }

    /// One alert that tells what several do.
    /// - Parameter alerts: one of any kind, or several of companions who are down, oldest first; it is of the last's
    ///   kind.
    public init(telling alerts: [Self]) {
        guard let newest = alerts.last else { preconditionFailure("no alert tells nothing") }
        guard alerts.count > 1 else {
            self = newest
            return
        }
        precondition(alerts.allSatisfy { $0.kind.weight == .companion }, "only companions are told of together")
        let names = alerts.flatMap(\.names)
        self.init(
            newest.kind,
            naming: names,
            title: Phrase.heroesAreDown(names.joined(separator: ", ")),
            body: Phrase.giveThemPotions()
        )
    }
}

extension PushAlert {
    /// The owner of the hero is asked for something else than the hero's companions.
    static func heroDown(_ hero: Seat, named name: String, receiver: Seat) -> Self {
        if hero == receiver {
            return Self(.ownHeroDown, title: Phrase.yourHeroIsDown(), body: Phrase.askForPotion(name))
        }
        return Self(
            .companionDown(hero),
            naming: [name],
            title: Phrase.heroIsDown(name),
            body: Phrase.giveAPotion(name)
        )
    }

    static func ownTurn(ofHeroNamed name: String) -> Self {
        Self(.ownTurn, title: Phrase.itIsYourTurn(), body: Phrase.heroAwaitsCommand(name))
    }

    static func bossAppeared(_ boss: BossID) -> Self {
        Self(.bossAppeared, title: Phrase.bossAppeared(boss.name), body: Phrase.standTogether())
    }

    static func bossDefeated(_ boss: BossID) -> Self {
        Self(.bossDefeated, title: Phrase.bossDefeated(boss.name), body: Phrase.partyHasWon())
    }

    static var partyWiped: Self {
        Self(.partyWiped, title: Phrase.partyHasFallen(), body: Phrase.restAndTryAgain())
    }

    /// What comes with a card that the server starts on a phone: iOS drops a start without an alert.
    public static func cardStarted(for adventure: Adventure) -> LiveActivityPayload.Alert {
        if let boss = adventure.boss { return bossAppeared(boss.id).content }
        return LiveActivityPayload.Alert(
            title: Phrase.partySetsOut(),
            body: Phrase.followTheParty(),
            sound: AlertSound.partySetsOut.rawValue
        )
    }

    /// What comes with a card that takes the place of one that grows too old: nothing has happened.
    public static let cardRenewed = LiveActivityPayload.Alert(
        title: Phrase.adventureGoesOn(),
        body: Phrase.followTheParty(),
        sound: AlertSound.partySetsOut.rawValue
    )

    /// Nil where another event of the same moment has told it.
    static func adventureOver(_ outcome: Outcome) -> Self? {
        switch outcome {
        case .bossDefeated, .partyWiped: nil
        case .completed: Self(.adventureOver, title: Phrase.journeyCompleted(), body: Phrase.goalReached())
        case .expired: Self(.adventureOver, title: Phrase.adventureIsOver(), body: Phrase.bossGotAway())
        case .endedByOperator: Self(.adventureOver, title: Phrase.adventureIsOver(), body: Phrase.endedByOperator())
        case .abandoned: Self(.adventureOver, title: Phrase.adventureIsOver(), body: Phrase.nobodyIsLeft())
        }
    }
}
