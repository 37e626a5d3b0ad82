public import Encodings
import GameCore
public import PushRules

// The dates that pushes carry, for whoever makes a push.

extension CadencePolicy {
    /// From when on a phone shows a state as out of date.
    /// - Parameters:
    ///   - freshness: how long the state stays true.
    ///   - frequentPushesEnabled: what the app reported.
    ///   - now: when the push is made.
    /// - Returns: `stale-date`, in seconds since 1970.
    public func staleDate(of freshness: Freshness, frequentPushesEnabled: Bool, at now: Timestamp) -> Int64 {
        let pace = pace(frequentPushesEnabled: frequentPushesEnabled)
        switch freshness {
        case .brief: return (now + pace.staleAfter).epochSeconds
        case .lasting: return (now + pace.journeyStaleAfter).epochSeconds
        }
    }

    /// When the Lock Screen lets go of a card that is ended now, unless another one takes its place.
    /// - Returns: `dismissal-date`, in seconds since 1970.
    public func dismissalDate(at now: Timestamp) -> Int64 { (now + dismissalAfter).epochSeconds }
}
