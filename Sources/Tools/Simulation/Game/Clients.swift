import GameCore
import GameEngine
import GameStore

/// What calls the nodes' API: picks a node, waits for the answer for a while, and asks again.
struct Clients: Sendable {
    /// How long a client waits for an answer.
    private static let patience = Duration.seconds(4)
    /// How often it asks.
    private static let mostAttempts = 40

    let world: World
    let nodes: [SimulatedNode]
    let faults: FaultPlan

    /// Asks until there is an answer, or the client gives up.
    /// - Returns: the answer, or why the command was refused; nil when nobody has answered.
    func ask<Answer: Sendable>(
        _ request: @escaping @Sendable (GameCommands) async throws -> Answer
    ) async -> Result<Answer, CommandError>? {
        for _ in 0..<Self.mostAttempts {
            if let answer = await askOnce(request) { return answer }
            // Never cancelled.
            try? await world.sleep(for: world.duration(100...1_500))
        }
        return nil
    }

    private func askOnce<Answer: Sendable>(
        _ request: @escaping @Sendable (GameCommands) async throws -> Answer
    ) async -> Result<Answer, CommandError>? {
        let running = nodes.filter(\.isRunning)
        guard !running.isEmpty else { return nil }
        let node = running[world.number(below: running.count)]
        // An impatient client, or something in between, sends it twice at once.
        let isDoubled = faults.happens(inAThousand: 50, in: world)
        let isLost = faults.happens(inAThousand: 50, in: world)
        return await withCheckedContinuation { continuation in
            let call = Call(continuation)
            for _ in 0..<(isDoubled ? 2 : 1) {
                // Owned by nobody, like a request: it ends by itself, or with its node.
                Task(executorPreference: node.place) {
                    let answer: Result<Answer, CommandError>?
                    do {
                        answer = .success(try await request(node.commands))
                    } catch let refusal as CommandError {
                        answer = .failure(refusal)
                    } catch {
                        answer = nil
                    }
                    if !isLost { world.after(world.duration(1...30)) { call.answer(answer) } }
                }
            }
            world.after(Self.patience) { call.answer(nil) }
        }
    }
}

/// A request's answer, of which the first counts.
///
/// Unchecked but true: touched on the world's one thread only.
private final class Call<Answer: Sendable>: @unchecked Sendable {
    private var continuation: CheckedContinuation<Answer?, Never>?

    init(_ continuation: CheckedContinuation<Answer?, Never>) {
        self.continuation = continuation
    }

    func answer(_ answer: Answer?) {
        continuation.take()?.resume(returning: answer)
    }
}
