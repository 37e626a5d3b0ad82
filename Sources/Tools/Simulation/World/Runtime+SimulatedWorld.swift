import Encodings
package import ServiceRuntime

extension Runtime {
    /// Creates the runtime of a simulated process: virtual time, seeded random bits and the host as executor.
    /// - Parameters:
    ///   - host: the process.
    ///   - world: its world.
    ///   - clockError: the time by which the clock is ahead of the true time; nil for that of the host.
    package init(of host: SimulatedHost, in world: SimulatedWorld, clockError: WorldBound<Duration>? = nil) {
        let world = WorldBound(world)
        let clockError = clockError ?? host.clockError
        self.init(
            now: { world.value.now + clockError.value },
            randomBits: { world.value.bits() },
            uptime: { world.value.uptime },
            sleep: { try await world.value.sleep(for: $0) },
            executor: host
        )
    }
}
