import Foundation
import NIOCore
import Synchronization

/// Tells everyone who watches the wall of its changes, as Server-Sent Events.
final class WallFeed: Sendable {
    /// How many events wait for a slow reader before it is cut off; it connects again and reads the wall anew.
    private static let backlog = 1000

    private let catalog: StringCatalog
    private let watchers = Mutex<[Int: AsyncStream<[UInt8]>.Continuation]>([:])
    private let lastNumber = Atomic<Int>(0)

    /// - Parameter catalog: the app's sentences, for what the phones say.
    init(catalog: StringCatalog) {
        self.catalog = catalog
    }

    /// Everything that happens from now on; ends when the reader is too slow, or gone.
    ///
    /// Each element is one event of the stream, as bytes.
    /// - Parameter closed: when the reader goes; nil for one who stays.
    /// - Returns: the events, which wait for the reader.
    func watch(until closed: EventLoopFuture<Void>? = nil) -> AsyncStream<[UInt8]> {
        let number = lastNumber.add(1, ordering: .relaxed).newValue
        let (stream, continuation) = AsyncStream.makeStream(
            of: [UInt8].self,
            bufferingPolicy: .bufferingOldest(Self.backlog)
        )
        continuation.onTermination = { [weak self] _ in
            self?.watchers.withLock { _ = $0.removeValue(forKey: number) }
        }
        watchers.withLock { $0[number] = continuation }
        closed?.whenComplete { _ in continuation.finish() }
        return stream
    }

    /// Whether anyone wants to know.
    var isWatched: Bool { watchers.withLock { !$0.isEmpty } }

    /// A phone has changed.
    func publish(_ phone: Phone, at now: Moment) {
        publish("phone") { PhoneView(phone, in: catalog, at: now) }
    }

    /// A request was answered.
    func publish(_ entry: PushLog.Entry) {
        publish("push") { entry }
    }

    /// Something was wrong with a push.
    func publish(_ violation: Violation) {
        publish("violation") { violation }
    }

    /// Encodes once for all watchers, and not at all when nobody watches.
    private func publish(_ event: String, _ makeData: () -> some Encodable) {
        guard isWatched else { return }
        let watching = watchers.withLock { watchers in watchers.sorted { $0.key < $1.key }.map(\.value) }
        let message = Array("event: \(event)\ndata: ".utf8) + JSON.encode(makeData()) + Array("\n\n".utf8)
        for watcher in watching {
            switch watcher.yield(message) {
            case .enqueued, .terminated: break
            case .dropped: watcher.finish()
            @unknown default: break
            }
        }
    }
}
