import Hummingbird

/// The routes that add, list and remove faults.
struct FaultAPI: Sendable {
    let simulator: SimulatorState

    /// Adds the routes.
    func addRoutes(to router: Router<WallContext>) {
        router.get("api/faults") { _, _ in
            let now = simulator.time
            let injector = simulator.faults
            return Response(
                json: FaultList(seed: injector.seed, faults: injector.entries.map { FaultView($0, at: now) })
            )
        }
        router.post("api/faults") { request, context in
            let fault = try await context.decode(FaultDescription.self, from: request).checked()
            let now = simulator.time
            guard let entry = simulator.addFault(fault) else { throw SimulatorProblem.tooManyFaults }
            return Response(status: .created, json: FaultView(entry, at: now))
        }
        router.delete("api/faults") { _, _ in
            simulator.removeFaults()
            return Response(status: .noContent)
        }
        router.delete("api/faults/:faultID") { _, context in
            guard let number = context.parameters.get("faultID", as: Int.self), simulator.removeFault(number) else {
                throw SimulatorProblem.unknownFault
            }
            return Response(status: .noContent)
        }
    }

    private struct FaultList: Encodable {
        let seed: UInt64
        let faults: [FaultView]
    }
}

extension SimulatorProblem {
    fileprivate static let tooManyFaults = Self(
        type: "too-many-faults",
        title: "Too many faults",
        status: .conflict,
        detail: "At most \(PushFaultInjector.maxFaults) faults are allowed; DELETE /api/faults removes all of them."
    )

    fileprivate static let unknownFault = Self(
        type: "unknown-fault",
        title: "Unknown fault",
        status: .notFound,
        detail: "GET /api/faults lists the faults; POST /api/faults adds one."
    )
}
