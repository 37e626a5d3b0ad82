import Hummingbird

/// The faults that people, scripts and tests ask for.
struct FaultAPI: Sendable {
    let simulation: Simulation

    /// Adds its routes.
    func addRoutes(to router: Router<WallContext>) {
        router.get("api/faults") { _, _ in
            let now = simulation.time
            let book = simulation.faults
            return Response(json: FaultList(seed: book.seed, faults: book.entries.map { FaultView($0, at: now) }))
        }
        router.post("api/faults") { request, context in
            let fault = try await context.decode(NewFault.self, from: request).checked()
            let now = simulation.time
            guard let entry = simulation.addFault(fault) else { throw Problem.tooManyFaults }
            return Response(status: .created, json: FaultView(entry, at: now))
        }
        router.delete("api/faults") { _, _ in
            simulation.removeFaults()
            return Response(status: .noContent)
        }
        router.delete("api/faults/:faultID") { _, context in
            guard let number = context.parameters.get("faultID", as: Int.self), simulation.removeFault(number) else {
                throw Problem.unknownFault
            }
            return Response(status: .noContent)
        }
    }

    private struct FaultList: Encodable {
        let seed: UInt64
        let faults: [FaultView]
    }
}

extension Problem {
    fileprivate static let tooManyFaults = Self(
        type: "too-many-faults",
        title: "There are too many faults",
        status: .conflict,
        detail: "There may be \(FaultBook.maximumFaults); DELETE /api/faults removes them all."
    )

    fileprivate static let unknownFault = Self(
        type: "unknown-fault",
        title: "There is no such fault",
        status: .notFound,
        detail: "GET /api/faults lists the faults; POST /api/faults adds one."
    )
}
