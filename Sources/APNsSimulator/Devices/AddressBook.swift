/// Which token leads to which activity, and which ones lead nowhere any more.
struct AddressBook: Sendable {
    /// An activity on the wall: the index of its phone, and its name there.
    struct Place: Hashable, Sendable {
        let phoneIndex: Int
        let activityID: Identifier<PhoneActivity>
    }

    /// What a token is to APNs.
    enum Standing: Equatable, Sendable {
        /// Nobody ever got it, or its activity is forgotten.
        case unknown
        case live(Place)
        /// It was good until `since`. The sender knows when it has been refused the token before, or has used the one
        /// that took its place.
        case dead(Place, since: Moment, hasBeenRefused: Bool, isSuccessorUsed: Bool)
    }

    private struct Entry {
        let place: Place
        var isUsed = false
        var death: Death?
    }

    private struct Death {
        let time: Moment
        /// Nil when the activity was swiped away.
        let successor: PushToken?
        var hasBeenRefused = false
    }

    private var entries: [PushToken: Entry] = [:]

    /// What a token is.
    func standing(of token: PushToken) -> Standing {
        guard let entry = entries[token] else { return .unknown }
        guard let death = entry.death else { return .live(entry.place) }
        return .dead(
            entry.place,
            since: death.time,
            hasBeenRefused: death.hasBeenRefused,
            isSuccessorUsed: death.successor.flatMap { entries[$0] }?.isUsed ?? false
        )
    }

    /// Lets a new token lead to an activity.
    mutating func add(_ token: PushToken, for place: Place) {
        precondition(entries[token] == nil, "tokens are random, and this one is there already")
        entries[token] = Entry(place: place)
    }

    /// Ends a live token, with the one that takes its place, if any.
    mutating func kill(_ token: PushToken, successor: PushToken?, at now: Moment) {
        precondition(entries[token]?.death == nil, "a token dies once")
        entries[token]?.death = Death(time: now, successor: successor)
    }

    /// Forgets every token that ever led to one of these activities.
    mutating func forget(_ places: Set<Place>) {
        entries = entries.filter { !places.contains($0.value.place) }
    }

    /// Remembers that a push for a live token was accepted.
    mutating func noteUse(of token: PushToken) {
        entries[token]?.isUsed = true
    }

    /// Remembers that the sender was told of a dead token.
    mutating func noteRefusal(of token: PushToken) {
        entries[token]?.death?.hasBeenRefused = true
    }
}
