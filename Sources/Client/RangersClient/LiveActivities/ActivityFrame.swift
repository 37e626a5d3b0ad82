package import Foundation
package import GameCore
package import LiveActivityContent
import PushRules

/// What a Live Activity shows of an adventure, with the relevance and the stale date that the server's rules give it.
package struct ActivityFrame: Sendable {
    /// The content state.
    package let state: AdventureAttributes.ContentState
    /// The value of `relevanceScore`.
    package let relevanceScore: Double
    /// The time from which the phone shows the state as out of date.
    package let staleDate: Date

    /// Creates a frame; nil if the player has no hero in the adventure.
    /// - Parameters:
    ///   - adventure: the adventure.
    ///   - player: the player who owns the phone.
    ///   - text: the text of the last headline; nil at the start of the adventure.
    ///   - headline: the last headline, if it is known.
    ///   - frequentPushesEnabled: the value of `ActivityAuthorizationInfo().frequentPushesEnabled`.
    ///   - now: the time by the phone's clock.
    package init?(
        of adventure: AdventureResponse,
        for player: PlayerID,
        text: LocalizableText? = nil,
        headline: AdventureEvent? = nil,
        frequentPushesEnabled: Bool,
        at now: Date = Date()
    ) {
        guard let hero = adventure.hero(of: player) else { return nil }
        let kind = adventure.knownKind
        var state = AdventureAttributes.ContentState(of: adventure, for: player)
        if let text { (state.event, state.eventDescription) = (text, text.english) }
        self.state = state
        relevanceScore =
            Relevance(heroIsDown: hero.isDown, isOwnTurn: adventure.turn?.seat == hero.seat, in: kind).score
        let freshness = PushRules.freshness(
            of: kind,
            after: headline ?? .adventureStarted(kind: kind),
            receiver: hero.seat
        )
        let staleAfter = freshness.staleAfter(frequentPushesEnabled: frequentPushesEnabled)
        staleDate = now.addingTimeInterval(TimeInterval(staleAfter.components.seconds))
    }
}

extension PlayerClient {
    /// Follows the events of an adventure until it is over, and shows a frame after each moment of it.
    ///
    /// A frame has the state, and the text of the last headline, at the same event.
    /// - Parameters:
    ///   - id: the adventure.
    ///   - player: the player who owns the phone.
    ///   - shown: the state that the phone shows; nil for none.
    ///   - frequentPushesEnabled: returns the value of `ActivityAuthorizationInfo().frequentPushesEnabled`.
    ///   - show: shows a frame.
    /// - Throws: ``RangersError``; `CancellationError`.
    package func followFrames(
        of id: AdventureID,
        for player: PlayerID,
        after shown: AdventureAttributes.ContentState?,
        frequentPushesEnabled: @autoclosure () -> Bool,
        _ show: (ActivityFrame) async -> Void
    ) async throws {
        var adventure = try await adventure(id)
        var headline: AdventureEvent?
        for try await event in stream(of: id, after: shown?.sequence ?? 0) {
            // After a failover of the server's database, all events follow once more as they are now.
            if event.sequence > adventure.sequence || event.sequence == 1 { adventure = try await self.adventure(id) }
            if let event = event.event, event.isHeadline { headline = event }
            guard event.sequence == adventure.sequence,
                let frame = ActivityFrame(
                    of: adventure,
                    for: player,
                    text: headline.map { adventure.text(describing: $0) } ?? shown?.event,
                    headline: headline,
                    frequentPushesEnabled: frequentPushesEnabled()
                )
            else { continue }
            await show(frame)
        }
    }
}

extension AdventureResponse {
    /// Returns the sentence that an activity shows for an event that is not newer than this response.
    func text(describing event: AdventureEvent) -> LocalizableText {
        LocalizableText.sentence(
            for: event,
            boss: boss?.name,
            name: { heroes[$0.rawValue].hero.name },
            move: { heroes[$0.rawValue].signatureMove?.name ?? "a signature move" }
        )
    }
}
