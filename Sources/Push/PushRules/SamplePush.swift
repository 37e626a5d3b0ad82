import Encodings
import Foundation
import GameCore
public import LiveActivityContent

/// A push for testing a phone, about an adventure that does not exist.
///
/// Its payload has the form of a real one: the widget shows it, and an app that cannot decode the content state shows
/// nothing. The adventure is always the same, two heroes in the first turn of a fight.
public enum SamplePush {
    /// The kind of a sample push.
    public enum Event: String, CaseIterable, Sendable {
        /// Starts an activity, with an alert; needs a push-to-start token.
        case start
        /// Shows the sample in an existing activity.
        case update
        /// Ends the activity with the sample as its last state.
        case end
    }

    /// The time after which the phone marks the sample as out of date, in seconds.
    static let freshSeconds: Int64 = 5 * 60
    /// The time for which the Lock Screen keeps an activity that the sample ended, in seconds.
    static let dismissalSeconds: Int64 = 60

    /// Returns the payload.
    /// - Parameters:
    ///   - event: the kind of push.
    ///   - timestamp: the time in seconds since 1970; the phone ignores a payload that is not newer than the last.
    /// - Returns: the JSON for APNs.
    /// - Throws: ``LiveActivityPayloadError`` if the payload is too large, which the sample never is.
    public static func payload(_ event: Event, timestamp: Int64) throws(LiveActivityPayloadError) -> [UInt8] {
        let (adventure, headline) = fight
        let hero = adventure.heroes[0]
        let state = AdventureAttributes.ContentState(
            of: adventure,
            lastEvent: headline,
            turnEnds: Timestamp(epochSeconds: timestamp + freshSeconds)
        )
        return try LiveActivityPayload(
            timestamp: timestamp,
            event: content(of: event, timestamp: timestamp),
            contentState: EncodedContentState(state).bytes(currentHealthLevel: hero.shownHealthLevel)
        ).encoded()
    }

    private static func content(of event: Event, timestamp: Int64) -> LiveActivityPayload.Event {
        let (adventure, _) = fight
        let score = Relevance(of: adventure, for: Seat(rawValue: 0)).score
        switch event {
        case .start:
            return .start(
                attributes: .adventure(
                    AdventureAttributes(of: adventureID, partyName: "A test", hero: adventure.heroes[0])
                ),
                staleDate: timestamp + freshSeconds,
                relevanceScore: score,
                alert: PushAlert.activityStarted(for: adventure)
            )
        case .update: return .update(staleDate: timestamp + freshSeconds, relevanceScore: score, alert: nil)
        case .end: return .end(dismissalDate: timestamp + dismissalSeconds)
        }
    }

    /// The identifier of an adventure that does not exist; requests for it get a problem as response.
    private static let adventureID = AdventureID(rawValue: unusedID(0))

    /// Returns a UUID of version 8 (RFC 9562, section 5.8), which the server does not use for adventures and players.
    private static func unusedID(_ number: UInt8) -> UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0x80, 0, 0x80, 0, 0, 0, 0, 0, 0, number))
    }

    private static let fight: (Adventure, headline: AdventureEvent) = {
        let heroes = HeroCatalogue.all.prefix(2).enumerated().map { index, entry in
            let playerID = PlayerID(rawValue: unusedID(UInt8(index)))
            return Hero(playerID: playerID, id: entry.id, level: 1, potions: Hero.openingPotions)
        }
        var adventure = Adventure.bossFight(against: BossCatalogue.all[0].id, heroes: heroes, seed: 1)
        do {
            let events = try adventure.advance(.start)
            return (adventure, events.last { $0.isHeadline } ?? .adventureStarted(kind: .bossFight))
        } catch {
            preconditionFailure("the sample fight cannot start: \(error)")
        }
    }()
}
