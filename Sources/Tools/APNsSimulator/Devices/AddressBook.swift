/// Which tokens lead to which places, and which ones lead nowhere any more.
///
/// One is for the activities on the wall, another one for the phones that take starts.
struct AddressBook<Place: Hashable & Sendable>: Sendable {
    /// What a token is to APNs.
    enum Standing: Equatable, Sendable {
        /// Nobody ever got it, or its place is forgotten.
        case unknown
        case live(Place)
        case dead(Place, TokenDeath)
    }

    private struct Entry {
        let place: Place
        var isUsed = false
        var death: TokenDeath?
    }

    private var entries: [PushToken: Entry] = [:]

    /// What a token is.
    func standing(of token: PushToken) -> Standing {
        guard let entry = entries[token] else { return .unknown }
        guard var death = entry.death else { return .live(entry.place) }
        if case .rotated(let successor) = death.cause { death.isSuccessorUsed = entries[successor]?.isUsed ?? false }
        return .dead(entry.place, death)
    }

    /// Lets a new token lead to a place.
    mutating func add(_ token: PushToken, for place: Place) {
        precondition(entries[token] == nil, "tokens are random, and this one is there already")
        entries[token] = Entry(place: place)
    }

    /// Ends a live token.
    mutating func kill(_ token: PushToken, because cause: TokenDeath.Cause, at now: Moment) {
        precondition(entries[token]?.death == nil, "a token dies once")
        entries[token]?.death = TokenDeath(cause: cause, time: now)
    }

    /// Forgets every token that ever led to one of these places.
    mutating func forget(_ places: Set<Place>) {
        entries = entries.filter { !places.contains($0.value.place) }
    }

    /// Forgets a token.
    mutating func forget(_ token: PushToken) {
        entries[token] = nil
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

/// An activity on the wall: the index of its phone, and its name there.
struct ActivityPlace: Hashable, Sendable {
    let phoneIndex: Int
    let activityID: Identifier<PhoneActivity>
}

/// Why and when a token went out of use, and what the sender can know of it.
struct TokenDeath: Equatable, Sendable {
    /// Why.
    enum Cause: Equatable, Sendable {
        /// Another token took its place.
        case rotated(successor: PushToken)
        /// The person swiped the activity away.
        case swipedAway
        /// The system ended the activity, because somebody switched frequent pushes on or off.
        case switchedOff
        /// The activity was over and left the Lock Screen.
        case expired
    }

    let cause: Cause
    let time: Moment
    /// Whether a push to it has been refused since.
    var hasBeenRefused = false
    /// Whether a push to the token that took its place was accepted.
    var isSuccessorUsed = false
}
