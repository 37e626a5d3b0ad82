import Encodings
import GameLog
import PushRules

// The English texts for operators: a clause about an accepted push.

extension PushVerdict {
    /// The verdict in one word, for programs.
    public var name: String {
        switch self {
        case .shown: "shown"
        case .alreadyShown: "alreadyShown"
        case .superseded: "superseded"
        case .notShown: "notShown"
        case .unknownYet: "unknownYet"
        case .cannotTell: "cannotTell"
        }
    }

    /// The likely cause in one word, for programs; nil unless the push was not shown.
    public var cause: Cause? { if case .notShown(let cause) = self { cause } else { nil } }
}

extension VerdictJudge {
    /// Returns a verdict as a clause with its evidence, such as `shown 1.2 s later`.
    func text(of verdict: PushVerdict, about push: AcceptedPush) -> String {
        switch verdict {
        case .shown(after: nil): "shown"
        case .shown(let delay?): "shown \(delay.inSeconds) later"
        case .alreadyShown: "the device showed this state already"
        case .superseded(let sequence, let delay):
            "superseded: the device showed state \(sequence) instead" + (delay.map { ", \($0.inSeconds) later" } ?? "")
        case .notShown(let cause): text(of: cause, about: push)
        case .unknownYet: "not known yet: \(pendingText(of: push))"
        case .cannotTell(let doubt): "cannot tell: \(text(of: doubt))"
        }
    }

    private func text(of cause: PushVerdict.Cause, about push: AcceptedPush) -> String {
        switch cause {
        case .budget:
            "not shown, probably since the device's budget of priority 10 was spent"
                + (receipts?.budget.map { " (read at \(time($0.at)))" } ?? "")
        case .decode:
            "not shown, probably since the app\(evidence.appBuild.map { ", build \($0)," } ?? "") cannot decode the "
                + "state: the device reports, but shows state \(newestSequence.map { "\($0)" } ?? "none") ever since"
        case .staleToken:
            "not shown, probably since the device had got a newer token at \(time(receipts?.tokenChangedAt)), which "
                + (push.facts.map { $0.generation < evidence.generation } == true
                    ? "reached the server at \(clock(evidence.tokenRegisteredAt))" : "has not reached the server")
        case .liveActivitiesOff:
            "not shown: Live Activities were switched off"
                + (switchedOffAt.map { " (noticed at \(clock($0)))" } ?? "")
        case .phoneAway:
            "not shown, probably since the device had no network from \(time(receipts?.offline?.from)) to "
                + time(receipts?.offline?.until)
        case .dismissed: "not shown: the person removed the activity at \(time(receipts?.dismissedAt))"
        case .ended: "not shown: the activity had ended at \(time(receipts?.endedAt))"
        case .tooOld:
            "not shown: the system ended the activity at \(clock(maxAgeAt)), eight hours after its start"
        case .lowPower: "not shown yet: the device saves power and defers pushes at priority 5"
        case .clockAhead:
            "not shown, probably since the device's clock is "
                + "\((.zero - (receipts?.clockOffset ?? .zero)).components.seconds) s ahead, so that the push looked old"
        }
    }

    private func pendingText(of push: AcceptedPush) -> String {
        guard let receipts else { return "the device has reported nothing about the activity" }
        return receipts.serverTime(receipts.reportedAt) < push.acceptedAt
            ? "the device has not reported since" : "the device may still show it"
    }

    private func text(of doubt: PushVerdict.Doubt) -> String {
        switch doubt {
        case .oldRecord: "an older release recorded the push"
        case .noReport: "the device has reported nothing about the activity"
        case .noReportSince:
            "the device has reported nothing since " + (receipts.map { time($0.reportedAt) } ?? "its registration")
        case .notObserved: "the device did not report which state it shows"
        case .noEvidence: "the device did not show the state, and reports nothing that explains it"
        case .severalCauses: "the device did not show the state, and there are several possible causes"
        }
    }

    /// A time of the device's clock as a time of the server's clock.
    private func time(_ moment: Timestamp?) -> String {
        guard let moment, let receipts else { return "an unknown time" }
        return clock(receipts.serverTime(moment))
    }

    private func clock(_ moment: Timestamp) -> String { moment.rfc3339(fractionDigits: 0) }
}

extension Duration {
    /// The duration in seconds with one decimal, such as `1.2 s`.
    fileprivate var inSeconds: String {
        let tenths = (wholeMicroseconds + 50_000) / 100_000
        return "\(tenths / 10).\(tenths % 10) s"
    }
}
