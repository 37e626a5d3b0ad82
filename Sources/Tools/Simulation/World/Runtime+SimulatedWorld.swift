import Encodings
package import ServiceRuntime

extension Runtime {
    /// Creates the runtime of a simulated process: virtual time, seeded random bits and the host as executor.
    package init(of host: SimulatedHost, in world: SimulatedWorld) {
        let world = WorldBound(world)
        self.init(
            now: { world.value.now + host.clockError.value },
            randomBits: { world.value.bits() },
            uptime: { world.value.uptime },
            sleep: { try await world.value.sleep(for: $0) },
            executor: host
        )
    }
}
