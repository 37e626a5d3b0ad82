import APNsClient
import Encodings
import Foundation
import GameCore
import GameStore
import LiveActivityContent
import Logging
import PushCadence
import PushDispatch
import PushRules
import RangersMetrics
import ServiceRuntime

/// Starts cards on phones by push, each at most once.
///
/// It works beside the dispatcher's loop and needs no lease: a start is claimed in the player's row, by compare and set
/// on what was decided upon, before it is sent. Whoever loses the claim sends nothing; a crash after it loses the start
/// rather than doubling it. No start is sent again that may have been sent, since the phone may show the card all the
/// same; up to the claim, what the database has failed to answer is asked again while the wish is young. A claim of
/// which nobody knows whether it was made is found in the row then, and counts as made.
struct CardStarter: Sendable {
    /// How often a lost claim is decided anew.
    private static let mostClaims = 5

    let store: GameStore
    let clients: [PushEnvironment: any PushSender]
    let routes: RouteBoard
    let settings: DispatcherSettings
    let runtime: Runtime
    var metrics = DispatcherMetrics()
    let logger: Logger

    /// Starts the cards that are wished for, and tells the log which, and why not the others.
    func grant(_ wish: CardWish) async {
        do {
            let hopes = try await persistently(for: wish) { try await self.hopes(of: wish) }
            await withDiscardingTaskGroup { group in
                for hope in hopes { group.addTask { await start(hope) } }
            }
        } catch let refusal as StartDenial {
            tell(refusal, of: wish.adventureID, to: nil)
        } catch {
            logger.error("cards could not be started", metadata: metadata(of: wish.adventureID, ["error": "\(error)"]))
        }
    }

    /// Does something that may fail and has sent nothing yet, again and again while the wish is young enough.
    /// - Throws: ``StartDenial``, also when the wish is too old by then; `CancellationError` when it is told to stop.
    private func persistently<Result>(for wish: CardWish, _ work: () async throws -> Result) async throws -> Result {
        var backoff = RetryBackoff()
        while true {
            guard isInTime(wish) else { throw StartDenial.tooLate }
            do {
                return try await work()
            } catch let refusal as StartDenial {
                throw refusal
            } catch {
                logger.warning(
                    "a card waits",
                    metadata: metadata(of: wish.adventureID, ["error": "\(error)"])
                )
                try await runtime.sleep(backoff.wait(randomBits: runtime.randomBits()))
            }
        }
    }

