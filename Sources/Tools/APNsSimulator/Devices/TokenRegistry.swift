import Encodings

/// The destinations of tokens, and the tokens that are no longer valid.
///
/// The wall has one registry for the tokens of activities and one for push-to-start tokens.
struct TokenRegistry<Destination: Hashable & Sendable>: Sendable {
    /// The state of a token, as APNs knows it.
    enum TokenState: Equatable, Sendable {
        /// The token was never issued, or its destination is forgotten.
        case unknown
        case live(Destination)
        case invalid(Destination, TokenInvalidation)
    }

    private struct Entry {
        let destination: Destination
        var isUsed = false
        var invalidation: TokenInvalidation?
    }

    private var entries: [PushToken: Entry] = [:]

    /// Returns the state of a token.
    func state(of token: PushToken) -> TokenState {
        guard let entry = entries[token] else { return .unknown }
        guard var invalidation = entry.invalidation else { return .live(entry.destination) }
        if case .rotated(let successor) = invalidation.cause {
            invalidation.isSuccessorUsed = entries[successor]?.isUsed ?? false
        }
        return .invalid(entry.destination, invalidation)
    }

    /// Registers a new token.
    mutating func add(_ token: PushToken, for destination: Destination) {
        precondition(entries[token] == nil, "random tokens do not collide")
        entries[token] = Entry(destination: destination)
    }

    /// Invalidates a live token.
    mutating func invalidate(_ token: PushToken, because cause: TokenInvalidation.Cause, at now: Timestamp) {
        precondition(entries[token]?.invalidation == nil, "a token is invalidated once")
        entries[token]?.invalidation = TokenInvalidation(cause: cause, time: now)
    }

    /// Forgets all tokens of these destinations.
    mutating func forget(_ destinations: Set<Destination>) {
        entries = entries.filter { !destinations.contains($0.value.destination) }
    }

    /// Forgets a token.
    mutating func forget(_ token: PushToken) {
        entries[token] = nil
    }

    /// Records that a push to a live token was accepted.
    mutating func recordUse(of token: PushToken) {
        entries[token]?.isUsed = true
    }

    /// Records that a push was rejected because its token is invalid.
    mutating func recordRejection(of token: PushToken) {
        entries[token]?.invalidation?.hasBeenRejected = true
    }
}

/// The location of an activity: the index of its phone, and its identifier.
struct ActivityLocation: Hashable, Sendable {
    let phoneIndex: Int
    let activityID: WallID<PhoneActivity>
}

/// The cause and time of a token's invalidation, and the sender's knowledge of it.
struct TokenInvalidation: Equatable, Sendable {
    /// The cause of an invalidation.
    enum Cause: Equatable, Sendable {
        /// Another token replaced it.
        case rotated(successor: PushToken)
        /// The user swiped the activity away.
        case swipedAway
        /// The system ended the activity because the user changed the setting for frequent pushes.
        case switchedOff
        /// The activity was over and had left the Lock Screen.
        case expired
    }

    let cause: Cause
    let time: Timestamp
    /// Whether a push to the token has been rejected since the invalidation.
    var hasBeenRejected = false
    /// Whether a push to the replacement was accepted.
    var isSuccessorUsed = false
}
