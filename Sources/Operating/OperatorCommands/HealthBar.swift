/// Formats health as numbers and a bar, such as `60/100 ██████░░░░`.
enum HealthBar {
    private static let cells = 10

    /// Returns the numbers without a bar.
    static func numbers(_ health: Int, of maximum: Int) -> String { "\(health)/\(maximum)" }

    /// Returns the numbers and a bar.
    ///
    /// The bar is empty only for no health, and full only for full health.
    static func text(_ health: Int, of maximum: Int) -> String {
        let bounded = min(max(health, 0), max(maximum, 0))
        let share = maximum > 0 ? bounded * cells / maximum : 0
        let filled = bounded > 0 ? max(1, share) : 0
        return numbers(health, of: maximum) + " " + String(repeating: "█", count: filled)
            + String(repeating: "░", count: cells - filled)
    }
}
