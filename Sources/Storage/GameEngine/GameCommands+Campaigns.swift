public import GameCore
import GameLog
public import GameStore
import ServiceRuntime

/// The result of one step of a campaign, or of its dry run.
public struct CampaignStep: Sendable {
    /// A party whose rules refused the fight.
    public struct Failure: Sendable, Hashable {
        /// The party.
        public let partyID: PartyID
        /// The refusal's code, such as `party-full`.
        public let reason: String
    }

    /// The fights started by this run in this step, including an earlier attempt of the same step.
    public fileprivate(set) var started: [CampaignFight] = []
    /// The parties for which a fight would be started, in a dry run.
    public fileprivate(set) var wouldStart: [PartyID] = []
    /// The number of parties that are on an adventure.
    public fileprivate(set) var busy = 0
    /// The fights that other runs of the campaign started before.
    public fileprivate(set) var earlierFights: [CampaignFight] = []
    /// The number of parties without members.
    public fileprivate(set) var empty = 0
    /// The parties whose rules refused the fight.
    public fileprivate(set) var failed: [Failure] = []
    /// The last party of this step, after which the next step starts; nil if this was the last step.
    public fileprivate(set) var next: PartyID?

    /// The number of parties examined.
    public var seen: Int { started.count + wouldStart.count + busy + earlierFights.count + empty + failed.count }

    /// The number of fights that this call started, without those of an earlier attempt.
    var startCount = 0

    fileprivate mutating func add(_ other: Self) {
        started += other.started
        wouldStart += other.wouldStart
        busy += other.busy
        earlierFights += other.earlierFights
        empty += other.empty
        failed += other.failed
    }
}

extension GameCommands {
    /// The number of examined parties after which a step ends, so that a step is short if most parties are busy.
    static let partiesPerStep = 1_000
    /// The number of parties per query.
    static let partiesPerPage = 200

    /// Starts or continues a campaign.
    /// - Returns: the campaign; in a dry run, the campaign that would be started.
    /// - Throws: ``CommandError/otherCampaign(_:)`` if a campaign with this name has another boss.
    public func begin(
        campaign name: String,
        against boss: BossID,
        by author: AuditAuthor,
        dryRun: Bool
    ) async throws -> Campaign {
        let campaign = Campaign(name: name, boss: boss, createdBy: author.name, createdAt: runtime.now())
        let stored =
            dryRun ? try await store.campaign(name) ?? campaign : try await store.begin(campaign, by: author)
        guard stored.boss == boss else { throw CommandError.otherCampaign(stored.boss) }
        return stored
    }

    /// Starts the campaign's fight for the next idle parties, by shard, then by identifier.
    ///
    /// One transaction per shard starts the fights, records them for the campaign, and writes an audit entry for each.
    /// A step may therefore be interrupted anywhere and repeated: a party gets one fight of the campaign at most. A run
    /// that repeats a step without having received its response gets the same result: fights that the run started
    /// before count as started, also against the limit.
    /// - Parameters:
    ///   - campaign: the campaign returned by ``begin(campaign:against:by:dryRun:)``.
    ///   - cursor: the last party of the previous step; nil for the first step.
    ///   - limit: the maximum number of fights to start in this step, including fights that the rules refuse.
    ///   - run: identifies the run, to recognise repeated steps; nil if no step is repeated.
    ///   - author: the operator who requests this step, who need not be the one who started the campaign.
    ///   - dryRun: whether to determine the result without changing anything.
    /// - Returns: the result of this step.
    /// - Throws: errors of the store. Shards completed before the error stay changed.
    public func startFights(
        of campaign: Campaign,
        after cursor: PartyID?,
        startingAtMost limit: Int,
        in run: CampaignRunID? = nil,
        by author: AuditAuthor,
        dryRun: Bool
    ) async throws -> CampaignStep {
        let run = dryRun ? nil : run
        var step = CampaignStep()
        var reached = cursor
        for shard in Shard.all where shard >= cursor?.shard ?? Shard.all[0] {
            var position = shard == cursor?.shard ? cursor : nil
            var page: [CampaignCandidate]
            repeat {
                page = try await store.candidates(
                    in: shard,
                    for: campaign.name,
                    after: position,
                    limit: Self.partiesPerPage
                )
                let remaining = limit - step.started.count - step.wouldStart.count - step.failed.count
                let part = Self.prefix(of: page, startingAtMost: remaining, in: run)
                step.add(
                    try await startFights(of: campaign, among: part, in: shard, run: run, by: author, dryRun: dryRun)
                )
                position = part.last?.partyID ?? position
                reached = part.last?.partyID ?? reached
                // An idle party beyond the limit is left to the next step.
                if part.count < page.count || step.seen >= Self.partiesPerStep {
                    step.next = reached
                    return step
                }
            } while page.count == Self.partiesPerPage
        }
        return step
    }

