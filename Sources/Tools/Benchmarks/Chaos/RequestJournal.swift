import Encodings
import Foundation
import GameCore
import RangersClient
import SimulatedPlayers
import Synchronization

/// The requests of a run's clients and their responses.
final class RequestJournal: Sendable {
    private static let maxProblems = 100
    /// The status of a request without a response.
    static let noResponse = 0

    /// The number of requests by response.
    struct Tally: Encodable, Hashable, Sendable {
        /// The number of requests by status; zero stands for no response.
        var requests: [Int: Int] = [:]
        /// The number of acknowledged writes.
        var acknowledged = 0
        /// The number of acknowledged writes that were repeated on purpose and answered again.
        var repeated = 0
    }

    private struct State {
        var tally = Tally()
        var acknowledged: [ClientHistory.Write] = []
        /// The writes in doubt by key.
        var inDoubt: [String: ClientHistory.Write] = [:]
        var problems: [(sentence: String, span: ClosedRange<Timestamp>?)] = []
        var losses: [ClientHistory.Loss] = []
    }

    /// The requests to parties and adventures; nil if they are not recorded.
    let requests: RequestHistory?
    private let state = Mutex(State())

    /// Creates an empty journal.
    ///
    /// With `recordsHistory`, it keeps some hundred bytes of every request to a party or an adventure.
    init(recordsHistory: Bool = false) { requests = recordsHistory ? RequestHistory() : nil }

    /// Records a request to a party or an adventure, if these are recorded.
    func add(_ attempt: RequestAttempt) {
        if let problem = requests?.add(attempt) { reportProblem(problem) }
    }

    /// Records a response.
    /// - Parameters:
    ///   - status: nil without a response.
    ///   - retryAfter: the header field.
    ///   - request: such as `GET /v1/players/me`.
    func add(_ status: Int?, retryAfter: String?, to request: String) {
        state.withLock { state in
            state.tally.requests[status ?? Self.noResponse, default: 0] += 1
            switch status {
            case 503 where retryAfter.flatMap { Int($0) } == nil:
                Self.reportProblem("\(request) was answered with 503 without Retry-After", &state)
            case .some(let status) where status >= 500 && status != 503:
                Self.reportProblem("\(request) was answered with \(status)", &state)
            default: break
            }
        }
    }

    /// Records the response to a write.
    func add(_ write: ClientHistory.Write) {
        state.withLock { state in
            switch write.status {
            case 200..<300:
                state.tally.acknowledged += 1
                state.acknowledged.append(write)
                if let key = write.key { state.inDoubt[key] = nil }
            case 400..<500 where write.status != 429:
                // An earlier attempt was not applied: otherwise this one would get the same response.
                if let key = write.key { state.inDoubt[key] = nil }
            default: if let key = write.key { state.inDoubt[key] = write }
            }
        }
    }

    /// Records the response to a write that was repeated after its response.
    func addRepetition(of first: ClientHistory.Write, _ second: ClientHistory.Write) {
        state.withLock { state in
            guard second.status != Self.noResponse, second.status < 500, second.status != 429 else { return }
            state.tally.repeated += 1
            guard (first.status, first.response) != (second.status, second.response) else { return }
            Self.reportProblem(
                "\(first.method) \(first.path) was answered with \(first.status), and its repetition with "
                    + "\(second.status) or another body",
                unlessLostIn: first.at...max(first.at, second.at),
                &state
            )
        }
    }

    /// Adds a failure.
    /// - Parameters:
    ///   - sentence: what failed.
    ///   - span: it is none if the database lost commits of this time; nil if that is no excuse.
    func reportProblem(_ sentence: String, unlessLostIn span: ClosedRange<Timestamp>? = nil) {
        state.withLock { Self.reportProblem(sentence, unlessLostIn: span, &$0) }
    }

    /// Notes that the database has lost commits.
    func addLoss(_ loss: ClientHistory.Loss) { state.withLock { $0.losses.append(loss) } }

    var tally: Tally { state.withLock(\.tally) }

    /// The first failures, as sentences.
    var problems: [String] {
        state.withLock { state in
            state.problems.filter { problem in
                !state.losses.contains { problem.span.map($0.span.overlaps) ?? false }
            }.map(\.sentence)
        }
    }

    /// The acknowledged writes and those in doubt: without a response, or with a response that the database lost.
    var history: ClientHistory {
        state.withLock { state in
            func isLost(_ write: ClientHistory.Write) -> Bool { state.losses.contains { $0.span.contains(write.at) } }
            let inDoubt = Array(state.inDoubt.values) + state.acknowledged.filter(isLost)
            return ClientHistory(
                writes: state.acknowledged.filter { !isLost($0) },
                inDoubt: inDoubt.sorted { ($0.at, $0.path) < ($1.at, $1.path) },
                losses: state.losses
            )
        }
    }

    private static func reportProblem(
        _ sentence: String,
        unlessLostIn span: ClosedRange<Timestamp>? = nil,
        _ state: inout State
    ) {
        if state.problems.count < maxProblems { state.problems.append((sentence, span)) }
    }
}

/// A transport that sends players' requests to the nodes in turns, and records the responses.
///
/// Repeats some commands that were answered, like an app that missed the response. The repetition usually goes to
/// another node, which must return the same response.
final class JournalingTransport: RangersTransport {
    /// The number of successful commands per repeated command.
    private static let repetitionInterval = 8

    private let nodes: NodeAddresses
    private let journal: RequestJournal
    private let now: @Sendable () -> Timestamp
    private let transport = PlayersTransport()
    private let commands = Atomic(0)
    /// The players by their `Authorization` field.
    private let players = Mutex<[String: PlayerID]>([:])

