public import Foundation
import Synchronization

/// The phone on which the stub's activities run, and which a test plays: the app's other launches, the person, and iOS.
///
/// Each sequence but that of new activities begins with the current value. Apple documents that for none of them; of
/// `contentUpdates` it is known from apps. An ended activity stays in the list until the person dismisses it.
public final class StubPhone: Sendable {
    /// The phone of the current task and its children.
    @TaskLocal public static var current = StubPhone()

    /// The most activities of one app: ActivityKit allows about five.
    private static let maxActivities = 5

    private struct Record: Sendable {
        /// The name of the type of the attributes.
        let type: String
        let attributes: Data
        var content: Broadcast<Data>
        var state: Broadcast<ActivityState>
        var token = Broadcast<Data>()
        var dismissalDate: Date?
    }

    private struct State: Sendable {
        var enabled = Broadcast(true)
        var frequent = Broadcast(true)
        var startToken = Broadcast<Data>()
        var widgetToken: Data?
        var isInFront = true
        var order: [String] = []
        var records: [String: Record] = [:]
        /// By the type of the attributes.
        var new: [String: Broadcast<String>] = [:]
    }

    private let state = Mutex(State())

    /// Creates a phone with Live Activities and frequent pushes turned on, and the app in front.
    public init() {}
}

// What a test plays.
extension StubPhone {
    /// The person turns Live Activities on or off.
    public func setActivitiesEnabled(_ isEnabled: Bool) { state.withLock { $0.enabled.send(isEnabled) } }

    /// The person turns frequent pushes on or off.
    public func setFrequentPushesEnabled(_ isEnabled: Bool) { state.withLock { $0.frequent.send(isEnabled) } }

    /// The app comes to the front, or leaves it; only in front it can start activities.
    public func setInFront(_ isInFront: Bool) { state.withLock { $0.isInFront = isInFront } }

    /// iOS issues a push-to-start token.
    public func issuePushToStartToken(_ token: Data) { state.withLock { $0.startToken.send(token) } }

    /// iOS issues a token for the widgets.
    public func issueWidgetToken(_ token: Data) { state.withLock { $0.widgetToken = token } }

    /// iOS issues a push token for an activity.
    public func issuePushToken(_ token: Data, for id: String) {
        state.withLock { $0.records[id]?.token.send(token) }
    }

    /// iOS starts an activity after a push, in front or not.
    /// - Returns: the identifier of the activity.
    public func receiveStart<Attributes: ActivityAttributes>(
        _ attributes: Attributes,
        _ content: ActivityContent<some Decodable & Encodable & Hashable>
    ) -> String {
        add(
            Attributes.self,
            StoredContent.encode(attributes),
            StoredContent.encode(StoredContent(content)),
            state: .active
        )
    }

    /// iOS shows the content of a push.
    public func receiveUpdate(_ content: ActivityContent<some Decodable & Encodable & Hashable>, for id: String) {
        show(StoredContent.encode(StoredContent(content)), on: id)
    }

    /// The stale date, or the start of a scheduled activity, has come.
    public func setState(_ newState: ActivityState, of id: String) {
        state.withLock { $0.records[id]?.state.send(newState) }
    }

    /// The person removes an activity.
    public func dismiss(_ id: String) {
        state.withLock { state in
            state.order.removeAll { $0 == id }
            state.records[id]?.state.send(.dismissed)
        }
    }

    /// The identifiers of the activities that the phone shows, in order of their starts.
    public var activityIDs: [String] { state.withLock(\.order) }

    /// The time at which an activity that the app has ended leaves the Lock Screen; nil for the system's default.
    public func dismissalDate(of id: String) -> Date? { withRecord(id) { $0.dismissalDate } }
}

// What ActivityKit calls.
extension StubPhone {
    var areActivitiesEnabled: Bool { state.withLock { $0.enabled.newest ?? false } }
    var frequentPushesEnabled: Bool { state.withLock { $0.frequent.newest ?? false } }
    /// What the stub of WidgetKit calls.
    package var widgetToken: Data? { state.withLock(\.widgetToken) }
    var pushToStartToken: Data? { state.withLock(\.startToken.newest) }