    /// Returns the longest prefix with at most `limit` parties that are idle, or whose fight this run started.
    private static func prefix(
        of page: [CampaignCandidate],
        startingAtMost limit: Int,
        in run: CampaignRunID?
    ) -> ArraySlice<CampaignCandidate> {
        var fights = 0
        return page.prefix { candidate in
            fights += candidate.isIdle || candidate.fight.isStarted(by: run) ? 1 : 0
            return fights <= limit
        }
    }

    private func startFights(
        of campaign: Campaign,
        among candidates: ArraySlice<CampaignCandidate>,
        in shard: Shard,
        run: CampaignRunID?,
        by author: AuditAuthor,
        dryRun: Bool
    ) async throws -> CampaignStep {
        var step = CampaignStep()
        for candidate in candidates where !candidate.isIdle {
            if let fight = candidate.fight {
                step.add(fight, foundBy: run)
            } else if candidate.isBusy {
                step.busy += 1
            } else {
                step.empty += 1
            }
        }
        let idle = candidates.filter(\.isIdle).map(\.partyID)
        if idle.isEmpty { return step }
        guard !dryRun else {
            step.wouldStart = idle
            return step
        }
        let fights = try await metrics.countingFights(of: idle.count) {
            try await store.withShard(shard) { transaction in
                try await begin(campaign, of: idle, for: run, by: author, in: &transaction)
            }
        }
        wakeSignal.notify()
        step.add(fights)
        return step
    }

    private func begin(
        _ campaign: Campaign,
        of ids: [PartyID],
        for run: CampaignRunID?,
        by author: AuditAuthor,
        in transaction: inout ShardTransaction
    ) async throws -> CampaignStep {
        var step = CampaignStep()
        var started: [CampaignFight] = []
        // The parties may have changed since they were read without the lock.
        let earlierFights = try await transaction.fights(of: campaign.name, among: ids)
        let parties = try await transaction.parties(ids)
        for id in ids {
            if let fight = earlierFights[id] {
                step.add(fight, foundBy: run)
                continue
            }
            guard let party = parties[id] else {
                step.empty += 1
                continue
            }
            do {
                let (stored, _) = try await startAdventure(of: party, by: nil, at: nil, in: &transaction) {
                    heroes,
                    seed in
                    Adventure.bossFight(against: campaign.boss, heroes: heroes, seed: seed, rules: store.newAdventures)
                }
                started.append(CampaignFight(of: id, stored.id, in: run))
                let facts = [
                    "adventureID": "\(stored.id)", "boss": campaign.boss.rawValue, "campaign": campaign.name,
                    "heroes": "\(stored.adventure.heroes.count)",
                ]
                transaction.audit(AuditChange(.bossStart, of: "party/\(id)", after: facts, by: author))
            } catch CommandError.party(.adventureRunning) {
                step.busy += 1
            } catch CommandError.party(.disbanded) {
                step.empty += 1
            } catch CommandError.adventure(let refusal) {
                // Nothing was recorded for this fight: that happens only after the rules accept it.
                step.failed.append(.init(partyID: id, reason: refusal.slug))
            }
        }
        transaction.insert(started, for: campaign.name)
        step.startCount = started.count
        step.started += started
        return step
    }
}

extension CampaignCandidate {
    /// Whether the campaign starts a fight for the party.
    fileprivate var isIdle: Bool { !isBusy && fight == nil && !isEmpty }
}

extension CampaignFight? {
    /// Returns whether the fight exists and was started by the run.
    fileprivate func isStarted(by run: CampaignRunID?) -> Bool {
        guard let self, let run else { return false }
        return self.run == run
    }
}

extension CampaignStep {
    /// Adds an existing fight to the started or the earlier fights.
    fileprivate mutating func add(_ fight: CampaignFight, foundBy run: CampaignRunID?) {
        if Optional(fight).isStarted(by: run) {
            started.append(fight)
        } else {
            earlierFights.append(fight)
        }
    }
}
