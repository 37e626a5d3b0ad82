import Foundation
import GameCore
import RangersClient

/// The Live Activity part of the app on a simulated phone, which reports the device, its activities with their tokens,
/// and what they have shown.
///
/// It polls the phone, whereas a real app receives updates from ActivityKit. Its reactions are those of RangersClient,
/// as in every app.
struct PhoneApp: Sendable {
    /// The polling interval, which is also the precision of the times in receipts.
    let pollInterval: Duration
    /// Whether the app registers and releases activities; otherwise the player does.
    let registersActivities: Bool

    private let device: SimulatedPlayer
    private let reporter: LiveActivityReporter
    private let journal: PhoneJournal

    /// Creates the app of a player on one device.
    init(of device: SimulatedPlayer, pollInterval: Duration, registersActivities: Bool = true) {
        self.device = device
        self.pollInterval = pollInterval
        self.registersActivities = registersActivities
        let journal = PhoneJournal(settings: device.deviceSettings)
        self.journal = journal
        reporter = LiveActivityReporter(player: device.server, on: device.deviceID) { await journal.settings }
    }

    /// Reports the device, each token of each activity, each activity's end, and each state that the phone shows, until
    /// cancellation.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await reporter.reportDevice(changes: journal.settingsChanges) }
            group.addTask { await reporter.reportReceipts(changes: journal.changes) { await journal.receipts } }
            var activities = FollowedActivities()
            var drawnReloads: Int?
            while !Task.isCancelled {
                // A failed request is retried in the next iteration.
                if let running = try? await device.simulator.runningActivities(on: device.phoneID) {
                    await journal.observe(running)
                    // The widgets are drawn once without a push: when the user adds them.
                    if drawnReloads != running.widgetReloads {
                        drawnReloads = running.widgetReloads
                        // A drawing that fails leaves the older content until the next reload.
                        group.addTask { try? await device.drawWidgets() }
                    }
                    if registersActivities {
                        for (activity, updates) in activities.update(running) {
                            group.addTask { await follow(activity, on: running, updates) }
                        }
                    }
                }
                // The loop checks for cancellation.
                try? await Task.sleep(for: pollInterval)
            }
        }
    }

    private func follow(
        _ activity: RunningActivities.Activity,
        on phone: RunningActivities,
        _ updates: AsyncStream<ActivityUpdate>
    ) async {
        await reporter.follow(
            activity.activityID,
            of: activity.adventureID,
            frequentPushesEnabled: phone.frequentPushesEnabled,
            locale: phone.locale,
            updates: updates
        )
    }
}

/// The activities whose tokens and ends an app reports.
private struct FollowedActivities {
    private var continuations: [ActivityID: AsyncStream<ActivityUpdate>.Continuation] = [:]
    private var tokens: [ActivityID: Data] = [:]

    /// Passes on new tokens and ends.
    /// - Returns: the new activities, each with its updates.
    mutating func update(
        _ phone: RunningActivities
    ) -> [(RunningActivities.Activity, AsyncStream<ActivityUpdate>)] {
        var new: [(RunningActivities.Activity, AsyncStream<ActivityUpdate>)] = []
        for activity in phone.activities {
            let id = activity.activityID
            let token = activity.pushToken.bytes
            if continuations[id] == nil {
                let (updates, continuation) = AsyncStream.makeStream(of: ActivityUpdate.self)
                continuations[id] = continuation
                new.append((activity, updates))
            }
            if tokens.updateValue(token, forKey: id) != token {
                continuations[id]?.yield(.pushToken(token))
            }
        }
        for (id, continuation) in continuations
        where !phone.activities.contains(where: { $0.activityID == id }) {
            continuation.yield(.ended)
            continuations[id] = nil
        }
        return new
    }
}
