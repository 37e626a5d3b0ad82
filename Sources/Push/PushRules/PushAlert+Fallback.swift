public import GameCore
public import LiveActivityContent

// Ordinary alerts for devices without a Live Activity of the adventure.

extension PushAlert {
    /// Returns the alert of a fight that begins; nil for a journey, which begins without one.
    public static func opening(of adventure: Adventure) -> Self? {
        adventure.boss.map { bossAppeared($0.id) }
    }

    /// Returns the ordinary alert with the same texts and sound.
    public func notification(of adventureID: AdventureID) -> NotificationPayload {
        NotificationPayload(
            alert: content,
            interruptionLevel: kind.isForNow ? .timeSensitive : .active,
            relevanceScore: kind.weight.notificationScore,
            adventureID: "\(adventureID)"
        )
    }
}

extension AlertKind {
    /// Whether a device without a Live Activity gets the alert, too.
    ///
    /// A hero in danger is not among them: the blow falls before most players have opened the app.
    public var hasFallback: Bool {
        switch self {
        case .ownTurn, .ownHeroDown, .companionDown, .bossAppeared, .bossDefeated, .partyWiped, .adventureOver: true
        case .heroInDanger: false
        }
    }

    /// Whether the alert asks the receiver to act within seconds or minutes.
    fileprivate var isForNow: Bool {
        switch self {
        case .ownTurn, .ownHeroDown, .heroInDanger, .bossAppeared: true
        case .companionDown, .bossDefeated, .partyWiped, .adventureOver: false
        }
    }
}

extension AlertWeight {
    /// The rank of an ordinary alert in a summary of the phone.
    fileprivate var notificationScore: Double { Double(rawValue + 1) / Double(Self.allCases.count) }
}
