public import GameCore
public import LiveActivityContent

/// An alert, which lights the screen of a phone, with its kind.
public struct PushAlert: Hashable, Sendable {
    /// The kind; at most one alert of each kind waits for a phone.
    public let kind: AlertKind
    /// Title, body and sound, as in the payload.
    public let content: LiveActivityPayload.Alert
    /// The companions who are down; empty for other alerts.
    private let fallen: [FallenHero]

    /// A companion's hero, with the name of the player if another hero of the party is the same.
    private struct FallenHero: Hashable {
        let name: String
        let player: String?

        /// The emoji of the hero, and the name of the player, the same in all languages.
        var shortName: String {
            let avatar = HeroCatalogue.all.first { $0.name == name }?.avatar ?? name
            return player.map { "\(avatar) \($0)" } ?? avatar
        }
    }

    private init(
        _ kind: AlertKind,
        about fallen: [FallenHero] = [],
        title: LocalizableText,
        body: LocalizableText
    ) {
        self.kind = kind
        self.fallen = fallen
        self.content = LiveActivityPayload.Alert(
            title: title.withNameInKey,
            body: body.withNameInKey,
            sound: kind.sound.rawValue
        )
    }

    /// Combines alerts into one, with the kind of the last alert.
    ///
    /// Lists have too many combinations of names for a key each, so heroes are their emoji, the same in all languages.
    /// - Parameter alerts: one alert of any kind, or several alerts of companions who are down, oldest first.
    public init(combining alerts: [Self]) {
        guard let newest = alerts.last else { preconditionFailure("there is no alert to combine") }
        guard alerts.count > 1 else {
            self = newest
            return
        }
        precondition(alerts.allSatisfy { $0.kind.weight == .companion }, "only alerts of companions can be combined")
        let fallen = alerts.flatMap(\.fallen)
        self.init(
            newest.kind,
            about: fallen,
            title: Phrase.heroesAreDown(fallen.map(\.shortName)),
            body: Phrase.giveThemPotions()
        )
    }
}

extension PushAlert {
    /// Returns the alert of a hero who is down; the hero's own player and the companions get different texts.
    /// - Parameters:
    ///   - hero: the hero.
    ///   - name: the hero's name.
    ///   - player: the name of the hero's player, if companions need it to know which hero is meant.
    ///   - receiver: the hero whose player owns the phone.
    /// - Returns: the alert.
    static func heroDown(_ hero: Seat, named name: String, of player: String? = nil, receiver: Seat) -> Self {
        if hero == receiver {
            return Self(.ownHeroDown, title: Phrase.yourHeroIsDown(), body: Phrase.askForPotion(name))
        }
        return Self(
            .companionDown(hero),
            about: [FallenHero(name: name, player: player)],
            title: player.map { Phrase.heroOfPlayerIsDown($0, name) } ?? Phrase.heroIsDown(name),
            body: player.map { Phrase.giveHeroOfPlayerAPotion($0, name) } ?? Phrase.giveAPotion(name)
        )
    }

    static func heroInDanger(named name: String) -> Self {
        Self(.heroInDanger, title: Phrase.heroIsInDanger(name), body: Phrase.usePotion(name))
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

    /// Returns the alert of an activity that the server starts on a phone: iOS drops a start without an alert.
    public static func activityStarted(for adventure: Adventure) -> LiveActivityPayload.Alert {
        if let boss = adventure.boss { return bossAppeared(boss.id).content }
        return LiveActivityPayload.Alert(
            title: Phrase.partySetsOut(),
            body: Phrase.followTheParty(),
            sound: AlertSound.partySetsOut.rawValue
        )
    }

    /// The alert of an activity that the server starts as the successor of one that ends soon.
    public static let activityRenewed = LiveActivityPayload.Alert(
        title: Phrase.adventureGoesOn(),
        body: Phrase.followTheParty(),
        sound: AlertSound.partySetsOut.rawValue
    )

    /// Returns the alert of an adventure's end; nil if another event of the same moment announces the outcome.
    static func adventureOver(_ outcome: AdventureOutcome) -> Self? {
        switch outcome {
        case .bossDefeated, .partyWiped: nil
        case .completed: Self(.adventureOver, title: Phrase.journeyCompleted(), body: Phrase.goalReached())
        case .expired: Self(.adventureOver, title: Phrase.adventureIsOver(), body: Phrase.bossGotAway())
        case .endedByOperator: Self(.adventureOver, title: Phrase.adventureIsOver(), body: Phrase.endedByOperator())
        case .abandoned: Self(.adventureOver, title: Phrase.adventureIsOver(), body: Phrase.nobodyIsLeft())
        }
    }
}
