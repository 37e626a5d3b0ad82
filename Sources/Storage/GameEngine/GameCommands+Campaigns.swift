public import GameCore
public import GameStore
import ServiceRuntime

/// What one step of a campaign has done, or would do.
public struct CampaignStep: Sendable {
    /// A party that refused, with the rule's word for it.
    public struct Failure: Sendable, Hashable {
        /// Which party.
        public let partyID: PartyID
        /// Such as `party-full`.
        public let reason: String
    }

    /// The fights that this run has begun: in this step, or in this very step when it was taken before.
    public fileprivate(set) var started: [CampaignFight] = []
    /// The parties on which the boss would be set; of a dry run only.
    public fileprivate(set) var wouldStart: [PartyID] = []
    /// How many parties are on an adventure.
    public fileprivate(set) var busy = 0
    /// The fights that other runs of the campaign have begun before.
    public fileprivate(set) var served: [CampaignFight] = []
    /// How many parties have nobody in them.
    public fileprivate(set) var empty = 0
    /// The parties whose rules refused.
    public fileprivate(set) var failed: [Failure] = []
    /// The last party that was looked at: the next step begins behind it; nil when there are no more.
    public fileprivate(set) var next: PartyID?

    /// How many parties were looked at.
    public var seen: Int { started.count + wouldStart.count + busy + served.count + empty + failed.count }

    /// How many of those that were started have begun in this very step, and not in one like it before.
    var begun = 0

    fileprivate mutating func add(_ other: Self) {
        started += other.started
        wouldStart += other.wouldStart
        busy += other.busy
        served += other.served
        empty += other.empty
        failed += other.failed
    }
}

extension GameCommands {
    /// How many parties one step looks at, so that it ends soon where most of them are busy.
    static let partiesPerStep = 1_000
    /// How many parties one statement reads.
    static let partiesPerPage = 200

    /// Begins a campaign, or goes on with it.
    /// - Returns: the campaign; of a dry run, as it would be.
    /// - Throws: ``CommandError/otherCampaign(_:)`` when one of that name sets another boss.
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

    /// Sets a campaign's boss on the next idle parties, shard by shard, in the order of their identifiers.
    ///
    /// Each shard's fights begin in one transaction with the record that the campaign has begun them, and with an entry in
    /// the audit log for each. So a step can be broken off anywhere and taken again: a party that was served is left alone
    /// from then on. A run that takes a step again since it got no answer gets the one that it would have got: what it
    /// has begun before counts as begun, and against the limit.
    /// - Parameters:
    ///   - campaign: as ``begin(campaign:against:by:dryRun:)`` gave it.
    ///   - cursor: the last party that was looked at, nil at the beginning.
    ///   - limit: how many fights this step may begin.
    ///   - run: who takes the step, to know it again; nil for somebody who takes no step twice.
    ///   - author: who asks for this step, who need not be the one who began the campaign.
    ///   - dryRun: says what would happen, and changes nothing.
    /// - Returns: what this step has done, or would do.
    /// - Throws: the store's errors; the shards that were finished before stay as they are then.
    public func advance(
        _ campaign: Campaign,
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
                let room = limit - step.started.count - step.wouldStart.count - step.failed.count
                let part = Self.prefix(of: page, startingAtMost: room, in: run)
                step.add(try await advance(campaign, over: part, of: run, in: shard, by: author, dryRun: dryRun))
                position = part.last?.partyID ?? position
                reached = part.last?.partyID ?? reached
                // An idle one that found no room is left to the next step.
                if part.count < page.count || step.seen >= Self.partiesPerStep {
                    step.next = reached
                    return step
                }
            } while page.count == Self.partiesPerPage
        }
        return step
    }

    /// As many as have so many among them that are idle, or that this run has served.
    private static func prefix(
        of page: [CampaignCandidate],
        startingAtMost room: Int,
        in run: CampaignRunID?
    ) -> ArraySlice<CampaignCandidate> {
        var fights = 0
        return page.prefix { candidate in
            fights += candidate.isIdle || candidate.fight.isServed(by: run) ? 1 : 0
            return fights <= room
        }
    }

    private func advance(
        _ campaign: Campaign,
        over candidates: ArraySlice<CampaignCandidate>,
        of run: CampaignRunID?,
        in shard: Shard,
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
            try await store.withShard(shard, at: runtime.now()) { transaction in
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
        var begun: [CampaignFight] = []
        // Anything may have happened since they were looked at without the lock.
        let served = try await transaction.served(by: campaign.name, among: ids)
        let parties = try await transaction.parties(ids)
        for id in ids {
            if let fight = served[id] {
                step.add(fight, foundBy: run)
                continue
            }
            guard let party = parties[id] else {
                step.empty += 1
                continue
            }
            do {
                let (stored, _) = try setOut(party, by: nil, at: nil, in: &transaction) { heroes, seed in
                    Adventure.bossFight(against: campaign.boss, heroes: heroes, seed: seed)
                }
                begun.append(CampaignFight(of: id, stored.id, in: run))
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
                // Nothing of it was recorded: a fight is, once the rules have let it begin.
                step.failed.append(.init(partyID: id, reason: refusal.slug))
            }
        }
        transaction.serve(begun, for: campaign.name)
        step.begun = begun.count
        step.started += begun
        return step
    }
}

extension CampaignCandidate {
    /// Whether the campaign sets its boss on it.
    fileprivate var isIdle: Bool { !isBusy && fight == nil && !isEmpty }
}

extension CampaignFight? {
    /// Whether there is such a fight, and it is of that run.
    fileprivate func isServed(by run: CampaignRunID?) -> Bool {
        guard let self, let run else { return false }
        return self.run == run
    }
}

extension CampaignStep {
    /// Puts a fight that is there already where it belongs.
    fileprivate mutating func add(_ fight: CampaignFight, foundBy run: CampaignRunID?) {
        if Optional(fight).isServed(by: run) {
            started.append(fight)
        } else {
            served.append(fight)
        }
    }
}
