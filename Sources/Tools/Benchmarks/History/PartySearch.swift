import GameCore

/// Searches for an order of a party's requests that explains all of their responses and agrees with real time, as Wing
/// and Gong describe it (Testing and Verifying Concurrent Objects, 1993).
///
/// Requests whose outcome is unknown may have been carried out at any time after they were sent, or never. The service
/// itself ends adventures, and operators start them, at any time.
struct PartySearch: Sendable {
    enum Effect: Hashable, Sendable {
        case create
        case join
        case renewCode
        case handOver(to: PlayerID)
        /// The start of an adventure; nil if it is not known which one.
        case start(AdventureID?)
        case remove(PlayerID)
        /// A response with the party.
        case read
        /// The response that the player is in no such party.
        case absent
        /// The response that the party has another version.
        case refused(from: Int64)
    }

    struct Operation: Sendable {
        /// The name in findings.
        let name: String
        /// The player who sent the request.
        let actor: PlayerID
        let effect: Effect
        /// The party in the response; nil if the response has none.
        var seen: PartySnapshot?
        /// The only version that the request was allowed to change; nil for all.
        var expectedVersion: Int64?
        /// The moment at which the request was sent for the first time, since the beginning of the run.
        let invokedAt: Duration
        /// The moment at which the response had been read; nil if the outcome is unknown.
        let respondedAt: Duration?
    }

    enum Verdict: Hashable, Sendable {
        case linearizable
        /// No order explains the responses; a sentence says where the search ended.
        case violation(String)
        /// The search was given up.
        case undecided
    }

    /// The adventure of a party.
    private enum Adventure: Hashable {
        case none
        case known(AdventureID)
        case unknown
    }

    private struct State: Hashable {
        var version: Int64
        var leader: PlayerID
        /// Nil if no response has shown it.
        var code: String?
        var members: [PlayerID]
        var adventure: Adventure

        init(_ seen: PartySnapshot) {
            version = seen.version
            leader = seen.leaderID
            code = seen.inviteCode
            members = seen.members
            adventure = seen.adventureID.map { .known($0) } ?? .none
        }

        func matches(_ seen: PartySnapshot) -> Bool {
            let hasAdventure =
                switch adventure {
                case .none: seen.adventureID == nil
                case .known(let id): seen.adventureID == id
                case .unknown: seen.adventureID != nil
                }
            return version == seen.version && leader == seen.leaderID && members == seen.members && hasAdventure
                && (code.map { $0 == seen.inviteCode } ?? true)
        }
    }

    /// A partial order: what has been carried out so far.
    private struct Node: Hashable {
        var state: State?
        /// All answered requests before this one have been carried out.
        var first = 0
        /// The answered requests from there on that have been carried out.
        var others: Set<Int> = []
        /// The requests with an unknown outcome that have been carried out.
        var unknown: Set<Int> = []

        var count: Int { first + others.count }
    }

    /// The answered requests, in the order of sending.
    private let answered: [Operation]
    private let unknown: [Operation]
    /// The parties in responses by version.
    private let views: [Int64: PartySnapshot]
    /// The greatest version that a response shows.
    private let newest: Int64

    init(_ operations: [Operation]) {
        answered = operations.filter { $0.respondedAt != nil }.sorted { $0.invokedAt < $1.invokedAt }
        unknown = operations.filter { $0.respondedAt == nil }.sorted { $0.invokedAt < $1.invokedAt }
        views = Dictionary(answered.compactMap(\.seen).map { ($0.version, $0) }) { first, _ in first }
        let refused = answered.map { operation in
            if case .refused(let version) = operation.effect { version + 1 } else { Int64(0) }
        }
        newest = max(views.keys.max() ?? 0, refused.max() ?? 0)
    }

    /// Searches until an order is found.
    /// - Parameter bound: the number of partial orders after which the search is given up.
    /// - Returns: the verdict.
    func verdict(within bound: Int) -> Verdict {
        var visited: Set<Node> = []
        var stack = [Node()]
        var furthest = Node()
        while var node = stack.popLast() {
            carryOutReads(in: &node)
            guard node.count < answered.count else { return .linearizable }
            guard visited.insert(node).inserted else { continue }
            guard visited.count <= bound else { return .undecided }
            if node.count > furthest.count { furthest = node }
            stack += successors(of: node)
        }
        let next = candidates(of: furthest).answered.map { answered[$0].name }.joined(separator: ", ")
        let version = furthest.state.map { "version \($0.version)" } ?? "the beginning"
        return .violation("no order explains the responses; at \(version), none of these requests fits: \(next)")
    }

