extension Hero {
    /// No hero grows beyond this level.
    public static let highestLevel = 20

    /// What a hero must have gathered to have a level: none, 100, 300, 600 … each level costs 100 more than the one before.
    public static func experience(forLevel level: Int) -> Int {
        precondition((1...highestLevel).contains(level), "no hero has level \(level)")
        return 50 * level * (level - 1)
    }

    /// The level that so much experience gives, 1…``highestLevel``.
    public static func level(forExperience experience: Int) -> Int {
        var level = 1
        while level < highestLevel, Self.experience(forLevel: level + 1) <= experience {
            level += 1
        }
        return level
    }

    /// How strong a hero of a level is, in percent of level 1.
    static func growthPercent(level: Int) -> Int { 100 + 6 * (level - 1) }
}
