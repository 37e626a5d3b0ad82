import Encodings
import GameCore
import PushCadence
import PushRules

/// Which alerts ring on the phones of a run, and which must not.
extension RunHistory {
    /// The time after which a dispatcher has read a change of preferences and no push decided before it waits in the client,
    /// unless a fault happens, in microseconds.
    private static let reactionTime: Int64 = 15_000_000
    /// Less than quiet hours in a run last, in microseconds.
    private static let clockSampling: Int64 = 20_000_000

    /// Returns whether an alert rings at any time at which it may be sent, whichever preferences the dispatcher knows.
    ///
    /// A dispatcher drops an alert that is muted when it evaluates the activity, also if it rings before or afterwards.
    /// - Parameters:
    ///   - kind: the kind of the alert.
    ///   - committedAt: the commit time of its event.
    ///   - reference: the activity.
    /// - Returns: false if it may be dropped.
    func rings(_ kind: AlertKind, since committedAt: Int64, on reference: ActivityReference) -> Bool {
        let start = committedAt - Self.reactionTime
        let times = stride(
            from: start,
            through: committedAt + CadencePolicy().alertExpiry.wholeMicroseconds,
            by: Int(Self.clockSampling)
        )
        return alertPreferences(of: reference, in: start...Int64.max).allSatisfy { preferences in
            guard preferences.quietHours != nil else { return preferences.rings(kind, at: serverClock(at: start)) }
            return times.allSatisfy { preferences.rings(kind, at: serverClock(at: $0)) }
        }
    }

    /// Returns whether the sender of an alert must have known that its player has muted it.
    func isMuted(_ push: PushRecord, on reference: ActivityReference) -> Bool {
        let span = push.writtenAt - Self.reactionTime...push.writtenAt
        // Preferences that the database lost later may have been in force.
        guard failoverTimes.last ?? .min < span.lowerBound, !hasFault(in: span, of: reference.adventureID.shard),
            !serverClockSteps.contains(where: { span.contains($0.at) })
        else { return false }
        let moments = [span.lowerBound, span.upperBound].map { serverClock(at: $0) }
        return alertPreferences(of: reference, in: span).allSatisfy { preferences in
            preferences.mutedSounds.contains { push.payload.contains($0) }
                || moments.allSatisfy { preferences.quietHours?.contains($0) ?? false }
        }
    }

    /// Returns the preferences that were in force at some time in a span.
    private func alertPreferences(
        of reference: ActivityReference,
        in span: ClosedRange<Int64>
    ) -> [AlertPreferences] {
        let changes = alertPreferences[reference] ?? [(.min, AlertPreferences())]
        let first = changes.lastIndex { $0.from <= span.lowerBound } ?? 0
        return changes[first...].prefix { $0.from <= span.upperBound }.map(\.preferences)
    }
}

extension AlertPreferences {
    /// The bytes that mark the alerts of the muted categories in payloads, of those that have a sound of their own.
    fileprivate var mutedSounds: [[UInt8]] {
        [AlertKind.ownTurn, .bossAppeared, .bossDefeated].filter { kind in
            kind.category.map(muted.contains) ?? false
        }.map { Array(#""sound":"\#($0.sound.rawValue)""#.utf8) }
    }
}