    init(to nodes: NodeAddresses, journal: RequestJournal, now: @escaping @Sendable () -> Timestamp) {
        self.nodes = nodes
        self.journal = journal
        self.now = now
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        guard let key = request.headers["Idempotency-Key"] else { return try await read(request) }
        let (response, first) = try await write(request, key: key)
        if (200..<300).contains(response.status), request.url.lastPathComponent == "commands",
            commands.add(1, ordering: .relaxed).newValue.isMultiple(of: Self.repetitionInterval),
            let (_, second) = try? await write(request, key: key)
        {
            journal.addRepetition(of: first, second)
        }
        return response.with(first.response)
    }

    /// Sends a read; reads the whole response if it is recorded.
    private func read(_ request: TransportRequest) async throws -> TransportResponse {
        let path = request.url.path(percentEncoded: false)
        guard let now = journal.requests?.now, request.method == "GET", RequestHistory.includesRead(of: path) else {
            return try await forward(request)
        }
        do {
            let (response, body) = try await forwardWhole(request)
            record(request, sentAt: now, response.status, body)
            return response.with(body)
        } catch {
            if !Task.isCancelled { record(request, sentAt: now, RequestJournal.noResponse, Data()) }
            throw error
        }
    }

    /// Records a request to a party or an adventure, if these are recorded.
    private func record(_ request: TransportRequest, sentAt moment: Duration?, _ status: Int, _ response: Data) {
        guard let moment, let now = journal.requests?.now else { return }
        let expected = request.headers["If-Match"]?.filter { $0 != "\"" }
        journal.add(
            RequestAttempt(
                playerID: player(of: request),
                method: request.method,
                path: request.url.path(percentEncoded: false),
                key: request.headers["Idempotency-Key"],
                expectedVersion: expected.flatMap { Int64($0) },
                body: request.body ?? Data(),
                invokedAt: moment,
                respondedAt: now,
                status: status,
                response: response
            )
        )
    }

    private func player(of request: TransportRequest) -> PlayerID? {
        request.headers["Authorization"].flatMap { token in players.withLock { $0[token] } }
    }

    /// Sends a write, and reads the whole response.
    private func write(_ request: TransportRequest, key: String) async throws
        -> (TransportResponse, ClientHistory.Write)
    {
        let sentAt = journal.requests?.now
        func record(_ status: Int, _ response: Data) -> ClientHistory.Write {
            self.record(request, sentAt: sentAt, status, response)
            let write = ClientHistory.Write(
                method: request.method,
                path: request.url.path(percentEncoded: false),
                key: key,
                body: request.body ?? Data(),
                status: status,
                response: response,
                at: now(),
                playerID: player(of: request)
            )
            journal.add(write)
            return write
        }
        do {
            let (response, body) = try await forwardWhole(request)
            rememberPlayer(body, of: request, status: response.status)
            return (response, record(response.status, body))
        } catch {
            _ = record(RequestJournal.noResponse, Data())
            throw error
        }
    }

    /// Sends a request to the next node, and reads the whole response.
    private func forwardWhole(_ request: TransportRequest) async throws -> (TransportResponse, Data) {
        let response = try await forward(request)
        var body = Data()
        for try await part in response.body { body += part }
        try Task.checkCancellation()
        return (response, body)
    }

    /// Sends a request to the next node.
    private func forward(_ request: TransportRequest) async throws -> TransportResponse {
        let name = "\(request.method) \(request.url.path(percentEncoded: false))"
        do {
            guard let port = nodes.next(), let url = request.url.local(port: port) else {
                throw BenchmarkFailure("There is no node yet")
            }
            let response = try await transport.send(
                TransportRequest(
                    method: request.method,
                    url: url,
                    headers: request.headers,
                    body: request.body,
                    idleTimeout: request.idleTimeout
                )
            )
            journal.add(response.status, retryAfter: response.header("Retry-After"), to: name)
            return response
        } catch {
            // A player who leaves cancels the request.
            if !Task.isCancelled { journal.add(nil, retryAfter: nil, to: name) }
            throw error
        }
    }

    /// Remembers the token of a new player.
    private func rememberPlayer(_ response: Data, of request: TransportRequest, status: Int) {
        struct Registration: Decodable {
            let playerID: PlayerID
            let token: PlayerToken
        }
        guard status == 201, request.url.lastPathComponent == "players",
            let registration = try? JSONDecoder().decode(Registration.self, from: response)
        else { return }
        players.withLock { $0["Bearer \(registration.token.text)"] = registration.playerID }
    }
}

extension URL {
    /// Returns the same path and query at a port of 127.0.0.1.
    fileprivate func local(port: Int) -> URL? {
        var components = URLComponents(url: self, resolvingAgainstBaseURL: true)
        components?.scheme = "http"
        components?.host = "127.0.0.1"
        components?.port = port
        return components?.url
    }
}

extension TransportResponse {
    /// The header fields that clients use.
    private static let headers = ["Content-Type", "Retry-After", "X-Request-Id"]

    /// Returns the same response with a body that has been read.
    fileprivate func with(_ body: Data) -> TransportResponse {
        let (parts, part) = AsyncThrowingStream.makeStream(of: Data.self, throwing: (any Error).self)
        part.yield(body)
        part.finish()
        let headers = Self.headers.compactMap { name in header(name).map { (name, $0) } }
        return TransportResponse(status: status, headers: Dictionary(uniqueKeysWithValues: headers), body: parts)
    }
}
