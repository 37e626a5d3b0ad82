import Encodings

/// All phones with their tokens, the log of pushes, and the violations found.
///
/// The wall uses neither a clock nor randomness: the same calls lead to the same state.
struct PhoneWall: Sendable {
    /// The maximum number of phones; it bounds memory when a script keeps adding them.
    static let maxPhones = 10_000
    /// The maximum number of violations.
    ///
    /// The first ones are kept: they show the cause, later ones repeat it.
    static let maxViolations = 10_000
    /// The minimum interval between searches for activities to forget, since a search visits every activity.
    static let forgetIntervalSeconds: Int64 = 60

    /// The phones in order of addition.
    var phones: [Phone] = []
    /// The activities of push tokens.
    var activityTokens = TokenRegistry<ActivityLocation>()
    /// The destinations of the app's other tokens.
    var appTokens = TokenRegistry<AppToken>()
    /// The log of requests.
    var log: PushLog
    /// The violations in order of detection.
    var violations: [Violation] = []
    /// The app's localized strings.
    let catalog: StringCatalog

    /// The phones' limits.
    let limits: PhoneLimits

    /// The channels and their followers.
    var channels = ChannelStore()

    /// Accepted pushes that have not been delivered yet.
    var storage: PushStorage

    /// Outcomes of delayed pushes that have not been published yet.
    var delayedOutcomes = DelayedOutcomes()

    private var phoneIndices: [WallID<Phone>: Int] = [:]
    /// The time of the last search for activities to forget.
    private var lastForgetting: Timestamp?
    /// The time of the latest call of ``advance(to:)``.
    private var lastAdvance: Timestamp?

    /// Creates a wall without phones.
    /// - Parameters:
    ///   - catalog: the app's localized strings.
    ///   - limits: the phones' limits.
    ///   - groupingSeconds: the time for which pushes of priority 5 wait for others; 0 to deliver each immediately.
    ///   - log: the log of requests.
    init(
        catalog: StringCatalog,
        limits: PhoneLimits = PhoneLimits(),
        groupingSeconds: Int64 = 0,
        log: PushLog = PushLog()
    ) {
        storage = PushStorage(groupingSeconds: groupingSeconds)
        self.catalog = catalog
        self.limits = limits
        self.log = log
    }

    /// Adds a phone.
    mutating func addPhone(
        id: WallID<Phone>,
        label: String,
        locale: String,
        frequentPushesEnabled: Bool,
        liveActivitiesEnabled: Bool = true,
        model: Phone.Model = .iPhone,
        owner: String? = nil
    ) throws(WallError) -> Phone {
        guard phones.count < Self.maxPhones else { throw .tooManyPhones }
        precondition(phoneIndices[id] == nil, "random phone identifiers do not collide")
        let phone = Phone(
            id: id,
            label: label,
            locale: locale,
            frequentPushesEnabled: frequentPushesEnabled,
            liveActivitiesEnabled: liveActivitiesEnabled,
            model: model,
            owner: owner,
            limits: limits
        )
        phoneIndices[id] = phones.count
        phones.append(phone)
        return phone
    }

    /// Starts an activity on a phone, which may follow a channel.
    mutating func start(
        _ activity: PhoneActivity,
        on phoneID: WallID<Phone>,
        following channelID: Channel.ID? = nil
    ) throws(WallError) {
        let phoneIndex = try index(of: phoneID)
        guard !phones[phoneIndex].activities.contains(where: { $0.id == activity.id }) else { throw .activityExists }
        guard phones[phoneIndex].liveActivitiesEnabled else { throw .activitiesOff }
        guard phones[phoneIndex].canStartActivity(at: activity.startedAt) else { throw .tooManyActivities }
        let location = ActivityLocation(phoneIndex: phoneIndex, activityID: activity.id)
        if let channelID, !channels.follow(channelID, location) { throw .unknownChannel }
        activityTokens.add(activity.token, for: location)
        phones[phoneIndex].activities.append(activity)
        phones[phoneIndex].revision += 1
    }

    /// The changes that a user can make to a phone; nil leaves a value unchanged.
    struct Change: Sendable {
        var locale: String?
        var frequentPushesEnabled: Bool?
        var liveActivitiesEnabled: Bool?
        var isOnline: Bool?
    }

    /// Changes a phone's settings, with the system's reactions.
    mutating func change(_ phoneID: WallID<Phone>, _ change: Change, at now: Timestamp) throws(WallError) {
        let phoneIndex = try index(of: phoneID)
        if let locale = change.locale { phones[phoneIndex].locale = locale }
        if let isEnabled = change.frequentPushesEnabled {
            phones[phoneIndex].setFrequentPushes(isEnabled, at: now)
        }
        if let isEnabled = change.liveActivitiesEnabled {
            phones[phoneIndex].setLiveActivities(isEnabled, at: now)
        }
        if let isOnline = change.isOnline {
            phones[phoneIndex].isOnline = isOnline
            if isOnline { deliverStored(to: phoneIndex, at: now) }
        }
        phones[phoneIndex].revision += 1
    }

