import Foundation
import GameCore
import RangersClient

/// The Live Activity part of the app on a simulated phone, which reports activities and their tokens to the server.
///
/// It polls the phone, whereas a real app receives updates from ActivityKit. Its reactions are those of RangersClient,
/// as in every app.
struct PhoneApp: Sendable {
    let reporter: LiveActivityReporter
    let simulator: SimulatorClient
    let phoneID: UUID
    /// The polling interval.
    let pollInterval: Duration

    private let journal = PhoneJournal()

    init(reporter: LiveActivityReporter, simulator: SimulatorClient, phoneID: UUID, pollInterval: Duration) {
        self.reporter = reporter
        self.simulator = simulator
        self.phoneID = phoneID
        self.pollInterval = pollInterval
    }

    /// Reports each token of each activity, each activity's end, and each state that the phone shows, until cancellation.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await reporter.reportReceipts(changes: journal.changes) { await journal.receipts } }
            var continuations: [ActivityID: AsyncStream<ActivityUpdate>.Continuation] = [:]
            var tokens: [ActivityID: Data] = [:]
            while !Task.isCancelled {
                // A failed request is retried in the next iteration.
                if let running = try? await simulator.runningActivities(on: phoneID) {
                    await journal.observe(running)
                    for activity in running.activities {
                        let id = activity.activityID
                        let token = activity.pushToken.bytes
                        if continuations[id] == nil {
                            let (updates, continuation) = AsyncStream.makeStream(of: ActivityUpdate.self)
                            continuations[id] = continuation
                            group.addTask { await follow(activity, on: running, updates) }
                        }
                        if tokens.updateValue(token, forKey: id) != token {
                            continuations[id]?.yield(.pushToken(token))
                        }
                    }
                    for (id, continuation) in continuations
                    where !running.activities.contains(where: { $0.activityID == id }) {
                        continuation.yield(.ended)
                        continuations[id] = nil
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

/// What a simulated phone has shown, as its app can know it.
private actor PhoneJournal {
    nonisolated let changes: AsyncStream<Void>
    private let change: AsyncStream<Void>.Continuation
    private var journal = ReceiptJournal()
    private var running: [ActivityID: (adventureID: AdventureID, token: Data, sequence: Int?)] = [:]
    private var budget: Receipts.Budget?

    init() { (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1)) }

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
    }

    var receipts: Receipts {
        Receipts(device: .init(liveActivitiesEnabled: true, budget: budget), activities: journal.activities)
    }
}
