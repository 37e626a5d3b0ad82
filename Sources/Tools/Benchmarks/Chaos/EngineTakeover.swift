import Encodings
import GameCore

/// When engines play what is due after a node was struck.
///
/// What was due at the blow is waited for. Mostly that is nothing, since the others have played it a moment before, and
/// nothing is played in no time: then it is the first that is seen to be due later, since the last look that found nothing.
struct EngineTakeover: Sendable {
    /// What is waited for: all that was due at this moment.
    private var awaited: (moment: Timestamp, sinceSeconds: Double)?
    private var lastQuietSeconds = 0.0

    /// The moment of which a look has to ask whether anything is due.
    func moment(at now: Timestamp) -> Timestamp { awaited?.moment ?? now }

    /// Looks once.
    /// - Parameters:
    ///   - isAnythingDue: of what was due at `moment(at: now)`.
    ///   - now: when the look began.
    ///   - beganSeconds: the same, since the blow.
    ///   - endedSeconds: when the answer was there.
    /// - Returns: seconds since the blow, from when it was due until when it was played; nil while that is not so.
    mutating func looked(
        _ isAnythingDue: Bool,
        at now: Timestamp,
        beganSeconds: Double,
        endedSeconds: Double
    ) -> ClosedRange<Double>? {
        switch (awaited, isAnythingDue) {
        case (nil, true): awaited = (now, lastQuietSeconds)
        case (nil, false): lastQuietSeconds = beganSeconds
        case (.some, true): break
        case (.some(let awaited), false): return awaited.sinceSeconds...max(awaited.sinceSeconds, endedSeconds)
        }
        return nil
    }
}
