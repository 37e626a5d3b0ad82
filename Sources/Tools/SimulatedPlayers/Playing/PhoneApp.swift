import Foundation
import GameCore
import RangersClient

/// The app on a simulated phone, as far as Live Activities go: it keeps the server informed of them.
///
/// It looks at the phone where an app on a real one hears of changes from ActivityKit; what it does about them is the
/// client's, as in every app.
struct PhoneApp: Sendable {
    let reporter: LiveActivityReporter
    let simulator: SimulatorClient
    let phoneID: UUID
    /// Between two looks at the phone.
    let pause: Duration

    /// Forwards each token of each activity, and says when one is over, until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            var posts: [ActivityID: AsyncStream<ActivityUpdate>.Continuation] = [:]
            var tokens: [ActivityID: Data] = [:]
            while !Task.isCancelled {
                // A phone that cannot be looked at now shows the same the next time.
                if let running = try? await simulator.runningActivities(on: phoneID) {
                    for activity in running.activities {
                        let id = activity.activityID
                        let token = activity.pushToken.bytes
                        if posts[id] == nil {
                            let (updates, continuation) = AsyncStream.makeStream(of: ActivityUpdate.self)
                            posts[id] = continuation
                            group.addTask { await follow(activity, on: running, updates) }
                        }
                        if tokens.updateValue(token, forKey: id) != token { posts[id]?.yield(.pushToken(token)) }
                    }
                    for (id, post) in posts where !running.activities.contains(where: { $0.activityID == id }) {
                        post.yield(.ended)
                        posts[id] = nil
                    }
                }
                // Who is cancelled needs no pause.
                try? await Task.sleep(for: pause)
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
