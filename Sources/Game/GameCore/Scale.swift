/// Difficulty factors by party size, which make every size about equally hard.
///
/// The strength of a party does not grow linearly with its size: a healer's song helps more heroes in a larger party,
/// and a lone hero has no companion to revive it. The numbers are fitted to the win rates of parties that play by
/// policy (`rangers-bench balance`).
enum Scale {
    /// Factors for a boss.
    struct Boss {
        /// The factor for blows at single heroes, in percent.
        let attackPercent: Int
        /// The factor for blows at all heroes, in percent.
        let attackOnAllPercent: Int
    }

    /// Factors for a boss, by the number of heroes minus one.
    static let boss = [
        Boss(attackPercent: 33, attackOnAllPercent: 75),
        Boss(attackPercent: 60, attackOnAllPercent: 86),
        Boss(attackPercent: 92, attackOnAllPercent: 96),
        Boss(attackPercent: 100, attackOnAllPercent: 100),
        Boss(attackPercent: 107, attackOnAllPercent: 105),
        Boss(attackPercent: 113, attackOnAllPercent: 109),
        Boss(attackPercent: 120, attackOnAllPercent: 113),
        Boss(attackPercent: 126, attackOnAllPercent: 116),
    ]

    /// Factors for the damage on a journey, in percent, by the number of heroes who take part minus one.
    static let journeyPercent = [69, 100, 101, 100, 99, 98, 97, 96]
}