    /// Advances the time.
    /// - Returns: the phones whose appearance has changed without a push.
    mutating func advance(to now: Timestamp) -> [Phone] {
        defer { lastAdvance = max(now, lastAdvance ?? now) }
        guard let lastAdvance, lastAdvance < now else { return [] }
        var changed = Set(deliverDueGroups(at: now))
        for index in phones.indices
        where phones[index].activities.contains(where: { $0.hasChanged(from: lastAdvance, to: now) }) {
            phones[index].revision += 1
            changed.insert(index)
        }
        return changed.sorted().map { phones[$0] }
    }

    /// Sets one of the app's tokens; invalidates the previous one and forgets the one before.
    mutating func setToken(
        _ token: PushToken,
        _ kind: AppToken.Kind,
        of phoneID: WallID<Phone>,
        at now: Timestamp
    ) throws(WallError) {
        let phoneIndex = try index(of: phoneID)
        if let older = phones[phoneIndex].formerAppTokens[kind] { appTokens.forget(older) }
        let old = phones[phoneIndex].appTokens[kind]
        if let old { appTokens.invalidate(old, because: .rotated(successor: token), at: now) }
        appTokens.add(token, for: AppToken(phoneIndex: phoneIndex, kind: kind))
        phones[phoneIndex].formerAppTokens[kind] = old
        phones[phoneIndex].appTokens[kind] = token
    }

    /// Sets the content of a phone's widgets.
    mutating func setWidgets(_ content: WidgetContent, of phoneID: WallID<Phone>) throws(WallError) {
        let phoneIndex = try index(of: phoneID)
        phones[phoneIndex].widgets.content = content
        phones[phoneIndex].revision += 1
    }

    /// Rotates the token of a running activity and invalidates the old one.
    mutating func rotateToken(
        of activityID: WallID<PhoneActivity>,
        on phoneID: WallID<Phone>,
        to token: PushToken,
        at now: Timestamp
    ) throws(WallError) {
        let (phoneIndex, activityIndex) = try indices(of: activityID, on: phoneID)
        let activity = phones[phoneIndex].activities[activityIndex]
        guard activity.end(at: now) == nil else { throw .activityOver }
        activityTokens.invalidate(activity.token, because: .rotated(successor: token), at: now)
        activityTokens.add(token, for: .init(phoneIndex: phoneIndex, activityID: activityID))
        phones[phoneIndex].activities[activityIndex].token = token
        phones[phoneIndex].revision += 1
    }

    /// Removes an activity, as its user does with a swipe; its token becomes invalid as soon as APNs learns of it.
    mutating func swipeAway(
        _ activityID: WallID<PhoneActivity>,
        on phoneID: WallID<Phone>,
        at now: Timestamp
    ) throws(WallError) {
        let (phoneIndex, activityIndex) = try indices(of: activityID, on: phoneID)
        let activity = phones[phoneIndex].activities[activityIndex]
        guard activity.status(at: now) != .dismissed else { throw .activityOver }
        phones[phoneIndex].activities[activityIndex].swipeAway(at: now)
        phones[phoneIndex].revision += 1
    }

    /// Forgets activities that were dismissed long ago, with their tokens, so that memory stays bounded.
    ///
    /// Searches at most once in ``forgetIntervalSeconds``.
    mutating func forgetDismissed(at now: Timestamp) {
        if let lastForgetting, now.epochSeconds - lastForgetting.epochSeconds < Self.forgetIntervalSeconds { return }
        lastForgetting = now
        var locations: Set<ActivityLocation> = []
        for index in phones.indices {
            let forgotten = phones[index].activities.filter { $0.isForgotten(at: now) }
            guard !forgotten.isEmpty else { continue }
            locations.formUnion(forgotten.map { .init(phoneIndex: index, activityID: $0.id) })
            phones[index].activities.removeAll { $0.isForgotten(at: now) }
            phones[index].revision += 1
        }
        guard !locations.isEmpty else { return }
        activityTokens.forget(locations)
        channels.forget(locations)
    }

    /// Returns a phone.
    func phone(_ id: WallID<Phone>) throws(WallError) -> Phone {
        phones[try index(of: id)]
    }

    /// Returns a phone's index.
    func index(of id: WallID<Phone>) throws(WallError) -> Int {
        guard let index = phoneIndices[id] else { throw .unknownPhone }
        return index
    }

    private func indices(
        of activityID: WallID<PhoneActivity>,
        on phoneID: WallID<Phone>
    ) throws(WallError) -> (Int, Int) {
        let phoneIndex = try index(of: phoneID)
        guard let activityIndex = phones[phoneIndex].activities.firstIndex(where: { $0.id == activityID }) else {
            throw .unknownActivity
        }
        return (phoneIndex, activityIndex)
    }
}
