/// Something a sender did that Apple never tells it of, and that a phone suffers from.
struct Violation: Encodable, Equatable, Sendable {
    /// What was wrong; the raw values are names that scripts may look for.
    enum Kind: String, Encodable, CaseIterable, Sendable {
        /// The phone cannot make anything of the payload.
        case unreadablePayload
        /// The content state is missing or is not one that the app's type decodes from, by a plain `JSONDecoder`.
        case undecodableContentState
        /// The alert has the flat keys of ordinary pushes; ActivityKit documents the nested form only.
        case flatLocalizationKeys
        /// `sound` stands beside the alert, where it does not play.
        case soundOutsideAlert
        /// A start or an update names no stale date, so a phone that hears nothing more shows it as if it were true.
        case missingStaleDate
        /// A start's attributes are missing, or are not what the app's type decodes from.
        case undecodableAttributes
        /// A start without an alert, which a phone drops.
        case startWithoutAlert
        /// A start that asks for no update token, so nothing can follow it.
        case missingInputPushToken
        /// An alert without a title, which a phone ignores, or without a body.
        case incompleteAlert
        /// An alert names a sentence that the app does not have, so the phone says the key.
        case unknownLocalizationKey
        /// A sentence of an alert takes more or fewer arguments than the push brings.
        case wrongLocalizationArguments
        /// An alert names a sound that the app does not have.
        case unknownSound
        /// A start to an activity's token, or another push to a push-to-start token.
        case wrongKindOfToken
        /// More starts than a phone takes in a day: it drops them.
        case tooManyStarts
        /// No `apns-expiration`: APNs may deliver the push up to 30 days late.
        case missingExpiration
        /// The timestamp is not larger than the last one of that activity, so a phone may show the older state.
        case timestampNotGrowing
        /// The timestamp is so far ahead of the clock, or an update's so far behind, that a phone drops the push.
        case implausibleTimestamp
        /// A push for an activity that the sender itself has ended.
        case pushAfterEnd
        /// A push to a token that the sender knows to be dead.
        case pushToDeadToken
    }

    /// 1 and up, in the order in which they were found.
    let number: Int
    let time: Moment
    let kind: Kind
    let phoneID: Identifier<Phone>?
    let activityID: Identifier<PhoneActivity>?
    let apnsID: String
    /// What exactly, for people.
    let detail: String
}
