import PushDispatch

extension DoctorCheck {
    /// The number of activities of each shard that are examined: with all shards, more than a thousand pushes.
    static let examinedActivitiesPerShard = 8
    /// The number of pushes from which on a share means something.
    private static let minDecidedPushes = 50
    /// The lowest acceptable share: phones are away, save power or are full of games, all at once rarely.
    private static let toleratedShare = 0.8
    /// The number of causes in a finding.
    private static let maxCauses = 3

    /// Checks how many of the accepted pushes devices have shown.
    /// - Parameters:
    ///   - pushes: the pushes of examined activities.
    ///   - activities: the number of these.
    /// - Returns: the result of the check.
    static func shownPushes(_ pushes: ShownPushes, of activities: Int) -> Self {
        let name = "shown pushes"
        guard activities > 0 else { return Self(name, .ok, "No device has reported what it shows.") }
        let counted = activities == 1 ? "1 activity" : "\(activities) activities"
        let examined = "\(pushes.accepted) accepted pushes to \(counted) that devices report about"
        guard pushes.decided >= minDecidedPushes else {
            return Self(name, .ok, "The verdict on \(pushes.decided) of \(examined) is known, too few for a share.")
        }
        let good = pushes.shown + pushes.superseded
        let percent = good * 100 / pushes.decided
        let finding = "Devices have shown \(percent) % of \(pushes.decided) pushes with a verdict, of \(examined)"
        guard Double(good) < toleratedShare * Double(pushes.decided) else { return Self(name, .ok, finding + ".") }
        let causes = PushVerdict.Cause.allCases
            .compactMap { cause in pushes.notShown[cause.rawValue].map { (cause, count: $0) } }
            .sorted { $0.count > $1.count }
            .prefix(maxCauses)
        let counts = causes.map { "\($0.count) \($0.0.rawValue)" }.joined(separator: ", ")
        return Self(
            name,
            .failed,
            "\(finding). Not shown, by likely cause: \(counts).",
            remedy: causes.map(\.0.remedy).joined(separator: " ")
                + " 'rangersctl activity explain' shows the verdict on each push."
        )
    }
}

extension PushVerdict.Cause {
    /// What an operator can do about it.
    fileprivate var remedy: String {
        switch self {
        case .budget:
            "budget: send less at priority 10 (RANGERS_CADENCE settings), or have the app ask for frequent updates."
        case .decode:
            "decode: a build of the app cannot decode what this release sends; ship one that can, or return to the old release."
        case .staleToken: "staleToken: the app must register each token of 'pushTokenUpdates' at once."
        case .liveActivitiesOff:
            "liveActivitiesOff: people have switched them off; the app must register the device again when it notices."
        case .phoneAway: "phoneAway: phones were without a network; nothing is to be done."
        case .dismissed, .ended, .tooOld:
            "\(rawValue): the app must report the end of an activity at once, and at each launch those that run."
        case .lowPower: "lowPower: phones that save power show pushes at priority 5 late; nothing is to be done."
        case .clockAhead: "clockAhead: the clocks of these phones are wrong; the app can tell its user."
        }
    }
}
