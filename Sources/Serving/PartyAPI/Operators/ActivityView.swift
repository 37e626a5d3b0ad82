import Cryptography
import Encodings
import GameCore
import GameLog
import GameStore

/// A Live Activity as operators see it.
struct ActivityView: Encodable {
    let activityID: ActivityID
    let adventureID: AdventureID
    let playerID: PlayerID
    let deviceID: DeviceID
    let state: String
    let environment: PushEnvironment
    let frequentPushesEnabled: Bool
    let locale: String?
    let generation: Int
    let tokenFingerprint: String
    let registeredAt: String
    /// When a scheduled activity starts or started; nil for one that started when it was registered.
    let startsAt: String?
    let tokenRegisteredAt: String
    let lastTimestamp: Int64
    let acknowledgedAt: String

    init(_ activity: Activity) {
        activityID = activity.id
        adventureID = activity.adventureID
        playerID = activity.playerID
        deviceID = activity.deviceID
        state = activity.state.rawValue
        environment = activity.environment
        frequentPushesEnabled = activity.frequentPushesEnabled
        locale = activity.locale
        generation = activity.generation
        tokenFingerprint = activity.pushToken.tokenFingerprint
        registeredAt = activity.registeredAt.rfc3339
        startsAt = activity.startsAt?.rfc3339
        tokenRegisteredAt = activity.tokenRegisteredAt.rfc3339
        lastTimestamp = activity.lastTimestamp
        acknowledgedAt = activity.acknowledgedAt.rfc3339
    }
}

extension [UInt8] {
    /// The fingerprint of a push token with these bytes: the first digits of its SHA-256, enough to distinguish tokens.
    var tokenFingerprint: String { String(SHA256.hex(of: self).prefix(8)) }
}
