import Encodings
import GameCore
import GameLog
import GameStore
import PushDispatch

/// The verdict on a push that APNs accepted.
struct VerdictView: Encodable {
    /// The name of the verdict, such as `shown` or `budget`.
    let verdict: String
    /// Whether the device has shown the push's state or a newer one; nil if that cannot be told.
    let isShown: Bool?
    /// The verdict with its evidence: a clause without a full stop that begins with a capital letter.
    let text: String

    init(_ judged: JudgedPush) {
        verdict = judged.verdict.label
        isShown = judged.verdict.isShown
        text = judged.text.prefix(1).uppercased() + judged.text.dropFirst()
    }
}

extension PushVerdict {
    /// The labels of all verdicts that are final.
    static let finalLabels =
        ["shown", "alreadyShown", "superseded"] + Cause.allCases.map(\.rawValue) + ["cannotTell"]

    /// The verdict, or the likely cause of a push that was not shown, in one word.
    var label: String { cause?.rawValue ?? name }

    /// Whether the device has shown the push's state or a newer one; nil if that cannot be told.
    var isShown: Bool? {
        switch self {
        case .shown, .alreadyShown, .superseded: true
        case .notShown: false
        case .unknownYet, .cannotTell: nil
        }
    }

    /// Whether a later report may change the verdict.
    var isPending: Bool {
        switch self {
        case .unknownYet, .cannotTell(.noReport), .cannotTell(.noReportSince): true
        case .shown, .alreadyShown, .superseded, .notShown, .cannotTell: false
        }
    }
}

extension VerdictEvidence {
    /// The evidence about an activity and its device, as they are stored.
    init(_ activity: Activity, _ receipts: ActivityReceipts?, on device: Device?) {
        self.init(
            receipts: receipts,
            startedAt: activity.startedAt,
            generation: activity.generation,
            tokenRegisteredAt: activity.tokenRegisteredAt,
            liveActivities: device.map { ($0.liveActivitiesEnabled, $0.updatedAt) },
            appBuild: device?.appBuild
        )
    }

    /// The evidence about an activity that its device has reported.
    /// - Parameters:
    ///   - activity: the activity.
    ///   - device: its device; nil if its report, which is newer than the device's description, is being received.
    init(_ activity: ReportedActivity, on device: Device? = nil) {
        self.init(
            receipts: activity.receipts,
            startedAt: activity.startedAt,
            generation: activity.generation,
            tokenRegisteredAt: activity.tokenRegisteredAt,
            liveActivities: device.map { ($0.liveActivitiesEnabled, $0.updatedAt) },
            appBuild: device?.appBuild
        )
    }
}

/// How many of some accepted pushes devices have shown.
struct ShownPushes: Encodable, Equatable {
    /// The number of pushes.
    private(set) var accepted = 0
    /// The number of pushes whose state was shown, by them or before.
    private(set) var shown = 0
    /// The number of pushes of which a newer state was shown instead.
    private(set) var superseded = 0
    /// The number of pushes that were not shown, by likely cause.
    private(set) var notShown: [String: Int] = [:]
    /// The number of pushes of which it cannot be told, or cannot be told yet.
    private(set) var undecided = 0
    /// When the device wrote its newest report, by the server's clock; nil before its first one.
    var reportedAt: String?

    init(_ judged: some Sequence<JudgedPush> = []) { add(judged) }

    mutating func add(_ judged: some Sequence<JudgedPush>) {
        for push in judged {
            accepted += 1
            switch push.verdict {
            case .shown, .alreadyShown: shown += 1
            case .superseded: superseded += 1
            case .notShown(let cause): notShown[cause.rawValue, default: 0] += 1
            case .unknownYet, .cannotTell: undecided += 1
            }
        }
    }

    /// The number of pushes of which it is known whether they were shown.
    var decided: Int { accepted - undecided }
}
