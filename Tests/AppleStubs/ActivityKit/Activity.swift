// Apple documents these declarations.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, BeginDocumentationCommentWithOneLineSummary

// The part of Apple's ActivityKit that this repository uses, for Linux, after Apple's documentation: each type names its page
// below https://developer.apple.com/documentation/activitykit/. It is no copy of the SDK's interface: the sequences are
// AsyncStreams or StubUpdates instead of structures of their own, availability is only that of scheduled starts, and
// whether Apple's types are Sendable is not documented. The behaviour is that of `StubPhone`.
public import Foundation

/// Page `activityattributes`.
public protocol ActivityAttributes: Decodable, Encodable {
    associatedtype ContentState: Decodable, Encodable, Hashable
}

/// Page `activitycontent`.
public struct ActivityContent<State: Decodable & Encodable & Hashable> {
    public let state: State
    public let staleDate: Date?
    public let relevanceScore: Double

    public init(state: State, staleDate: Date?, relevanceScore: Double = 0.0) {
        self.state = state
        self.staleDate = staleDate
        self.relevanceScore = relevanceScore
    }
}

extension ActivityContent: Sendable where State: Sendable {}

/// Page `activitystate`; Apple's enumeration may grow.
public enum ActivityState: Codable, Hashable, Sendable {
    case active
    case pending
    case ended
    case dismissed
    case stale
}

/// Page `pushtype`.
public struct PushType: Hashable, Sendable {
    private let channelID: String?

    public static let token = Self(channelID: nil)
    public static func channel(_ channelId: String) -> Self { Self(channelID: channelId) }
}

/// Page `activitystyle`.
public enum ActivityStyle: Sendable {
    case standard
    case transient
}

/// Page `activityuidismissalpolicy`.
public struct ActivityUIDismissalPolicy: Equatable, Sendable {
    let date: Date?

    public static let `default` = Self(date: nil)
    public static let immediate = Self(date: .distantPast)
    public static func after(_ date: Date) -> Self { Self(date: date) }
}

/// Page `activityauthorizationerror`.
public enum ActivityAuthorizationError: Error {
    case attributesTooLarge
    case denied
    case globalMaximumExceeded
    case malformedActivityIdentifier
    case missingProcessIdentifier
    case persistenceFailure
    case reconnectNotPermitted
    case targetMaximumExceeded
    case unentitled
    case unsupported
    case unsupportedTarget
    case visibility
}

/// Page `alertconfiguration`.
public struct AlertConfiguration: Sendable {
    /// Page `alertconfiguration/alertsound`.
    public struct AlertSound: Hashable, Sendable {
        public static let `default` = Self(name: nil)
        public static func named(_ name: String) -> Self { Self(name: name) }

        private let name: String?
    }

    let title: LocalizedStringResource
    let body: LocalizedStringResource
    let sound: AlertSound

    public init(title: LocalizedStringResource, body: LocalizedStringResource, sound: AlertSound) {
        self.title = title
        self.body = body
        self.sound = sound
    }
}

/// Page `activityauthorizationinfo`.
public final class ActivityAuthorizationInfo {
    public typealias ActivityEnablementUpdates = AsyncStream<Bool>
    public typealias FrequentPushEnablementUpdates = AsyncStream<Bool>

    private let phone = StubPhone.current

    public init() {}

    public var areActivitiesEnabled: Bool { phone.areActivitiesEnabled }
    public var frequentPushesEnabled: Bool { phone.frequentPushesEnabled }
    public var activityEnablementUpdates: ActivityEnablementUpdates { phone.enablementUpdates() }
    public var frequentPushEnablementUpdates: FrequentPushEnablementUpdates { phone.frequentPushUpdates() }
}

/// Page `activity`. It is not documented to be Sendable.
public final class Activity<Attributes: ActivityAttributes>: Identifiable {
    public typealias ContentState = Attributes.ContentState
    public typealias ActivityUpdates = StubUpdates<String, Activity<Attributes>>
    public typealias ContentUpdates = StubUpdates<Data, ActivityContent<ContentState>>
    public typealias ActivityStateUpdates = AsyncStream<ActivityState>
    public typealias PushTokenUpdates = AsyncStream<Data>

    public let id: String
    public let attributes: Attributes
    private let phone: StubPhone

