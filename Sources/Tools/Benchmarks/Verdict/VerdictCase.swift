import Encodings
import GameCore

/// What the traces of a run are held against, all of it in order.
struct VerdictCase: Sendable {
    /// What the phones were sent.
    let testimony: PushTestimony
    /// What clients were told.
    let ledger: Acknowledged.Ledger
    /// Cards that nobody looks at any more.
    let abandoned: Set<ActivityID>
    /// How often somebody tried what only members may.
    let trespassAttempts: Int
    /// Those of them that succeeded, as sentences.
    let trespasses: [String]
    /// When something went wrong, in microseconds since 1970.
    let disturbedSpans: [ClosedRange<Int64>]
    /// Where what is old is removed: only adventures that began since then are held against the answers to their commands.
    let answersKeptSince: Timestamp?

    init(_ testimony: PushTestimony, _ acknowledged: Acknowledged, answersKeptSince: Timestamp? = nil) {
        self.testimony = testimony
        ledger = acknowledged.ledger
        abandoned = acknowledged.abandoned
        trespassAttempts = acknowledged.trespassAttempts
        trespasses = acknowledged.trespasses
        disturbedSpans = acknowledged.disturbances.map { $0.lowerBound.microseconds...$0.upperBound.microseconds }
        self.answersKeptSince = answersKeptSince
    }
}
