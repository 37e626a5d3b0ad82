/// How hard the game is for a party of some size, so that none has it much easier than another.
///
/// What a party can do does not grow evenly with its size: a healer's song helps more when there are more to hear it, and
/// a lone hero has nobody to help it up. These numbers are fitted to what parties by themselves achieve (`rangers-bench balance`), nothing more.
enum Scale {
    /// What a boss has more or less of, against a party of 1 to 8 heroes.
    struct Boss {
        /// How hard it hits single heroes.
        let attackPercent: Int
        /// How hard it hits when it hits every hero.
        let attackOnAllPercent: Int
    }

    /// By the number of heroes, less one.
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

    /// How hard a journey's dangers hit, in percent, by the number of heroes who set out, less one.
    static let journeyPercent = [69, 100, 101, 100, 99, 98, 97, 96]
}
