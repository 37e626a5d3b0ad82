import Encodings

/// A mistake of a sender that APNs does not report and that harms a phone.
struct Violation: Encodable, Equatable, Sendable {
    /// The kind of mistake; the raw values are part of the API.
    enum Kind: String, Encodable, CaseIterable, Sendable {
        /// The phone cannot decode the payload.
        case unreadablePayload
        /// The content state is missing, or a default `JSONDecoder` cannot decode the app's type from it.
        case undecodableContentState
        /// The alert has the flat keys of ordinary pushes; ActivityKit documents only the nested form.
        case flatLocalizationKeys
        /// The alert of an ordinary notification has the nested keys of ActivityKit.
        case nestedLocalizationKeys
        /// `sound` is outside the alert, where it does not play.
        case soundOutsideAlert
        /// `sound` is inside the alert of an ordinary notification, where it does not play.
        case soundInsideAlert
        /// A start or an update has no stale date, so a phone without further pushes shows it as current.
        case missingStaleDate
        /// A start's attributes are missing, or the app's type cannot be decoded from them.
        case undecodableAttributes
        /// A start has no alert; phones drop it.
        case startWithoutAlert
        /// A start requests no update token, so nothing can update the activity.
        case missingInputPushToken
        /// An alert has no title, which makes phones ignore it, or no body; or an ordinary notification has neither.
        case incompleteAlert
        /// The interruption level of a notification is unknown or needs an entitlement.
        case invalidInterruptionLevel
        /// The relevance score of a notification is not from 0 to 1.
        case invalidRelevanceScore
        /// A push to widgets does not say that their content has changed.
        case missingContentChanged
        /// An alert uses a localization key that the app does not have; the phone shows the key.
        case unknownLocalizationKey
        /// A localized string takes another number of arguments than the push has.
        case wrongLocalizationArguments
        /// An alert uses a sound that the app does not have.
        case unknownSound
        /// A start is sent to an activity's token, or another push to a push-to-start token.
        case wrongKindOfToken
        /// The phone has received the day's maximum of starts; it drops the push.
        case tooManyStarts
        /// `apns-expiration` is missing: APNs may deliver the push up to 30 days late.
        case missingExpiration
        /// The timestamp is not larger than the activity's last one, so a phone may show an older state.
        case timestampNotGrowing
        /// The timestamp is so far ahead of the clock, or an update's so far behind, that a phone drops the push.
        case implausibleTimestamp
        /// A push for an activity that the sender has already ended.
        case pushAfterEnd
        /// A push to a token that the sender knows to be invalid.
        case pushToDeadToken
    }

    /// The violation's number: from 1, in order of detection.
    let number: Int
    let time: Timestamp
    let kind: Kind
    let phoneID: WallID<Phone>?
    let activityID: WallID<PhoneActivity>?
    let apnsID: String
    /// The description for people.
    let detail: String
}
