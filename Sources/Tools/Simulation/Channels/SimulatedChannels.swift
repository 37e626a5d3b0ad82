import APNsClient
import PushDispatcher

/// A model of the channels that APNs has for an app: it creates, lists and deletes them, and loses requests, responses and
/// channels.
///
/// A request that was sent arrives, whether or not its sender still lives.
final class SimulatedChannels {
    /// The time for which the client waits for a response: the default of `APNsClient`.
    private static let requestTimeout = Duration.seconds(10)

    private let world: SimulatedWorld
    private let defect: Defect?
    /// The requests without a response yet: each fails its sender.
    private var waiting: [Int: (APNsChannelError) -> Void] = [:]
    private var requestCount = 0
    /// The channels whose creation was answered.
    private var answered: Set<String> = []

    /// The channels.
    private(set) var ids: Set<String> = []
    /// The maximum number of channels so far.
    private(set) var maxCount = 0
    /// The number of channels that were created.
    private(set) var createdCount = 0
    /// The process that has sent the newest request.
    private(set) var lastSender: SimulatedHost?
    /// Whether requests and responses are slow, rejected and lost.
    var hasFaults = true

    init(in world: SimulatedWorld, defect: Defect?) {
        self.world = world
        self.defect = defect
    }

    /// Returns a client for the keeper of a host.
    func sender(from host: SimulatedHost) -> any ChannelSender {
        Sender(apns: WorldBound(self), host: host)
    }

    /// Deletes one of the channels, as another service of the app might.
    func loseChannel() {
        guard !ids.isEmpty else { return }
        let lost = ids.sorted()[world.number(below: ids.count)]
        ids.remove(lost)
        world.log("APNs loses \(lost)")
    }

    /// Fails the requests that have no response yet.
    func close() {
        for number in waiting.keys.sorted() { fail(number, .neverSent(.shuttingDown)) }
    }
}

// MARK: - Requests

extension SimulatedChannels {
    private struct Sender: ChannelSender {
        let apns: WorldBound<SimulatedChannels>
        let host: SimulatedHost

        func createChannel(
            of bundleID: BundleID,
            storing policy: APNsChannel.StoragePolicy
        ) async throws(APNsChannelError) -> APNsChannel {
            let text = try await apns.value.response(to: host) { [apns] in apns.value.create() }.get()
            apns.value.answered.insert(text)
            guard let id = APNsChannel.ID(text) else { throw .unreadable(missing: "apns-channel-id") }
            return APNsChannel(id: id, storagePolicy: policy)
        }

        func deleteChannel(_ id: APNsChannel.ID, of bundleID: BundleID) async throws(APNsChannelError) {
            try await apns.value.response(to: host) { [apns] in apns.value.delete(id.description) }.get()
        }

        func channels(of bundleID: BundleID) async throws(APNsChannelError) -> [APNsChannel.ID] {
            let ids = try await apns.value.response(to: host) { [apns] in apns.value.list() }.get()
            return ids.compactMap { APNsChannel.ID($0) }
        }

        func send(_ broadcast: APNsBroadcast) async -> APNsOutcome {
            let response = await apns.value.response(to: host) { [apns] in
                apns.value.publish(to: broadcast.channel.id.description)
            }
            switch response {
            case .success: return .accepted(apnsID: broadcast.id, uniqueID: nil)
            case .failure(.rejected(let rejection)): return .rejected(rejection)
            case .failure(.unknown(let failure)): return .unknown(failure)
            case .failure(.neverSent(let failure)): return .neverSent(failure)
            case .failure(.unreadable): preconditionFailure("the response to a broadcast has no value")
            }
        }
    }

    private static let notRegistered = APNsChannelError.rejected(
        APNsRejection(status: 400, reason: .channelNotRegistered)
    )

    private func create() -> Result<String, APNsChannelError> {
        createdCount += 1
        let id = "channel\(createdCount)"
        ids.insert(id)
        maxCount = max(maxCount, ids.count)
        world.log("APNs creates \(id)")
        return .success(id)
    }

    private func delete(_ id: String) -> Result<Void, APNsChannelError> {
        world.log("APNs deletes \(id)")
        return ids.remove(id) == nil ? .failure(Self.notRegistered) : .success(())
    }

    private func list() -> Result<[String], APNsChannelError> {
        .success(ids.sorted().filter { defect != .channelLeftoversHidden || answered.contains($0) })
    }

    private func publish(to id: String) -> Result<Void, APNsChannelError> {
        ids.contains(id) ? .success(()) : .failure(Self.notRegistered)
    }

    /// Returns a random one-way latency.
    private func latency() -> Duration {
        let isSlow = hasFaults && world.happens(inAThousand: 100)
        return world.duration(isSlow ? 1_000...9_000 : 5...60)
    }

    private func fail(_ number: Int, _ error: APNsChannelError) { waiting.removeValue(forKey: number)?(error) }

    /// Carries out a request when it arrives, and returns the response.
    private func response<Value: Sendable>(
        to host: SimulatedHost,
        _ perform: @escaping () -> Result<Value, APNsChannelError>
    ) async -> Result<Value, APNsChannelError> {
        lastSender = host
        requestCount += 1
        let number = requestCount
        return await withCheckedContinuation { continuation in
            waiting[number] = { continuation.resume(returning: .failure($0)) }
            world.after(Self.requestTimeout) { self.fail(number, .unknown(.timedOut)) }
            guard !hasFaults || !world.happens(inAThousand: 30) else {
                return world.after(world.duration(1...500)) {
                    self.fail(number, .neverSent(.connection("no connection")))
                }
            }
            world.after(latency()) {
                let isRejected = self.hasFaults && self.world.happens(inAThousand: 60)
                let response: Result<Value, APNsChannelError> =
                    isRejected
                    ? .failure(.rejected(APNsRejection(status: 503, reason: .serviceUnavailable))) : perform()
                // The response is lost.
                guard !self.hasFaults || !self.world.happens(inAThousand: 100) else { return }
                self.world.after(self.latency()) {
                    guard self.waiting.removeValue(forKey: number) != nil else { return }
                    continuation.resume(returning: response)
                }
            }
        }
    }
}
