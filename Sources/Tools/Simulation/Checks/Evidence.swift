package import Encodings
package import GameCore

/// All that is known of a run at its end: what the checks look at.
///
/// Moments are microseconds since the run began.
package struct Evidence: Sendable {
    /// One entry of a shard's log.
    package struct Entry: Sendable {
        package let position: Int64
        package let adventureID: AdventureID
        /// Nil for what is no event of the game.
        package let sequence: Int?
        package let committedAt: Int64

        package init(position: Int64, adventureID: AdventureID, sequence: Int?, committedAt: Int64) {
            self.position = position
            self.adventureID = adventureID
            self.sequence = sequence
            self.committedAt = committedAt
        }
    }

    /// A shard's log, as a whole.
    package struct Log: Sendable {
        package var head: Int64
        package var entries: [Entry]
        /// Whether old entries are removed, which leaves gaps.
        package var losesEntries: Bool

        package init(head: Int64, entries: [Entry], losesEntries: Bool = false) {
            self.head = head
            self.entries = entries
            self.losesEntries = losesEntries
        }
    }

    /// An event with its place.
    package struct Happening: Sendable {
        package let sequence: Int
        package let position: Int64
        package let committedAt: Int64
        package let event: Event

        package init(sequence: Int, position: Int64, committedAt: Int64, event: Event) {
            self.sequence = sequence
            self.position = position
            self.committedAt = committedAt
            self.event = event
        }
    }

    /// An adventure from its beginning.
    package struct Story: Sendable {
        package let opening: Adventure
        package var inputs: [(sequence: Int, input: Input)]
        package var happenings: [Happening]
        package var newest: Adventure
        package var turnEnds: Timestamp?
        /// The answers that were kept of its players' commands, by key.
        package var keptAnswers: [String: String]

        package init(
            opening: Adventure,
            inputs: [(sequence: Int, input: Input)],
            happenings: [Happening],
            newest: Adventure,
            turnEnds: Timestamp? = nil,
            keptAnswers: [String: String] = [:]
        ) {
            self.opening = opening
            self.inputs = inputs
            self.happenings = happenings
            self.newest = newest
            self.turnEnds = turnEnds
            self.keptAnswers = keptAnswers
        }
    }

    /// A card that the service knows.
    package struct Following: Sendable {
        /// Where the log first tells of it.
        package var registeredAt: Int64
        /// Where the log tells that it was let go of.
        package var releasedAt: Int64?
        /// What the phone shows.
        package var card: Card
        /// What became of its tokens.
        package var record: CardRecord
        /// When the log tells that it was registered, ascending: the service believes what it is told then.
        package var registrations: [Int64] = []

        package init(registeredAt: Int64, releasedAt: Int64? = nil, card: Card, record: CardRecord) {
            self.registeredAt = registeredAt
            self.releasedAt = releasedAt
            self.card = card
            self.record = record
        }
    }

    /// What a dispatcher has written down of a card.
    package struct Note: Sendable {
        package let committedAt: Int64
        /// Nothing at or below this position is owed.
        package let settledPosition: Int64
        /// The timestamp of its newest push.
        package let lastTimestamp: Int64

        package init(committedAt: Int64, settledPosition: Int64, lastTimestamp: Int64 = 0) {
            self.committedAt = committedAt
            self.settledPosition = settledPosition
            self.lastTimestamp = lastTimestamp
        }
    }

    /// By shard.
    package var logs: [Int16: Log] = [:]
    package var stories: [AdventureID: Story] = [:]
    package var cards: [ActivityName: Following] = [:]
    /// In the order of writing.
    package var pushes: [PushRecord] = []
    /// When something went wrong, ascending.
    package var disturbances: [Int64] = []
    /// The same of what took its time.
    package var disturbedSpans: [ClosedRange<Int64>] = []
    /// In the order of the commits.
    package var notes: [ActivityName: [Note]] = [:]
    /// The tokens, in hexadecimal digits, of which a dispatcher has written down that nothing is sent to them any more, and
    /// when; those that were stored again later left out.
    package var closedTokens: [String: Int64] = [:]
    package var answers: [AnswerRecord] = []
    /// How often somebody tried what only members of a party may.
    package var trespassAttempts = 0
    /// Those of them that succeeded.
    package var trespasses: [String] = []
    /// Adventures of long ago whose events and inputs are removed.
    package var forgotten: Set<AdventureID> = []
    /// Adventures of before: the answers to their commands are not kept any more.
    package var withoutAnswers: Set<AdventureID> = []
    /// Constraints that did not hold at a commit.
    package var violations: [String] = []

    package init() {}

    /// Whether something went wrong within a span of time.
    func isDisturbed(_ span: ClosedRange<Int64>) -> Bool {
        disturbances.contains(where: span.contains) || disturbedSpans.contains(where: span.overlaps)
    }
}

/// What one of the checks came to.
package struct Examination: Sendable {
    /// Which of the eight things that must be true at all times (docs/simulation.md).
    package let invariant: Int
    /// How many things it was held against.
    package var lookedAt = 0
    /// What did not hold, with what is needed to look for it.
    package var findings: [String] = []

    package init(of invariant: Int) { self.invariant = invariant }

    package var breaches: [Breach] { findings.map { Breach(invariant: invariant, finding: $0) } }

    /// Both together; they are of the same invariant.
    package static func += (left: inout Self, right: Self) {
        precondition(left.invariant == right.invariant, "what is not the same is not counted together")
        left.lookedAt += right.lookedAt
        left.findings += right.findings
    }
}

/// Something that must hold, and did not.
package struct Breach: Hashable, Sendable, CustomStringConvertible {
    /// Which of the eight things that must be true at all times (docs/simulation.md).
    package let invariant: Int
    /// What was found, with what is needed to look for it in the trace.
    package let finding: String

    package var description: String { "invariant \(invariant): \(finding)" }
}
