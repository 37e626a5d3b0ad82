import Encodings

/// Every phone, the tokens that lead to them, what came in, and what was wrong with it.
///
/// A value: time and randomness come from outside, and the same calls give the same wall.
struct PhoneWall: Sendable {
    /// Keeps a script that went astray from filling the memory.
    static let maximumPhones = 10_000
    /// As many violations are remembered, the first ones: they show the cause, later ones repeat it.
    static let maximumViolations = 10_000
    /// How often the wall looks for what it may forget, since it looks at everything then.
    static let secondsBetweenForgetting: Int64 = 60

    /// In the order in which they were added.
    var phones: [Phone] = []
    /// Where the tokens of activities lead.
    var activityTokens = AddressBook<ActivityPlace>()
    /// Where push-to-start tokens lead: the indices of the phones.
    var startTokens = AddressBook<Int>()
    /// What came in.
    var log: PushLog
    /// In the order in which they were found.
    var violations: [Violation] = []
    /// The app's sentences.
    let catalog: StringCatalog

    /// What its phones put up with.
    let limits: PhoneLimits

    /// Where broadcasts go.
    var channels = ChannelStore()

    /// What has not come through yet.
    var storage: PushStorage

    /// What nobody has been told yet.
    var lateNews = LateNews()

    private var phoneIndices: [Identifier<Phone>: Int] = [:]
    /// When the wall last looked for what it may forget.
    private var lastForgetting: Moment?
    /// How far ``advance(to:)`` has come.
    private var lastAdvance: Moment?

