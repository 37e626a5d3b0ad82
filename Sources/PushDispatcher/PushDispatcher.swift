public import APNsClient
import Foundation
public import GameCore
public import GameStore
public import Logging
public import ServiceLifecycle

/// Keeps every live activity's phone up to date: leases shards, tails their logs, sends what the cadence decides.
///
/// One loop owns everything it knows, so nothing is locked. An activity owes its device the newest state, never a
/// queue of updates; what it owes is decided by `PushRules` and `PushCadence`, rendered when it is sent, and written
/// down in batches behind a checkpoint that is fenced by the lease's epoch. After a crash the next holder starts at
/// the checkpoint: at most the pushes of one settle interval repeat, and none is lost.
public struct PushDispatcher: Service {
    private let store: GameStore
    private let clients: [PushEnvironment: APNsClient]
    private let settings: DispatcherSettings
    private let surroundings: Surroundings
    private let news: Doorbell
    private let logger: Logger

    /// A dispatcher on one node.
    /// - Parameters:
    ///   - store: where the log is.
    ///   - clients: who sends, by the environment of the token; activities of other environments are not followed.
    ///   - settings: leases, intervals and the cadence.
    ///   - surroundings: clock and randomness.
    ///   - news: rung by an engine in the same process; must be waited on by nobody else.
    ///   - logger: for failures and refused pushes; tokens never reach it.
    public init(
        store: GameStore,
        clients: [PushEnvironment: APNsClient],
        settings: DispatcherSettings,
        surroundings: Surroundings,
        news: Doorbell,
        logger: Logger
    ) {
        self.store = store
        self.clients = clients
        self.settings = settings
        self.surroundings = surroundings
        self.news = news
        self.logger = logger
    }

    /// Sends until graceful shutdown or cancellation; then waits for the answers under way, at most the settings'
    /// drain limit, writes what was sent and gives the leases back.
    public func run() async throws {
        var generator = surroundings.generator()
        let holder = UUID(version7At: surroundings.now(), using: &generator)
        let answers = AnswerBox()
        let loop = DispatchLoop(
            store: store,
            settings: settings,
            surroundings: surroundings,
            news: news,
            holder: holder,
            answers: answers,
            environments: Set(clients.keys),
            logger: logger
        )
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                while !Task.isShuttingDownGracefully, !Task.isCancelled {
                    for push in await loop.round() {
                        group.addTask {
                            answers.put(await send(push))
                            news.ring()
                        }
                    }
                    await news.wait(atMost: await loop.pause)
                }
                // Shielded, so that a cancelled task still writes what it sent and gives its leases back.
                await Task { await loop.drain() }.value
                group.cancelAll()
            }
        } onGracefulShutdown: {
            news.ring()
        }
    }

    private func send(_ push: OutgoingPush) async -> PushAnswer {
        guard let client = clients[push.environment] else {
            preconditionFailure("the loop follows activities of the clients' environments only")
        }
        return PushAnswer(push, await client.send(push.request))
    }
}