    private func isInTime(_ wish: CardWish) -> Bool {
        runtime.now() - wish.wantedAt < settings.policy.pushToStart.maxOccasionAge
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
        let headline = try await store.newestHeadline(of: stored, logger: logger)
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

    /// A start that was claimed, and is to be sent once.
    private struct Claim: Sendable {
        let push: APNsPush
        let client: any PushSender
        let record: PushToStartRecord
    }

    private func start(_ hope: Hope) async {
        let (adventureID, playerID) = (hope.stored.id, hope.record.playerID)
        do {
            guard !hope.hasCard else { throw StartDenial.hasActivity }
            guard let claim = try await persistently(for: hope.wish, { try await claim(hope) }) else { return }
            try await send(claim, for: hope.wish)
        } catch let refusal as StartDenial {
            tell(refusal, of: adventureID, to: playerID)
        } catch {
            logger.error(
                "a card could not be started",
                metadata: metadata(of: adventureID, ["player": "\(playerID)", "error": "\(error)"])
            )
        }
    }

    /// Claims a start, with all that is needed to send it: what cannot be sent claims nothing.
    /// - Returns: nil when the token was forgotten meanwhile, or there is nobody to send to it.
    /// - Throws: ``StartDenial`` when there is to be none; errors of the store.
    private func claim(_ hope: Hope) async throws -> Claim? {
        var record = hope.record
        var isTaken = false
        for _ in 0..<Self.mostClaims {
            guard isInTime(hope.wish) else { throw StartDenial.tooLate }
            let now = runtime.now()
            // Another environment may have come with another token since the record was read first.
            guard let client = clients[record.environment], let push = push(of: hope, to: record, at: now) else {
                return nil
            }
            var starts = PushToStart(
                policy: settings.policy.pushToStart,
                starts: record.starts.map { .init(adventureID: $0.adventureID, at: $0.at) }
            )
            let isConfirmed = try await isConfirmed(starts.outstanding(at: now), by: record.playerID)
            if let refusal = starts.claim(for: hope.stored.id, outstandingIsConfirmed: isConfirmed, at: now) {
                throw refusal
            }
            // Where the route is stopped, one start is the probe, and the others are not claimed.
            if !isTaken {
                guard routes.takes(record.environment, for: .unknown, at: runtime.uptime()) else {
                    throw StartDenial.routeStopped
                }
                isTaken = true
            }
            let claimed = starts.starts.map { PushToStartRecord.Start(adventureID: $0.adventureID, at: $0.at) }
            if try await store.claimStart(claimed, for: record) {
                return Claim(push: push, client: client, record: record)
            }
            guard let newer = try await store.pushToStartRecords(of: [record.playerID]).first else { return nil }
            record = newer
        }
        throw StartDenial.lostClaim
    }

    /// Whether the card of a start has reported its token.
    private func isConfirmed(_ start: PushToStart.Start?, by playerID: PlayerID) async throws -> Bool {
        guard let start else { return true }
        return try await store.activities(of: start.adventureID).contains {
            $0.playerID == playerID && start.isConfirmed(byActivityRegisteredAt: $0.registeredAt)
        }
    }

    /// What has certainly not been sent is tried again while the wish is young; nothing else is.
    private func send(_ claim: Claim, for wish: CardWish) async throws {
        let playerID = claim.record.playerID
        let about = metadata(of: wish.adventureID, ["player": "\(playerID)", "id": "\(claim.push.id)"])
        let outcome = try await persistently(for: wish) {
            let outcome = await claim.client.send(claim.push)
            metrics.pushes.add(to: PushLabels(PriorityLabel(claim.push.priority), .start, outcome))
            if case .neverSent(let why) = outcome { throw why }
            return outcome
        }
        let verdict = routes.judge(
            outcome,
            for: claim.push.deviceToken,
            .unknown,
            in: claim.record.environment,
            at: runtime.uptime()
        )
        switch outcome {
        case .accepted:
            logger.info("started a card", metadata: about)
        case .unknown(let why), .neverSent(let why):
            logger.warning(
                "a start got no answer, and is not sent again",
                metadata: about.merging(["why": "\(why)"]) { $1 }
            )
        case .rejected(let refusal):
            logger.warning(
                "APNs refused a start",
                metadata: about.merging(["status": "\(refusal.status)", "reason": "\(refusal.reason.text)"]) { $1 }
            )
            if refusal.reaction == .forgetToken, verdict == .credible {
                try await store.removePushToStartToken(of: playerID, ifCurrent: claim.record.pushToken)
                metrics.forgottenTokens.add(to: .pushToStart)
            }
        }
    }

    /// The push that starts a card; nil, and told to the operator, when it cannot be made.
    private func push(of hope: Hope, to record: PushToStartRecord, at now: Timestamp) -> APNsPush? {
        let about = metadata(of: hope.stored.id, ["player": "\(record.playerID)"])
        guard let token = DeviceToken(bytes: record.pushToken) else {
            logger.error("a stored push-to-start token is empty or too long", metadata: about)
            return nil
        }
        do {
            return APNsPush(
                deviceToken: token,
                topic: settings.topic,
                priority: .high,
                expirationEpochSeconds: (now + settings.policy.pushToStart.expiration).epochSeconds,
                id: UUID(named: "\(hope.stored.id)/\(record.playerID)/start/\(now.microseconds)"),
                payload: try payload(of: hope, frequentPushesEnabled: record.frequentPushesEnabled, at: now).encoded()
            )
        } catch {
            logger.error("a start cannot be made", metadata: about.merging(["error": "\(error)"]) { $1 })
            return nil
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
                alert: hope.wish.alert(for: adventure)
            ),
            contentState: EncodedContentState(state).bytes(currentHealthLevel: hero.shownHealthLevel)
        )
    }

    private func tell(_ refusal: StartDenial, of adventureID: AdventureID, to playerID: PlayerID?) {
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