    /// Returns the answered requests that may be next, and the moment before which one of them was answered.
    private func candidates(of node: Node) -> (answered: [Int], bound: Duration) {
        var candidates: [Int] = []
        var bound = Duration.seconds(Int64.max)
        for index in node.first..<answered.count where !node.others.contains(index) {
            let operation = answered[index]
            guard operation.invokedAt <= bound else { break }
            candidates.append(index)
            bound = min(bound, operation.respondedAt ?? bound)
        }
        return (candidates, bound)
    }

    /// Carries out all requests that may be next, fit, and change nothing: an order with them later would fit, too.
    private func carryOutReads(in node: inout Node) {
        var hasChanged = true
        while hasChanged {
            hasChanged = false
            for index in candidates(of: node).answered where isRead(answered[index], at: node.state) {
                carryOut(index, in: &node)
                hasChanged = true
            }
        }
    }

    private func carryOut(_ index: Int, in node: inout Node) {
        node.others.insert(index)
        while node.others.remove(node.first) != nil { node.first += 1 }
    }

    /// Returns whether a request fits a state without changing it.
    private func isRead(_ operation: Operation, at state: State?) -> Bool {
        switch operation.effect {
        case .read: operation.seen.map { state?.matches($0) ?? false } ?? false
        case .absent: !(state?.members.contains(operation.actor) ?? false)
        case .refused(let version): state.map { $0.version != version } ?? false
        // Joining again changes nothing.
        case .join:
            state.map { state in
                state.members.contains(operation.actor) && operation.seen.map(state.matches) ?? false
            } ?? false
        case .create, .renewCode, .handOver, .start, .remove: false
        }
    }

    private func successors(of node: Node) -> [Node] {
        let (candidates, bound) = candidates(of: node)
        var successors: [Node] = []
        func add(_ state: State?, _ change: (inout Node) -> Void) {
            guard let state = state.flatMap(confirmed) else { return }
            var next = node
            next.state = state
            change(&next)
            successors.append(next)
        }
        // The last one is tried first.
        if let state = node.state, state.version < newest || startWaits(for: state, among: candidates) {
            add(changeByTheService(of: state)) { _ in }
        }
        for (index, operation) in unknown.enumerated()
        where operation.invokedAt <= bound && !node.unknown.contains(index) {
            add(apply(operation, to: node.state)) { $0.unknown.insert(index) }
        }
        for index in candidates.reversed() {
            add(apply(answered[index], to: node.state)) { carryOut(index, in: &$0) }
        }
        return successors
    }

    /// Returns a state with what responses show of its version; nil if they contradict it.
    private func confirmed(_ state: State) -> State? {
        guard let view = views[state.version] else { return state }
        return state.matches(view) ? State(view) : nil
    }

    /// Returns whether one of some requests started an adventure, which needs the end of the one before.
    private func startWaits(for state: State, among candidates: [Int]) -> Bool {
        state.adventure != .none
            && candidates.contains { if case .start = answered[$0].effect { true } else { false } }
    }

    private func changeByTheService(of state: State) -> State {
        var next = state
        next.version += 1
        if state.adventure == .none {
            next.adventure = views[next.version]?.adventureID.map { .known($0) } ?? .unknown
        } else {
            next.adventure = .none
        }
        return next
    }

    /// Returns the state after a request; nil if the request does not fit.
    private func apply(_ operation: Operation, to state: State?) -> State? {
        if case .create = operation.effect { return state == nil ? operation.seen.map(State.init) : nil }
        guard var next = state, operation.expectedVersion.map({ $0 == next.version }) ?? true else { return nil }
        next.version += 1
        let isLeader = operation.actor == next.leader
        switch operation.effect {
        case .join:
            guard !next.members.contains(operation.actor), !next.members.isEmpty else { return nil }
            next.members.append(operation.actor)
        case .renewCode:
            guard isLeader else { return nil }
            next.code = operation.seen?.inviteCode
        case .handOver(let player):
            guard isLeader, next.members.contains(player) else { return nil }
            next.leader = player
        case .start(let adventureID):
            guard isLeader, next.adventure == .none else { return nil }
            next.adventure = adventureID.map { .known($0) } ?? .unknown
        case .remove(let player):
            guard isLeader || operation.actor == player, let index = next.members.firstIndex(of: player) else {
                return nil
            }
            next.members.remove(at: index)
            if player == next.leader, let heir = next.members.first { next.leader = heir }
        case .create, .read, .absent, .refused: return nil
        }
        return operation.seen.map(next.matches) ?? true ? next : nil
    }
}
