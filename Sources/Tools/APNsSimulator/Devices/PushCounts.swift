/// The numbers of pushes that APNs accepted for one activity.
struct PushCounts: Codable, Equatable, Sendable {
    private(set) var lowPriority = 0
    private(set) var highPriority = 0
    /// Pushes with an alert, of either priority.
    private(set) var withAlert = 0

    mutating func count(priority: ReceivedPush.Priority, hasAlert: Bool) {
        switch priority {
        case .lowest, .low: lowPriority += 1
        case .high: highPriority += 1
        }
        if hasAlert { withAlert += 1 }
    }
}
