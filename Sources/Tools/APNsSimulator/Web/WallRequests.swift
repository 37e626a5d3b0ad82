import Foundation

/// The body of a request to add a phone.
struct NewPhone: RequestBody {
    let label: String
    /// The locale: a BCP 47 tag; English by default.
    let locale: String?
    /// The setting for frequent pushes; true by default, as on a phone.
    let frequentPushesEnabled: Bool?
    /// The setting for Live Activities; true by default, as on a phone.
    let liveActivitiesEnabled: Bool?
    /// The kind of device; an iPhone by default.
    let model: Phone.Model?
    /// The name of the player; the page groups the devices of a player.
    let owner: String?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case label
        case locale
        case frequentPushesEnabled
        case liveActivitiesEnabled
        case model
        case owner
    }

    /// The invalid fields.
    var errors: [SimulatorProblem.FieldError] {
        var errors: [SimulatorProblem.FieldError] = []
        if !(1...80).contains(label.count) {
            errors.append(.init(field: "label", reason: "must have 1 to 80 characters"))
        }
        if let owner, !(1...80).contains(owner.count) {
            errors.append(.init(field: "owner", reason: "must have 1 to 80 characters"))
        }
        if let locale { errors += SimulatorProblem.FieldError.ofLocale(locale) }
        return errors
    }
}

/// The body of a request to change a phone; missing fields leave values unchanged.
struct ChangedPhone: RequestBody {
    /// The locale: a BCP 47 tag.
    let locale: String?
    /// The setting for frequent pushes; a changed value ends every running activity, as the system does.
    let frequentPushesEnabled: Bool?
    /// The setting for Live Activities; false ends every running activity, as the system does.
    let liveActivitiesEnabled: Bool?
    let isOnline: Bool?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case locale
        case frequentPushesEnabled
        case liveActivitiesEnabled
        case isOnline
    }

    /// The invalid fields.
    var errors: [SimulatorProblem.FieldError] { locale.map(SimulatorProblem.FieldError.ofLocale) ?? [] }
}

extension SimulatorProblem.FieldError {
    /// Returns the errors of a language tag.
    fileprivate static func ofLocale(_ locale: String) -> [Self] {
        // Language, script, region, variants and extensions, in this order (Unicode Technical Standard 35, 3.2): the
        // subset of BCP 47 that browsers accept.
        let tag =
            #/
            (?: [A-Za-z]{2,3} | [A-Za-z]{5,8} )
            (?: [-_] [A-Za-z]{4} )?
            (?: [-_] (?: [A-Za-z]{2} | [0-9]{3} ) )?
            (?: [-_] (?: [A-Za-z0-9]{5,8} | [0-9] [A-Za-z0-9]{3} ) )*
            (?: [-_] [A-Za-z0-9] (?: [-_] [A-Za-z0-9]{2,8} )+ )*
            /#
        let isTag = locale.utf8.count <= 35 && locale.wholeMatch(of: tag) != nil
        return isTag ? [] : [Self(field: "locale", reason: "must be a language tag such as ko or pt-BR")]
    }
}

/// The body of a request to set the content of widgets.
struct NewWidgets: RequestBody {
    let hero: WidgetContent.Hero?
    let leaderboard: [WidgetContent.Row]?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case hero
        case leaderboard
    }

    /// The content.
    var content: WidgetContent { WidgetContent(hero: hero, leaderboard: leaderboard) }
}

/// The body of a request to start an activity.
struct NewActivity: RequestBody {
    let adventureID: WallID<PhoneActivity.Adventure>
    let activityID: WallID<PhoneActivity>
    /// The channel to follow.
    let channelID: Channel.ID?
    /// An attribute that the app would set.
    let heroName: String?
    /// An attribute that the app would set.
    let partyName: String?
    /// The attribute with the stats of the player's hero.
    let hero: HeroStats?
    /// The attribute with the names of the players by hero, if two of them have the same one.
    let playerNames: [String]?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case adventureID
        case activityID
        case channelID
        case heroName
        case partyName
        case hero
        case playerNames
    }

    /// The invalid fields.
    var errors: [SimulatorProblem.FieldError] {
        [("heroName", heroName), ("partyName", partyName)].compactMap { field, value in
            guard let value, value.count > 80 else { return nil }
            return SimulatorProblem.FieldError(field: field, reason: "must have at most 80 characters")
        }
    }
}

/// The body of a request that gives a channel subscribers without a phone.
struct NewSubscribers: RequestBody {
    let channelID: Channel.ID
    let subscribers: Int

    enum CodingKeys: String, CodingKey, CaseIterable {
        case channelID
        case subscribers
    }

    /// The invalid fields.
    var errors: [SimulatorProblem.FieldError] {
        guard !(0...Channel.maxCrowd).contains(subscribers) else { return [] }
        return [.init(field: "subscribers", reason: "must be 0 to \(Channel.maxCrowd)")]
    }
}
