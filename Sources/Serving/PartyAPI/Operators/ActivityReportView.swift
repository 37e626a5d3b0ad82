import Encodings
import Foundation
import GameCore
import GameLog
import GameStore
import PushDispatch

/// What Apple asks for in a report about pushes, with what the device says about them.
///
/// It has no whole token and no name of a player, so that it may leave the house.
struct ActivityReportView: Encodable {
    struct Push: Encodable {
        let apnsID: String
        let sentAt: String
        let acceptedAt: String?
        /// `timestamp` of the payload, and `apns-expiration`, in seconds since 1970.
        let timestamp: Int64
        let expiration: Int64
        let priority: Int
        /// The `sequence` of the content state.
        let sequence: Int
        let outcome: String?
        /// The HTTP status of APNs' response; nil without one, and for an undocumented reason of an older release.
        let status: Int?
        /// The reason that APNs gave, or else why there is no response; nil for an accepted push.
        let reason: String?
        /// When the device showed the state of an accepted push.
        let shownAt: String?
        let verdict: String?
    }

    /// The number of bytes of a token that the report has.
    private static let tokenBytes = 4

    let activityID: ActivityID
    let environment: PushEnvironment
    let topic: String?
    let pushType = "liveactivity"
    /// The beginning of the push token and its length.
    let token: String
    /// What the other responses about the activity show of its token.
    let tokenFingerprint: String
    let tokenRegisteredAt: String
    let registeredAt: String
    let deviceID: DeviceID
    let appBuild: String?
    let locale: String?
    let frequentPushesEnabled: Bool
    let liveActivitiesEnabled: Bool?
    /// When the device wrote its newest report; nil before the first one.
    let reportedAt: String?
    /// The recorded pushes, oldest first.
    let pushes: [Push]

    init(
        of activity: Activity,
        on device: Device?,
        topic: String?,
        _ records: [DecisionRecord],
        _ judged: [JudgedPush],
        receipts: ActivityReceipts?
    ) {
        activityID = activity.id
        environment = activity.environment
        self.topic = topic
        let bytes = activity.pushToken
        tokenFingerprint = bytes.tokenFingerprint
        token = "\(bytes.prefix(Self.tokenBytes).hexadecimal)… (\(bytes.count) bytes)"
        tokenRegisteredAt = activity.tokenRegisteredAt.rfc3339
        registeredAt = activity.registeredAt.rfc3339
        deviceID = activity.deviceID
        appBuild = device?.appBuild
        locale = activity.locale
        frequentPushesEnabled = activity.frequentPushesEnabled
        liveActivitiesEnabled = receipts?.liveActivitiesEnabled ?? device?.liveActivitiesEnabled
        reportedAt = receipts.map { $0.serverTime($0.reportedAt).rfc3339 }
        let key = ActivityKey(adventureID: activity.adventureID, activityID: activity.id)
        pushes = RecordedPush.all(in: records).compactMap { recorded in
            let record = recorded.record
            guard let push = record.push, let id = record.apnsID(of: key), let priority = record.priority else {
                return nil
            }
            let judged = judged.first { $0.push.record == record }
            // Of a push that was not accepted, the device may have shown the state through another one.
            let shown = judged.flatMap { _ in receipts?.shown.first { $0.sequence == push.sequence } }
            return Push(
                apnsID: id.lowercaseText,
                sentAt: recorded.sentAt.rfc3339,
                acceptedAt: judged?.push.acceptedAt.rfc3339,
                timestamp: push.timestamp,
                expiration: push.expiration,
                priority: priority,
                sequence: push.sequence,
                outcome: recorded.result?.name,
                status: recorded.result.flatMap { result in result == .accepted ? 200 : result.cause?.status },
                reason: recorded.result?.cause.map { cause in
                    if case .apns(let reason, _) = cause { reason } else { cause.text }
                },
                shownAt: shown.flatMap { shown in receipts?.serverTime(shown.at).rfc3339 },
                verdict: judged?.verdict.label
            )
        }
    }
}
