import Encodings
import Foundation
import GameCore
public import LiveActivityContent

/// A push that somebody tries a phone with, about an adventure that nobody is on.
///
/// It is made as the real ones are: the phone's widget shows it, and an app whose content state does not decode finds
/// that out by it. The adventure is always the same: two heroes in the first turn of a fight.
public enum SamplePush {
    /// What it does to the activity.
    public enum Event: String, CaseIterable, Sendable {
        /// Starts a card; for a push-to-start token. Its alert lights the screen.
        case start
        /// Shows the sample in a card that is there.
        case update
        /// Ends the card with the sample as its last state.
        case end
    }

    /// After this long the phone marks the sample as out of date.
    static let freshSeconds: Int64 = 5 * 60
    /// So long the Lock Screen keeps a card that the sample has ended.
    static let dismissalSeconds: Int64 = 60

    /// The payload.
    /// - Parameters:
    ///   - event: what it does.
    ///   - timestamp: now, in seconds since 1970; the phone leaves a payload aside that is not newer than the last.
    /// - Returns: the JSON that goes to APNs.
    /// - Throws: ``LiveActivityPayloadError``, which the sample is far too small for.
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
                attributes: AdventureAttributes(
                    adventureID: "\(adventureID)",
                    partyName: "A test",
                    heroName: adventure.heroes[0].id.name,
                    heroAvatar: adventure.heroes[0].id.avatar
                ),
                staleDate: timestamp + freshSeconds,
                relevanceScore: score,
                alert: PushAlert.cardStarted(for: adventure)
            )
        case .update: return .update(staleDate: timestamp + freshSeconds, relevanceScore: score, alert: nil)
        case .end: return .end(dismissalDate: timestamp + dismissalSeconds)
        }
    }

    /// No adventure has it: an app that asks the server for it is told so.
    private static let adventureID = AdventureID(rawValue: nobodysID(0))

    /// Version 8 (RFC 9562, section 5.8), which the server makes none of for adventures and players.
    private static func nobodysID(_ number: UInt8) -> UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0x80, 0, 0x80, 0, 0, 0, 0, 0, 0, number))
    }

    private static let fight: (Adventure, headline: GameEvent) = {
        let heroes = HeroCatalogue.all.prefix(2).enumerated().map { index, entry in
            let playerID = PlayerID(rawValue: nobodysID(UInt8(index)))
            return Hero(playerID: playerID, id: entry.id, level: 1, potions: Hero.openingPotions)
        }
        var adventure = Adventure.bossFight(against: BossCatalogue.all[0].id, heroes: heroes, seed: 1)
        do {
            let events = try adventure.advance(.start)
            return (adventure, events.last { $0.isTold } ?? .adventureStarted(kind: .bossFight))
        } catch {
            preconditionFailure("a fight that has not begun can begin: \(error)")
        }
    }()
}

/// An event of the game, where `Event` is a sample's.
private typealias GameEvent = GameCore.Event
