/// What one phone got in a journey and a boss fight.
public struct PhoneSummary: Encodable, Sendable {
    /// How many pushes of each priority.
    public struct Pushes: Encodable, Sendable {
        /// Those of priority 5.
        public let priority5: Int
        /// Those of priority 10.
        public let priority10: Int

        init(_ pushes: [PushAnswer]) {
            priority5 = pushes.count { $0.priority == 5 }
            priority10 = pushes.count { $0.priority == 10 }
        }
    }

    /// Whose phone it is.
    public let phone: String
    /// Its language.
    public let locale: String
    /// What its owner chose.
    public let frequentPushesEnabled: Bool
    /// On the journey.
    public let journey: Pushes
    /// In the boss fight.
    public let bossFight: Pushes
    /// How many of all pushes lit the screen.
    public let alerts: Int
    /// How many of all pushes ended an activity.
    public let ends: Int
    /// Whether both activities show what the server says.
    public let isLastStateRight: Bool

    static func all(
        journey: AdventureEvidence,
        bossFight: AdventureEvidence,
        isRight: (FollowedActivity, AdventureEvidence) -> Bool
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
                isLastStateRight: isRight(first, journey) && isRight(second, bossFight)
            )
        }
    }
}
