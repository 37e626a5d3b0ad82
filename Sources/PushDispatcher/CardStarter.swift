import APNsClient
import Foundation
import GameCore
import GameStore
import LiveActivityContent
import Logging
import PushCadence
import PushRules

/// Starts cards on phones by push, each at most once.
///
/// It works beside the dispatcher's loop and needs no lease: a start is claimed in the player's row, by compare and set
/// on what was decided upon, before it is sent. Whoever loses the claim sends nothing; a crash after it loses the start
/// rather than doubling it. Nothing is retried, since a phone that answered nobody may show the card all the same.
struct CardStarter: Sendable {
    /// How often a lost claim is decided anew.
    private static let mostClaims = 5

    let store: GameStore
    let clients: [PushEnvironment: APNsClient]
    let settings: DispatcherSettings
    let surroundings: Surroundings
    let logger: Logger

    /// Starts the cards that are wished for, and tells the log which, and why not the others.
    func grant(_ wish: CardWish) async {
        do {
            let hopes = try await hopes(of: wish)
            await withDiscardingTaskGroup { group in
                for hope in hopes { group.addTask { await start(hope) } }
            }
        } catch {
            logger.error("cards could not be started", metadata: metadata(of: wish.adventureID, ["error": "\(error)"]))
        }
    }

    /// A player's card that may be started, with what it shows.
    private struct Hope: Sendable {
        let wish: CardWish
        let record: PushToStartRecord
        let hasCard: Bool
        let seat: Seat
        let stored: StoredAdventure
        let partyName: String
        let headline: Event
    }

    /// Asks for little where nobody has a push-to-start token.
    private func hopes(of wish: CardWish) async throws -> [Hope] {
        let shard = wish.adventureID.shard
        guard let stored = try await store.adventures([wish.adventureID], of: shard).first?.get() else { return [] }
        guard stored.endedAt == nil else {
            tell(.adventureOver, of: wish.adventureID, to: nil)
            return []
        }
        let players = stored.adventure.heroes.filter { !$0.hasLeft && wish.isOf($0.playerID) }.map(\.playerID)
        let records = try await store.pushToStartRecords(of: players).filter { clients[$0.environment] != nil }
        guard !records.isEmpty, let party = try await store.party(stored.partyID) else { return [] }
        let activities = try await store.activities(of: stored.id)
        let headline = try await store.lastTold(of: stored, logger: logger)
        return records.compactMap { record in
            guard let seat = stored.adventure.heroes.firstIndex(where: { $0.playerID == record.playerID }) else {
                return nil
            }
            return Hope(
                wish: wish,
                record: record,
                hasCard: activities.contains { $0.playerID == record.playerID && wish.isMet(by: $0) },
                seat: Seat(rawValue: seat),
                stored: stored,
                partyName: party.name,
                headline: headline
            )
        }
    }

    private func start(_ hope: Hope) async {
        let (adventureID, playerID) = (hope.stored.id, hope.record.playerID)
        do {
            guard !hope.hasCard else { throw StartRefusal.hasCard }
            guard let record = try await claim(hope) else { return }
            try await send(hope, to: record)
        } catch let refusal as StartRefusal {
            tell(refusal, of: adventureID, to: playerID)
        } catch {
            logger.error(
                "a card could not be started",
                metadata: metadata(of: adventureID, ["player": "\(playerID)", "error": "\(error)"])
            )
        }
    }

    /// Claims a start.
    /// - Returns: the record that the claim was made on; nil when the token was forgotten meanwhile.
    /// - Throws: ``StartRefusal`` when there is to be none; errors of the store.
    private func claim(_ hope: Hope) async throws -> PushToStartRecord? {
        var record = hope.record
        for _ in 0..<Self.mostClaims {
            let now = surroundings.now()
            guard now - hope.wish.wantedAt < PushToStartPolicy.oldestBeginning else { throw StartRefusal.tooLate }
            var starts = PushToStart(
                policy: settings.policy.pushToStart,
                starts: record.starts.map { .init(adventureID: $0.adventureID, at: $0.at) }
            )
            let isAnswered = try await isAnswered(starts.outstanding(at: now), by: record.playerID)
            if let refusal = starts.claim(for: hope.stored.id, outstandingIsAnswered: isAnswered, at: now) {
                throw refusal
            }
            let claimed = starts.starts.map { PushToStartRecord.Start(adventureID: $0.adventureID, at: $0.at) }
            if try await store.claimStart(claimed, for: record) { return record }
            guard let newer = try await store.pushToStartRecords(of: [record.playerID]).first else { return nil }
            record = newer
        }
        throw StartRefusal.lostClaim
    }