    fileprivate init(_ id: String, on phone: StubPhone) {
        self.id = id
        attributes = StoredContent.decode(phone.attributes(of: id))
        self.phone = phone
    }

    public static var activities: [Activity<Attributes>] {
        let phone = StubPhone.current
        return phone.activityIDs(of: Attributes.self).map { Activity($0, on: phone) }
    }

    public static var activityUpdates: ActivityUpdates {
        let phone = StubPhone.current
        return ActivityUpdates(base: phone.newActivities(of: Attributes.self)) { Activity($0, on: phone) }
    }

    public static var pushToStartToken: Data? { StubPhone.current.pushToStartToken }
    public static var pushToStartTokenUpdates: PushTokenUpdates { StubPhone.current.pushToStartTokenUpdates() }

    public static func request(
        attributes: Attributes,
        content: ActivityContent<ContentState>,
        pushType: PushType? = nil
    ) throws -> Activity<Attributes> {
        try request(attributes: attributes, content: content, pushType: pushType, style: .standard)
    }

    public static func request(
        attributes: Attributes,
        content: ActivityContent<ContentState>,
        pushType: PushType? = nil,
        style: ActivityStyle
    ) throws -> Activity<Attributes> {
        let phone = StubPhone.current
        return Activity(try phone.request(attributes, content, start: nil), on: phone)
    }

    @available(iOS 26.0, *)
    public static func request(
        attributes: Attributes,
        content: ActivityContent<ContentState>,
        pushType: PushType? = nil,
        style: ActivityStyle,
        alertConfiguration: AlertConfiguration,
        start: Date
    ) throws -> Activity<Attributes> {
        let phone = StubPhone.current
        return Activity(try phone.request(attributes, content, start: start), on: phone)
    }

    public var content: ActivityContent<ContentState> { StoredContent(decoding: phone.content(of: id)).content() }
    public var contentUpdates: ContentUpdates {
        ContentUpdates(base: phone.contentUpdates(of: id)) { StoredContent(decoding: $0).content() }
    }
    public var activityState: ActivityState { phone.state(of: id) }
    public var activityStateUpdates: ActivityStateUpdates { phone.stateUpdates(of: id) }
    public var pushToken: Data? { phone.pushToken(of: id) }
    public var pushTokenUpdates: PushTokenUpdates { phone.pushTokenUpdates(of: id) }

    @concurrent
    public func update(_ content: ActivityContent<ContentState>) async {
        phone.show(StoredContent.encode(StoredContent(content)), on: id)
    }

    @concurrent
    public func end(
        _ content: ActivityContent<ContentState>?,
        dismissalPolicy: ActivityUIDismissalPolicy = .default
    ) async {
        let stored: Data? = content.map { StoredContent.encode(StoredContent($0)) }
        phone.end(id, showing: stored, until: dismissalPolicy.date)
    }
}

/// A sequence of ActivityKit, which has a structure of its own for each.
public struct StubUpdates<Base: Sendable, Element>: AsyncSequence {
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: AsyncStream<Base>.Iterator
        fileprivate let transform: (Base) -> Element

        public mutating func next() async -> Element? { await base.next(isolation: #isolation).map(transform) }
    }

    fileprivate let base: AsyncStream<Base>
    fileprivate let transform: (Base) -> Element

    public func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator(), transform: transform) }
}

/// A content as the phone keeps it: encoded, as in a push.
struct StoredContent: Codable {
    private let state: Data
    let staleDate: Date?
    let relevanceScore: Double

    init<State>(_ content: ActivityContent<State>) {
        state = Self.encode(content.state)
        staleDate = content.staleDate
        relevanceScore = content.relevanceScore
    }

    init(decoding data: Data) { self = Self.decode(data) }

    func content<State>() -> ActivityContent<State> {
        ActivityContent(state: Self.decode(state), staleDate: staleDate, relevanceScore: relevanceScore)
    }

    static func encode(_ value: some Encodable) -> Data {
        guard let data = try? JSONEncoder().encode(value) else { preconditionFailure("\(value) is not JSON") }
        return data
    }

    static func decode<Value: Decodable>(_ data: Data) -> Value {
        guard let value = try? JSONDecoder().decode(Value.self, from: data) else {
            preconditionFailure("\(Value.self) cannot be decoded from \(String(decoding: data, as: UTF8.self))")
        }
        return value
    }
}
