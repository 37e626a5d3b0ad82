/// Up to where a figure counts as flat.
enum SoakLimit: Hashable, Sendable {
    /// Above the second quarter's median by a share of it, and by so much besides: for what is large, and has its ups and
    /// downs.
    case sum(share: Double, rest: Double)
    /// Above the second quarter's median by a share of it, or by so much, whichever is more: for what may be small, so that
    /// an allowance for the large would be wider than the figure itself.
    case larger(share: Double, rest: Double)
    /// As much as another figure's last median times a share, or so much, whichever is more, however it began: for what is
    /// cleaned away now and then.
    case level(share: Double, of: String, floor: Double)

    /// Whether a figure has stopped growing: the first quarter, in which everything fills, does not count.
    /// - Parameters:
    ///   - trend: the figure's.
    ///   - others: the trends of the run by the names of their figures.
    /// - Returns: whether it has.
    func isKept(by trend: SoakTrend, among others: [String: SoakTrend]) -> Bool {
        switch self {
        case .sum(let share, let rest):
            trend.lastQuarter <= trend.secondQuarter * (1 + share) + rest
        case .larger(let share, let rest):
            trend.lastQuarter <= trend.secondQuarter + max(trend.secondQuarter * share, rest)
        case .level(let share, let other, let floor):
            trend.lastQuarter <= max((others[other]?.lastQuarter ?? 0) * share, floor)
        }
    }
}
