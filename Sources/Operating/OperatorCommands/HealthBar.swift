/// Health as numbers and a bar: `60/100 ██████░░░░`.
enum HealthBar {
    private static let cells = 10

    /// The numbers, which say it all where there is no room for the bar.
    static func numbers(_ health: Int, of maximum: Int) -> String { "\(health)/\(maximum)" }

    /// Numbers and bar; anything above nothing shows at least one cell, and only full health shows all.
    static func text(_ health: Int, of maximum: Int) -> String {
        let bounded = min(max(health, 0), max(maximum, 0))
        let share = maximum > 0 ? bounded * cells / maximum : 0
        let filled = bounded > 0 ? max(1, share) : 0
        return numbers(health, of: maximum) + " " + String(repeating: "█", count: filled)
            + String(repeating: "░", count: cells - filled)
    }
}
