import Encodings
import Foundation
import NIOCore
import Synchronization

/// Publishes changes of the wall to all subscribers, as server-sent events.
final class WallFeed: Sendable {
    /// The number of events that are buffered for a slow subscriber before its stream ends; it then reconnects and
    /// reads the wall again.
    private static let maxBufferedEvents = 1000

    private let catalog: StringCatalog
    private let subscribers = Mutex<[Int: AsyncStream<[UInt8]>.Continuation]>([:])
    private let lastNumber = Atomic<Int>(0)

    /// Creates a feed without subscribers.
    /// - Parameter catalog: the app's localized strings.
    init(catalog: StringCatalog) {
        self.catalog = catalog
    }

    /// Returns all events from now on; the stream ends when the subscriber is too slow or disconnects.
    ///
    /// Each element is one server-sent event, as bytes.
    /// - Parameter closed: completes when the subscriber disconnects; nil for one that stays.
    /// - Returns: the events.
    func subscribe(until closed: EventLoopFuture<Void>? = nil) -> AsyncStream<[UInt8]> {
        let number = lastNumber.add(1, ordering: .relaxed).newValue
        let (stream, continuation) = AsyncStream.makeStream(
            of: [UInt8].self,
            bufferingPolicy: .bufferingOldest(Self.maxBufferedEvents)
        )
        continuation.onTermination = { [weak self] _ in
            self?.subscribers.withLock { _ = $0.removeValue(forKey: number) }
        }
        subscribers.withLock { $0[number] = continuation }
        closed?.whenComplete { _ in continuation.finish() }
        return stream
    }

    /// Whether there are subscribers.
    var hasSubscribers: Bool { subscribers.withLock { !$0.isEmpty } }

    /// Publishes a changed phone.
    func publish(_ phone: Phone, at now: Timestamp) {
        publish("phone") { PhoneView(phone, in: catalog, at: now) }
    }

    /// Publishes a log entry.
    func publish(_ entry: PushLog.Entry) {
        publish("push") { entry }
    }

    /// Publishes a violation.
    func publish(_ violation: Violation) {
        publish("violation") { violation }
    }

    /// Encodes the event once for all subscribers, and not at all without any.
    private func publish(_ event: String, _ makeData: () -> some Encodable) {
        guard hasSubscribers else { return }
        let continuations = subscribers.withLock { subscribers in subscribers.sorted { $0.key < $1.key }.map(\.value) }
        let message = Array("event: \(event)\ndata: ".utf8) + SortedJSON.encode(makeData()) + Array("\n\n".utf8)
        for subscriber in continuations {
            switch subscriber.yield(message) {
            case .enqueued, .terminated: break
            case .dropped: subscriber.finish()
            @unknown default: break
            }
        }
    }
}
