import Foundation

/// A phone to add.
struct NewPhone: RequestBody {
    let label: String
    /// BCP 47; English when it is left out.
    let locale: String?
    /// True when it is left out, as on a phone on which nobody changed it.
    let frequentPushesEnabled: Bool?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case label
        case locale
        case frequentPushesEnabled
    }

    /// What is wrong with its fields; empty when nothing is.
    var errors: [Problem.FieldError] {
        var errors: [Problem.FieldError] = []
        if !(1...80).contains(label.count) { errors.append(.init(field: "label", reason: "1 to 80 characters")) }
        if let locale { errors += Problem.FieldError.ofLocale(locale) }
        return errors
    }
}

/// What to change about a phone; what is left out stays.
struct ChangedPhone: RequestBody {
    /// BCP 47.
    let locale: String?
    /// Another value ends every running activity, as the system does.
    let frequentPushesEnabled: Bool?
    let isOnline: Bool?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case locale
        case frequentPushesEnabled
        case isOnline
    }

    /// What is wrong with its fields; empty when nothing is.
    var errors: [Problem.FieldError] { locale.map(Problem.FieldError.ofLocale) ?? [] }
}

extension Problem.FieldError {
    /// What is wrong with a language tag; empty when nothing is.
    fileprivate static func ofLocale(_ locale: String) -> [Self] {
        // Language, script, region, variants and extensions, in this order (Unicode Technical Standard 35, 3.2): what
        // browsers take, which is less than all of BCP 47.
        let tag =
            #/
            (?: [A-Za-z]{2,3} | [A-Za-z]{5,8} )
            (?: [-_] [A-Za-z]{4} )?
            (?: [-_] (?: [A-Za-z]{2} | [0-9]{3} ) )?
            (?: [-_] (?: [A-Za-z0-9]{5,8} | [0-9] [A-Za-z0-9]{3} ) )*
            (?: [-_] [A-Za-z0-9] (?: [-_] [A-Za-z0-9]{2,8} )+ )*
            /#
        let isTag = locale.utf8.count <= 35 && locale.wholeMatch(of: tag) != nil
        return isTag ? [] : [Self(field: "locale", reason: "a language tag such as ko or pt-BR")]
    }
}

/// An activity to start.
struct NewActivity: RequestBody {
    let adventureID: Identifier<PhoneActivity.Adventure>
    let activityID: Identifier<PhoneActivity>
    /// The channel that it follows.
    let channelID: Channel.ID?
    /// What the app would write on the card.
    let heroName: String?
    /// What the app would write on the card.
    let partyName: String?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case adventureID
        case activityID
        case channelID
        case heroName
        case partyName
    }

    /// What is wrong with its fields; empty when nothing is.
    var errors: [Problem.FieldError] {
        [("heroName", heroName), ("partyName", partyName)].compactMap { field, value in
            guard let value, value.count > 80 else { return nil }
            return Problem.FieldError(field: field, reason: "80 characters at most")
        }
    }
}
