public import Encodings
import GameCore
public import PushRules

// The dates in pushes.

extension CadencePolicy {
    /// Returns the `stale-date` of a push: the time from which the phone shows the state as out of date.
    /// - Parameters:
    ///   - freshness: the freshness of the state.
    ///   - frequentPushesEnabled: the value that the app reported.
    ///   - now: the time of the push.
    /// - Returns: seconds since 1970.
    public func staleDate(of freshness: Freshness, frequentPushesEnabled: Bool, at now: Timestamp) -> Int64 {
        let pace = pace(frequentPushesEnabled: frequentPushesEnabled)
        switch freshness {
        case .brief: return (now + pace.staleAfter).epochSeconds
        case .lasting: return (now + pace.journeyStaleAfter).epochSeconds
        }
    }

    /// Returns the `dismissal-date` of an activity that ends now and that no other activity replaces: the
    /// time at which the Lock Screen removes it.
    /// - Returns: seconds since 1970.
    public func dismissalDate(at now: Timestamp) -> Int64 { (now + dismissalAfter).epochSeconds }
}