    /// - Parameters:
    ///   - catalog: the app's sentences.
    ///   - limits: what the phones put up with.
    ///   - groupingSeconds: how long pushes of priority 5 wait for others; 0 for not at all.
    ///   - log: where requests are kept.
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
        id: Identifier<Phone>,
        label: String,
        locale: String,
        frequentPushesEnabled: Bool
    ) throws(WallError) -> Phone {
        guard phones.count < Self.maximumPhones else { throw .tooManyPhones }
        precondition(phoneIndices[id] == nil, "phone identifiers are random, and this one is there already")
        let phone = Phone(
            id: id,
            label: label,
            locale: locale,
            frequentPushesEnabled: frequentPushesEnabled,
            limits: limits
        )
        phoneIndices[id] = phones.count
        phones.append(phone)
        return phone
    }

    /// Starts an activity on a phone, which follows a channel if it is to.
    mutating func start(
        _ activity: PhoneActivity,
        on phoneID: Identifier<Phone>,
        following channelID: Channel.ID? = nil
    ) throws(WallError) {
        let phoneIndex = try index(of: phoneID)
        guard !phones[phoneIndex].activities.contains(where: { $0.id == activity.id }) else { throw .activityExists }
        guard phones[phoneIndex].takesActivity(at: activity.startedAt) else { throw .tooManyActivities }
        let place = ActivityPlace(phoneIndex: phoneIndex, activityID: activity.id)
        if let channelID, !channels.follow(channelID, place) { throw .unknownChannel }
        activityTokens.add(activity.token, for: place)
        phones[phoneIndex].activities.append(activity)
        phones[phoneIndex].revision += 1
    }

    /// What a person may change about a phone; nil for what stays.
    struct Change: Sendable {
        var locale: String?
        var frequentPushesEnabled: Bool?
        var isOnline: Bool?
    }

    /// Changes a phone's settings, with what the system makes of that.
    mutating func change(_ phoneID: Identifier<Phone>, _ change: Change, at now: Moment) throws(WallError) {
        let phoneIndex = try index(of: phoneID)
        if let locale = change.locale { phones[phoneIndex].locale = locale }
        if let isEnabled = change.frequentPushesEnabled {
            phones[phoneIndex].setFrequentPushes(isEnabled, at: now)
        }
        if let isOnline = change.isOnline {
            phones[phoneIndex].isOnline = isOnline
            if isOnline { deliverStored(to: phoneIndex, at: now) }
        }
        phones[phoneIndex].revision += 1
    }

    /// Lets time pass.
    /// - Returns: the phones that show something else by now, though nothing has come.
    mutating func advance(to now: Moment) -> [Phone] {
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

    /// Gives a phone a push-to-start token; the one before is dead from now on, and the one before that forgotten.
    mutating func setPushToStartToken(
        _ token: PushToken,
        of phoneID: Identifier<Phone>,
        at now: Moment
    ) throws(WallError) {
        let phoneIndex = try index(of: phoneID)
        if let older = phones[phoneIndex].formerPushToStartToken { startTokens.forget(older) }
        let old = phones[phoneIndex].pushToStartToken
        if let old { startTokens.kill(old, because: .rotated(successor: token), at: now) }
        startTokens.add(token, for: phoneIndex)
        phones[phoneIndex].formerPushToStartToken = old
        phones[phoneIndex].pushToStartToken = token
    }

    /// Gives a running activity another token; the old one is dead from now on.
    mutating func rotateToken(
        of activityID: Identifier<PhoneActivity>,
        on phoneID: Identifier<Phone>,
        to token: PushToken,
        at now: Moment
    ) throws(WallError) {
        let (phoneIndex, activityIndex) = try indices(of: activityID, on: phoneID)
        let activity = phones[phoneIndex].activities[activityIndex]
        guard activity.end(at: now) == nil else { throw .activityOver }
        activityTokens.kill(activity.token, because: .rotated(successor: token), at: now)
        activityTokens.add(token, for: .init(phoneIndex: phoneIndex, activityID: activityID))
        phones[phoneIndex].activities[activityIndex].token = token
        phones[phoneIndex].revision += 1
    }

    /// The person swipes an activity away: it is gone, and its token is dead as soon as APNs hears of it.
    mutating func swipeAway(
        _ activityID: Identifier<PhoneActivity>,
        on phoneID: Identifier<Phone>,
        at now: Moment
    ) throws(WallError) {
        let (phoneIndex, activityIndex) = try indices(of: activityID, on: phoneID)
        let activity = phones[phoneIndex].activities[activityIndex]
        guard activity.status(at: now) != .dismissed else { throw .activityOver }
        phones[phoneIndex].activities[activityIndex].swipeAway(at: now)
        phones[phoneIndex].revision += 1
    }

    /// Forgets the activities that were dismissed long ago, with their tokens, so that a wall stays small for as long as
    /// it hangs; looks for them once a minute at most.
    mutating func forgetDismissed(at now: Moment) {
        if let lastForgetting, now.epochSeconds - lastForgetting.epochSeconds < Self.secondsBetweenForgetting { return }
        lastForgetting = now
        var places: Set<ActivityPlace> = []
        for index in phones.indices {
            let forgotten = phones[index].activities.filter { $0.isForgotten(at: now) }
            guard !forgotten.isEmpty else { continue }
            places.formUnion(forgotten.map { .init(phoneIndex: index, activityID: $0.id) })
            phones[index].activities.removeAll { $0.isForgotten(at: now) }
            phones[index].revision += 1
        }
        guard !places.isEmpty else { return }
        activityTokens.forget(places)
        channels.forget(places)
    }

    /// The phone of that identifier.
    func phone(_ id: Identifier<Phone>) throws(WallError) -> Phone {
        phones[try index(of: id)]
    }

    /// Where among the phones that one is.
    func index(of id: Identifier<Phone>) throws(WallError) -> Int {
        guard let index = phoneIndices[id] else { throw .unknownPhone }
        return index
    }

    private func indices(
        of activityID: Identifier<PhoneActivity>,
        on phoneID: Identifier<Phone>
    ) throws(WallError) -> (Int, Int) {
        let phoneIndex = try index(of: phoneID)
        guard let activityIndex = phones[phoneIndex].activities.firstIndex(where: { $0.id == activityID }) else {
            throw .unknownActivity
        }
        return (phoneIndex, activityIndex)
    }
}
