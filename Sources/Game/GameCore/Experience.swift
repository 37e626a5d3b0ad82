extension Hero {
    /// The highest level.
    public static let maxLevel = 20

    /// Returns the experience at which a level begins: 0, 100, 300, 600, … Each level costs 100 more than the previous
    /// one.
    public static func experience(forLevel level: Int) -> Int {
        precondition((1...maxLevel).contains(level), "a level is 1 to \(maxLevel), not \(level)")
        return 50 * level * (level - 1)
    }

    /// Returns the level of a hero with some experience, 1…``maxLevel``.
    public static func level(forExperience experience: Int) -> Int {
        var level = 1
        while level < maxLevel, Self.experience(forLevel: level + 1) <= experience {
            level += 1
        }
        return level
    }

    /// Returns the strength of a hero at a level, in percent of level 1.
    static func growthPercent(level: Int) -> Int { 100 + 6 * (level - 1) }
}
