/// A notification on a phone's Lock Screen.
struct PhoneNotification: Encodable, Equatable, Sendable {
    /// The maximum number of notifications that a phone keeps.
    static let maxPerPhone = 20

    /// The `apns-id` of its push.
    let apnsID: String
    /// The `apns-collapse-id`; a newer notification with the same one replaces this notification.
    let collapseID: String?
    /// The `thread-id`; the phone shows notifications with the same one as a group.
    let threadID: String?
    let interruptionLevel: ReceivedNotification.InterruptionLevel
    let relevanceScore: Double
    /// The texts in the phone's language, and the sound.
    let alert: ShownAlert
}

extension Phone {
    /// Shows a notification above the others, in place of an earlier one with the same collapse identifier.
    mutating func show(_ notification: PhoneNotification) {
        if let collapseID = notification.collapseID { notifications.removeAll { $0.collapseID == collapseID } }
        notifications.insert(notification, at: 0)
        if notifications.count > PhoneNotification.maxPerPhone { notifications.removeLast() }
    }
}
