import Encodings
import GameCore
package import ServiceRuntime

extension Runtime {
    /// What a process in a simulated world sees of time and chance.
    /// - Parameters:
    ///   - world: where it is.
    ///   - place: where its tasks run.
    ///   - clockError: how far its wall clock is ahead of the true time.
    package init(of world: World, at place: Place, clockError: @escaping @Sendable () -> Duration) {
        self.init(
            now: { world.now + clockError() },
            randomBits: { world.bits() },
            uptime: { world.uptime },
            sleep: { try await world.sleep(for: $0) },
            executor: place
        )
    }
}
