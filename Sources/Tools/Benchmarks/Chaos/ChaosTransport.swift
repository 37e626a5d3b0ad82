import Encodings
import Foundation
import GameCore
import RangersClient
import SimulatedPlayers
import Synchronization

/// Carries the players' requests to whichever node's turn it is, and writes down what is answered.
///
/// Now and then a command that was answered is sent once more under its key, as an app does that has missed the answer:
/// mostly to another node, which has to say the same.
final class ChaosTransport: RangersTransport {
    /// One command of so many is sent again.
    private static let repetition = 8

    private let nodes: NodeAddresses
    private let journal: ChaosJournal
    private let now: @Sendable () -> Timestamp
    private let carrier = PlayersTransport()
    private let commands = Atomic(0)
    /// By what their requests are authorized with.
    private let players = Mutex<[String: PlayerID]>([:])

    init(to nodes: NodeAddresses, journal: ChaosJournal, now: @escaping @Sendable () -> Timestamp) {
        self.nodes = nodes
        self.journal = journal
        self.now = now
    }

    func send(_ request: TransportRequest) async throws -> TransportAnswer {
        guard let key = request.headers["Idempotency-Key"] else { return try await carry(request) }
        let (answer, body) = try await write(request, key: key)
        let first = written(request, key, answer.status, body)
        if (200..<300).contains(answer.status), request.url.lastPathComponent == "commands",
            commands.add(1, ordering: .relaxed).newValue.isMultiple(of: Self.repetition),
            let (second, secondBody) = try? await write(request, key: key)
        {
            journal.noteRepetition(of: first, answered: written(request, key, second.status, secondBody))
        }
        return answer.with(body)
    }

    /// Sends a write and reads its answer whole, which is then as certain as it can be.
    private func write(_ request: TransportRequest, key: String) async throws -> (TransportAnswer, Data) {
        do {
            let answer = try await carry(request)
            var body = Data()
            for try await part in answer.body { body += part }
            try Task.checkCancellation()
            remember(body, of: request, answered: answer.status)
            journal.note(written(request, key, answer.status, body))
            return (answer, body)
        } catch {
            journal.note(written(request, key, 0, Data()))
            throw error
        }
    }

    /// Sends anything to the node whose turn it is.
    private func carry(_ request: TransportRequest) async throws -> TransportAnswer {
        let words = "\(request.method) \(request.url.path(percentEncoded: false))"
        do {
            guard let port = nodes.next(), let url = request.url.onThisMachine(port) else {
                throw MeasurementFailure("there is no node yet")
            }
            let answer = try await carrier.send(
                TransportRequest(
                    method: request.method,
                    url: url,
                    headers: request.headers,
                    body: request.body,
                    longestSilence: request.longestSilence
                )
            )
            journal.answered(answer.status, retryAfter: answer.header("Retry-After"), to: words)
            return answer
        } catch {
            // Who goes home has not been left without an answer.
            if !Task.isCancelled { journal.answered(nil, retryAfter: nil, to: words) }
            throw error
        }
    }

    private func written(
        _ request: TransportRequest,
        _ key: String,
        _ status: Int,
        _ answer: Data
    ) -> Acknowledged.Write {
        Acknowledged.Write(
            method: request.method,
            path: request.url.path(percentEncoded: false),
            key: key,
            body: request.body ?? Data(),
            status: status,
            answer: answer,
            at: now(),
            playerID: request.headers["Authorization"].flatMap { authorization in players.withLock { $0[authorization] }
            }
        )
    }

    /// Remembers who it is that has a token.
    private func remember(_ answer: Data, of request: TransportRequest, answered status: Int) {
        struct Registered: Decodable {
            let playerID: PlayerID
            let token: PlayerToken
        }
        guard status == 201, request.url.lastPathComponent == "players",
            let registered = try? JSONDecoder().decode(Registered.self, from: answer)
        else { return }
        players.withLock { $0["Bearer \(registered.token.text)"] = registered.playerID }
    }
}

extension URL {
    /// The same path and query at a port of this machine.
    fileprivate func onThisMachine(_ port: Int) -> URL? {
        var components = URLComponents(url: self, resolvingAgainstBaseURL: true)
        components?.scheme = "http"
        components?.host = "127.0.0.1"
        components?.port = port
        return components?.url
    }
}

extension TransportAnswer {
    /// Headers that a client makes something of.
    private static let headers = ["Content-Type", "Retry-After", "X-Request-Id"]

    /// The same answer with a body that was read.
    fileprivate func with(_ body: Data) -> TransportAnswer {
        let (parts, part) = AsyncThrowingStream.makeStream(of: Data.self, throwing: (any Error).self)
        part.yield(body)
        part.finish()
        let headers = Self.headers.compactMap { name in header(name).map { (name, $0) } }
        return TransportAnswer(status: status, headers: Dictionary(uniqueKeysWithValues: headers), body: parts)
    }
}
