import Foundation
import GameCore
import RangersClient

/// What a simulated phone has shown, and its settings, as its app can know them.
actor PhoneJournal {
    /// An element for each change of what the phone has shown.
    nonisolated let changes: AsyncStream<Void>
    /// An element for each change of the settings.
    nonisolated let settingsChanges: AsyncStream<Void>
    /// The settings and tokens of the phone.
    private(set) var settings: DeviceSettings
    private let change: AsyncStream<Void>.Continuation
    private let settingsChange: AsyncStream<Void>.Continuation
    private var journal = ReceiptJournal()
    private var running: [ActivityID: (adventureID: AdventureID, token: Data, sequence: Int?)] = [:]
    private var budget: Receipts.Budget?

    /// Creates an empty journal of a phone with these settings.
    init(settings: DeviceSettings) {
        self.settings = settings
        (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        (settingsChanges, settingsChange) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Observes what has changed since the last time.
    func observe(_ phone: RunningActivities) {
        let now = Date()
        let before = journal
        for activity in phone.activities {
            let (id, known) = (activity.activityID, running[activity.activityID])
            func observe(_ observation: ReceiptJournal.Observation) {
                journal.observe(observation, of: id, showing: activity.adventureID, at: now)
            }
            if let known, known.token != activity.pushToken.bytes { observe(.tokenIssued) }
            if let sequence = activity.sequence, known?.sequence != sequence { observe(.shown(sequence: sequence)) }
            running[id] = (activity.adventureID, activity.pushToken.bytes, activity.sequence)
        }
        for (id, known) in running where !phone.activities.contains(where: { $0.activityID == id }) {
            journal.observe(.ended, of: id, showing: known.adventureID, at: now)
            running[id] = nil
        }
        budget = phone.budgetLeft.map { Receipts.Budget(remaining: $0, level: nil, at: now) }
        if journal != before { change.yield() }
        observeSettings(of: phone)
    }

    private func observeSettings(of phone: RunningActivities) {
        let before = settings
        settings.locale = phone.locale
        settings.frequentPushesEnabled = phone.frequentPushesEnabled
        settings.liveActivitiesEnabled = phone.liveActivitiesEnabled
        if settings != before { settingsChange.yield() }
    }

    /// What the phone has shown.
    var receipts: Receipts {
        Receipts(
            device: .init(liveActivitiesEnabled: settings.liveActivitiesEnabled, budget: budget),
            activities: journal.activities
        )
    }
}
