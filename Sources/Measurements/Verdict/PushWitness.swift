import Foundation
import GameCore

/// Notes what the simulator of APNs is sent while a run goes on, since the simulator itself remembers the newest only.
final class PushWitness: Sendable {
    /// Where the simulator's page and API are.
    let port: Int

    /// Begins with the first push there is.
    init(port: Int) {
        self.port = port
    }

    /// Looks twice a second until the task is cancelled; a simulator that does not answer is asked again.
    func watch() async {}

    /// Notes all there is by now.
    func catchUp() async throws {}

    /// How many pushes APNs has accepted, as far as was looked.
    var accepted: Int { 0 }

    /// For how long nothing has come, as far as was looked.
    var silence: Duration { .zero }
}
