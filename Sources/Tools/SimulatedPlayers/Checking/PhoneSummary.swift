/// The pushes to one phone in a journey and a boss fight.
public struct PhoneSummary: Encodable, Sendable {
    /// The numbers of pushes by priority.
    public struct Pushes: Encodable, Sendable {
        /// Pushes of priority 5.
        public let priority5: Int
        /// Pushes of priority 10.
        public let priority10: Int

        init(_ pushes: [LoggedPush]) {
            priority5 = pushes.count { $0.priority == 5 }
            priority10 = pushes.count { $0.priority == 10 }
        }
    }

    /// The owner's name.
    public let phone: String
    /// The phone's locale.
    public let locale: String
    /// The phone's setting for frequent pushes.
    public let frequentPushesEnabled: Bool
    /// Pushes during the journey.
    public let journey: Pushes
    /// Pushes during the boss fight.
    public let bossFight: Pushes
    /// The number of pushes with an alert.
    public let alerts: Int
    /// The number of pushes that ended an activity.
    public let ends: Int
    /// Whether both activities show the server's final state.
    public let isLastStateRight: Bool

    static func all(
        journey: AdventureEvidence,
        bossFight: AdventureEvidence,
        isLastStateRight: (TrackedActivity, AdventureEvidence) -> Bool
    ) -> [PhoneSummary] {
        zip(journey.activities, bossFight.activities).map { first, second in
            let pushes = (journey: journey.pushes(to: first), bossFight: bossFight.pushes(to: second))
            let all = pushes.journey + pushes.bossFight
            return PhoneSummary(
                phone: first.role.displayName,
                locale: first.role.locale,
                frequentPushesEnabled: first.role.frequentPushesEnabled,
                journey: Pushes(pushes.journey),
                bossFight: Pushes(pushes.bossFight),
                alerts: all.count { $0.alert != nil },
                ends: all.count { $0.kind == .end },
                isLastStateRight: isLastStateRight(first, journey) && isLastStateRight(second, bossFight)
            )
        }
    }
}
