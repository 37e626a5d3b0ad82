import Encodings
import GameCore
import GameLog
import PushDispatch

/// The app on a simulated device: it runs now and then, and reports what it can see.
///
/// While it runs, it sees each state as it is drawn; otherwise it sees only the newest one when it runs again. It notices
/// an end, a dismissal and a switch in the settings when it runs.
struct VerdictApp {
    private let adventureID: AdventureID
    private let activityID: ActivityID
    /// Whether it knows the budget of the device, which apps of the App Store do not.
    private let knowsBudget: Bool
    private var generator: Generator

    private var seen: [Int: Timestamp] = [:]
    private var wakesAt: Timestamp
    private var runsUntil: Timestamp
    private var tokenIssuedAt: Timestamp?
    private var switchNoticedAt: Timestamp?
    private var dismissalNoticedAt: Timestamp?
    private var endNoticedAt: Timestamp?

    init(of adventureID: AdventureID, _ activityID: ActivityID, knowsBudget: Bool, at start: Timestamp, seed: UInt64) {
        self.adventureID = adventureID
        self.activityID = activityID
        self.knowsBudget = knowsBudget
        wakesAt = start
        runsUntil = start
        generator = Generator(seed: seed)
    }

    mutating func tokenIssued(at moment: Timestamp) { tokenIssuedAt = moment }

    /// Lets a second pass.
    /// - Returns: the report that the app sends; nil if it does not run, or has no network.
    mutating func pass(to now: Timestamp, on phone: VerdictPhone) -> ReceiptReport? {
        if now < runsUntil { see(phone, at: now, isFirst: false) }
        guard now >= wakesAt else { return nil }
        wakesAt = now + .seconds(60 + generator.number(below: 180))
        if generator.number(below: 2) == 0 { runsUntil = now + .seconds(20 + generator.number(below: 40)) }
        see(phone, at: now, isFirst: true)
        return phone.isOnline(at: now) ? report(of: phone, at: now) : nil
    }

    private mutating func see(_ phone: VerdictPhone, at now: Timestamp, isFirst: Bool) {
        if let drawn = phone.drawn, drawn.at <= now, seen[drawn.sequence] == nil {
            seen[drawn.sequence] = isFirst ? now : drawn.at
        }
        if phone.isPlanted(.liveActivitiesOff, at: now) { switchNoticedAt = switchNoticedAt ?? now }
        if phone.isPlanted(.dismissed, at: now) { dismissalNoticedAt = dismissalNoticedAt ?? now }
        if !phone.showsActivity(at: now), !phone.isPlanted(.dismissed, at: now) { endNoticedAt = endNoticedAt ?? now }
    }

    private func report(of phone: VerdictPhone, at now: Timestamp) -> ReceiptReport {
        let newest = seen.keys.sorted().suffix(20)
        let gap = phone.lastGap(at: now)
        return ReceiptReport(
            sentAt: phone.clock(at: now),
            device: DeviceConditions(
                liveActivitiesEnabled: switchNoticedAt == nil,
                liveActivitiesChangedAt: switchNoticedAt.map { phone.clock(at: $0) },
                lowPowerMode: phone.savesPower(at: now),
                budget: knowsBudget
                    ? BudgetReading(remaining: Int(phone.budget), level: "frequent", at: phone.clock(at: now)) : nil,
                offline: gap.map { OfflineInterval(from: phone.clock(at: $0.from), until: phone.clock(at: $0.until)) }
            ),
            activities: [
                ActivityReport(
                    adventureID: adventureID,
                    activityID: activityID,
                    shown: newest.map { ShownState(sequence: $0, at: phone.clock(at: seen[$0] ?? now)) },
                    showing: phone.showsActivity(at: now) ? phone.drawn?.sequence : nil,
                    endedAt: endNoticedAt.map { phone.clock(at: $0) },
                    dismissedAt: dismissalNoticedAt.map { phone.clock(at: $0) },
                    tokenChangedAt: tokenIssuedAt.map { phone.clock(at: $0) }
                )
            ]
        )
    }
}