    /// Whether the card of a start has reported its token.
    private func isAnswered(_ start: PushToStart.Start?, by playerID: PlayerID) async throws -> Bool {
        guard let start else { return true }
        return try await store.activities(of: start.adventureID).contains {
            $0.playerID == playerID && $0.registeredAt >= start.at
        }
    }

    private func send(_ hope: Hope, to record: PushToStartRecord) async throws {
        // Another environment may have come with another token while the start was claimed.
        guard let client = clients[record.environment], let token = DeviceToken(bytes: record.pushToken) else { return }
        let now = surroundings.now()
        let push = APNsPush(
            deviceToken: token,
            topic: settings.topic,
            priority: .high,
            expirationEpochSeconds: (now + PushToStartPolicy.expiration).epochSeconds,
            id: UUID(named: "\(hope.stored.id)/\(record.playerID)/start/\(now.microseconds)"),
            payload: try payload(of: hope, frequentPushesEnabled: record.frequentPushesEnabled, at: now).encoded()
        )
        let about = metadata(of: hope.stored.id, ["player": "\(record.playerID)", "id": "\(push.id)"])
        switch await client.send(push) {
        case .accepted:
            logger.info("started a card", metadata: about)
        case .unknown(let why), .neverSent(let why):
            logger.warning(
                "a start got no answer, and is not sent again",
                metadata: about.merging(["why": "\(why)"]) { $1 }
            )
        case .refused(let refusal):
            logger.warning(
                "APNs refused a start",
                metadata: about.merging(["status": "\(refusal.status)", "reason": "\(refusal.reason)"]) { $1 }
            )
            if refusal.reaction == .forgetToken {
                try await store.forgetPushToStartToken(of: record.playerID, ifStill: record.pushToken)
            }
        }
    }

    private func payload(of hope: Hope, frequentPushesEnabled: Bool, at now: Timestamp) -> LiveActivityPayload {
        let adventure = hope.stored.adventure
        let hero = adventure.heroes[hope.seat.rawValue]
        let state = AdventureAttributes.ContentState(
            of: adventure,
            lastEvent: hope.headline,
            turnEnds: hope.stored.turnDueAt
        )
        return LiveActivityPayload(
            // A second ago: the card's first update may go out within this very second, and its timestamp must be larger.
            timestamp: now.epochSeconds - 1,
            event: .start(
                attributes: AdventureAttributes(
                    adventureID: "\(hope.stored.id)",
                    partyName: hope.partyName,
                    heroName: hero.id.name,
                    heroAvatar: hero.id.avatar
                ),
                staleDate: settings.policy.staleDateOfStart(
                    of: adventure.kind,
                    frequentPushesEnabled: frequentPushesEnabled,
                    at: now
                ),
                relevanceScore: Relevance(of: adventure, for: hope.seat).score,
                alert: PushAlert.cardStarted(for: adventure)
            ),
            contentState: EncodedContentState(state).bytes(currentHealthLevel: hero.shownHealthLevel)
        )
    }

    private func tell(_ refusal: StartRefusal, of adventureID: AdventureID, to playerID: PlayerID?) {
        let player: Logger.Metadata = playerID.map { ["player": "\($0)"] } ?? [:]
        logger.info(
            "no card was started",
            metadata: metadata(of: adventureID, player.merging(["why": "\(refusal)"]) { $1 })
        )
    }

    private func metadata(of adventureID: AdventureID, _ more: Logger.Metadata) -> Logger.Metadata {
        more.merging(["adventure": "\(adventureID)"]) { $1 }
    }
}
