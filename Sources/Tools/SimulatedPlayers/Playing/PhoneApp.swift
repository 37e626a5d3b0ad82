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

    /// Reports each token of each activity, and each activity's end, until cancellation.
    func run() async {
        await withDiscardingTaskGroup { group in
            var continuations: [ActivityID: AsyncStream<ActivityUpdate>.Continuation] = [:]
            var tokens: [ActivityID: Data] = [:]
            while !Task.isCancelled {
                // A failed request is retried in the next iteration.
                if let running = try? await simulator.runningActivities(on: phoneID) {
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
