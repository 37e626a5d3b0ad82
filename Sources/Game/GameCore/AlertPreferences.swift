public import Encodings
import Foundation

/// Which alerts ring on a device, as its player has chosen; the others are shown without a sound.
public struct AlertPreferences: Hashable, Sendable {
    /// A category of alerts, which a player can mute.
    public enum Category: String, Hashable, Sendable, CaseIterable {
        /// The turn of the player's own hero.
        case ownTurn
        /// The heroes of companions who are down.
        case companions
        /// The player's own hero, who is in danger or down.
        case danger
        /// A boss that appears or is defeated.
        case boss
    }

    /// Hours of the day in which no alert rings.
    public struct QuietHours: Hashable, Codable, Sendable {
        /// The first quiet minute of the day, 0…1,439, by the wall clock of ``timeZone``.
        public let from: Int
        /// The first minute that is not quiet any more, 0…1,439; before ``from`` if the hours include midnight.
        public let to: Int
        /// The identifier of the time zone, such as `Europe/Berlin`.
        public let timeZone: String

        /// Creates quiet hours.
        /// - Parameters:
        ///   - from: the first quiet minute of the day, 0…1,439.
        ///   - to: the first minute that is not quiet any more, 0…1,439; another one than `from`.
        ///   - timeZone: the identifier of a time zone, such as `TimeZone.current.identifier`.
        public init(from: Int, to: Int, timeZone: String) {
            self.from = from
            self.to = to
            self.timeZone = timeZone
        }

        /// Whether this system knows a time zone.
        public static func knows(timeZone: String) -> Bool { TimeZone(identifier: timeZone) != nil }

        /// Whether a moment is in the quiet hours; false if this system does not know the time zone.
        public func contains(_ moment: Timestamp) -> Bool {
            guard let zone = TimeZone(identifier: timeZone) else { return false }
            let date = Date(timeIntervalSince1970: Double(moment.epochSeconds))
            let local = Int(moment.epochSeconds) + zone.secondsFromGMT(for: date)
            let minute = (local % 86_400 + 86_400) % 86_400 / 60
            return from <= to ? (from..<to).contains(minute) : !(to..<from).contains(minute)
        }
    }

    /// The categories that do not ring.
    public var muted: Set<Category>
    /// The hours in which no alert rings, whatever its category; nil without them.
    public var quietHours: QuietHours?

    /// Creates preferences; by default every alert rings.
    public init(muted: Set<Category> = [], quietHours: QuietHours? = nil) {
        self.muted = muted
        self.quietHours = quietHours
    }

    /// Whether an alert rings at a moment.
    /// - Parameters:
    ///   - category: the category of the alert; nil for an alert that only quiet hours silence.
    ///   - moment: the moment.
    /// - Returns: whether it rings; otherwise it is shown without a sound.
    public func rings(in category: Category?, at moment: Timestamp) -> Bool {
        if let category, muted.contains(category) { return false }
        return !(quietHours?.contains(moment) ?? false)
    }
}

extension AlertPreferences: Codable {
    private enum CodingKeys: CodingKey {
        case muted
        case quietHours
    }

    /// Decodes `{"muted": ["ownTurn"], "quietHours": {"from": 1320, "to": 420, "timeZone": "Europe/Berlin"}}`.
    ///
    /// Categories of another version are ignored.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        muted = Set(try container.decode([String].self, forKey: .muted).compactMap(Category.init))
        quietHours = try container.decodeIfPresent(QuietHours.self, forKey: .quietHours)
    }

    /// Encodes the object, with the categories in the order of their names, and without quiet hours if there are none.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(muted.map(\.rawValue).sorted(), forKey: .muted)
        try container.encodeIfPresent(quietHours, forKey: .quietHours)
    }
}
