import GameCore
import GameEngine
import GameStore

/// A client of the nodes' commands and reads: it picks a random node, waits for the response with a timeout, and retries.
struct CommandClient {
    /// The time limit for a response.
    private static let timeout = Duration.seconds(4)
    private static let maxAttempts = 40

    let world: SimulatedWorld
    let nodes: [SimulatedNode]
    let faults: FaultPlan

    /// Sends a command until there is a response or the client gives up.
    /// - Parameters:
    ///   - version: the rules that a node must know: the programs before them do not have the command.
    ///   - request: the command.
    /// - Returns: the response, or the reason for which the command was refused; nil if no node has responded.
    func send<Response: Sendable>(
        knowing version: RulesVersion = .v2,
        _ request: @escaping @Sendable (GameCommands) async throws -> Response
    ) async -> Result<Response, CommandError>? {
        for _ in 0..<Self.maxAttempts {
            if let response = await sendOnce(knowing: version, { commands, _ in try await request(commands) }) {
                return response
            }
            // This task is never cancelled.
            try? await world.sleep(for: world.duration(100...1_500))
        }
        return nil
    }

    /// Reads once from the store of a node, as its API does.
    /// - Returns: the response; nil without one.
    func read<Response: Sendable>(
        _ request: @escaping @Sendable (GameStore) async throws -> Response
    ) async -> Response? {
        try? await sendOnce { _, store in try await request(store) }?.get()
    }

    private func sendOnce<Response: Sendable>(
        knowing version: RulesVersion = .v2,
        _ request: @escaping @Sendable (GameCommands, GameStore) async throws -> Response
    ) async -> Result<Response, CommandError>? {
        let running = nodes.filter { $0.isRunning && $0.knows(version) }
        guard !running.isEmpty else { return nil }
        let node = running[world.number(below: running.count)]
        // A client that retries early, or a proxy, sends the request twice at once.
        let isDuplicated = faults.happens(inAThousand: 50, in: world)
        let isResponseLost = faults.happens(inAThousand: 50, in: world)
        return await withCheckedContinuation { continuation in
            // The first response counts.
            let pending = WorldBound(Optional(continuation))
            let world = WorldBound(world)
            for _ in 0..<(isDuplicated ? 2 : 1) {
                // No other task awaits this one: like a request, it ends on completion or with its node.
                Task(executorPreference: node.host) { [commands = node.commands, store = node.store] in
                    let response: Result<Response, CommandError>?
                    do {
                        response = .success(try await request(commands, store))
                    } catch let refusal as CommandError {
                        response = .failure(refusal)
                    } catch {
                        response = nil
                    }
                    guard !isResponseLost else { return }
                    world.value.after(world.value.duration(1...30)) {
                        pending.value.take()?.resume(returning: response)
                    }
                }
            }
            world.value.after(Self.timeout) { pending.value.take()?.resume(returning: nil) }
        }
    }
}