    func enablementUpdates() -> AsyncStream<Bool> { state.withLock { $0.enabled.stream() } }
    func frequentPushUpdates() -> AsyncStream<Bool> { state.withLock { $0.frequent.stream() } }
    func pushToStartTokenUpdates() -> AsyncStream<Data> { state.withLock { $0.startToken.stream() } }
    func newActivities(of type: Any.Type) -> AsyncStream<String> {
        state.withLock { $0.new["\(type)", default: Broadcast()].stream(fromNewest: false) }
    }
    func activityIDs(of type: Any.Type) -> [String] {
        state.withLock { state in state.order.filter { state.records[$0]?.type == "\(type)" } }
    }

    func attributes(of id: String) -> Data { withRecord(id) { $0.attributes } }
    func content(of id: String) -> Data { withRecord(id) { $0.content.newest ?? Data() } }
    func contentUpdates(of id: String) -> AsyncStream<Data> { withRecord(id) { $0.content.stream() } }
    func state(of id: String) -> ActivityState { withRecord(id) { $0.state.newest ?? .dismissed } }
    func stateUpdates(of id: String) -> AsyncStream<ActivityState> { withRecord(id) { $0.state.stream() } }
    func pushToken(of id: String) -> Data? { withRecord(id) { $0.token.newest } }
    func pushTokenUpdates(of id: String) -> AsyncStream<Data> { withRecord(id) { $0.token.stream() } }

    func request<Attributes: ActivityAttributes, State>(
        _ attributes: Attributes,
        _ content: ActivityContent<State>,
        start: Date?
    ) throws(ActivityAuthorizationError) -> String {
        let (isEnabled, isInFront, count) = state.withLock {
            ($0.enabled.newest ?? false, $0.isInFront, $0.order.count)
        }
        guard isEnabled else { throw .denied }
        guard isInFront else { throw .visibility }
        guard count < Self.maxActivities else { throw .targetMaximumExceeded }
        let encoded = StoredContent.encode(attributes)
        guard encoded.count <= 4_096 else { throw .attributesTooLarge }
        return add(
            Attributes.self,
            encoded,
            StoredContent.encode(StoredContent(content)),
            state: start == nil ? .active : .pending
        )
    }

    func show(_ content: Data, on id: String) {
        state.withLock { state in
            guard let newest = state.records[id]?.state.newest, newest != .ended, newest != .dismissed else { return }
            state.records[id]?.content.send(content)
            if newest == .stale { state.records[id]?.state.send(.active) }
        }
    }

    func end(_ id: String, showing content: Data?, until dismissalDate: Date?) {
        if let content { show(content, on: id) }
        state.withLock { $0.records[id]?.dismissalDate = dismissalDate }
        setState(.ended, of: id)
    }

    private func add(
        _ type: Any.Type,
        _ attributes: Data,
        _ content: Data,
        state activityState: ActivityState
    ) -> String {
        let (id, type) = (UUID().uuidString, "\(type)")
        let record = Record(
            type: type,
            attributes: attributes,
            content: Broadcast(content),
            state: Broadcast(activityState)
        )
        state.withLock { state in
            state.records[id] = record
            state.order.append(id)
            state.new[type, default: Broadcast()].send(id)
        }
        return id
    }

    private func withRecord<Value: Sendable>(_ id: String, _ body: (inout Record) -> Value) -> Value {
        state.withLock { state in
            guard var record = state.records[id] else { preconditionFailure("there is no activity \(id)") }
            defer { state.records[id] = record }
            return body(&record)
        }
    }
}

/// A value that sequences follow.
private struct Broadcast<Element: Sendable>: Sendable {
    private(set) var newest: Element?
    private var continuations: [AsyncStream<Element>.Continuation] = []

    init(_ newest: Element? = nil) { self.newest = newest }

    mutating func send(_ element: Element) {
        newest = element
        for continuation in continuations { continuation.yield(element) }
    }

    mutating func stream(fromNewest: Bool = true) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self)
        if fromNewest, let newest { continuation.yield(newest) }
        continuations.append(continuation)
        return stream
    }
}
