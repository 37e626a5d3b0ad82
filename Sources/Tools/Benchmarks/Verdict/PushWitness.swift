import Encodings
import Foundation
import GameCore
import HTTPTypes
import Simulation
import Synchronization

/// Notes what the simulator of APNs is sent while a run goes on, since the simulator itself remembers the newest only.
///
/// Of each push it keeps what the checks need, some 200 bytes; of each card the payload that it shows.
final class PushWitness: Sendable {
    private struct Page: Decodable {
        let pushes: [WitnessedPush]
        let last: Int
    }

    /// Between two looks: the simulator remembers 10,000 pushes, more than it can take meanwhile.
    private static let pause = Duration.milliseconds(500)

    private let port: Int
    private let testimony = Mutex(PushTestimony())

    /// Begins with the first push there is.
    /// - Parameter port: where the simulator's page and API are.
    init(port: Int) {
        self.port = port
    }

    /// Looks twice a second until the task is cancelled; a simulator that does not answer is asked again.
    func watch() async {
        while !Task.isCancelled {
            // What is missed now is there the next time; what is lost shows by its number.
            try? await catchUp()
            await Wait.betweenLooks(Self.pause)
        }
    }

    /// Notes all there is by now.
    /// - Throws: ``MeasurementFailure`` when the simulator does not answer.
    func catchUp() async throws {
        try await BlockingWork.run { [self] in
            var connection = try LoadConnection(port: port)
            var isBehind = true
            while isBehind {
                let number = testimony.withLock(\.lastNumber)
                let page: Page = try Self.get("/api/pushes?after=\(number)", over: &connection)
                testimony.withLock { $0.note(page.pushes, at: .now) }
                isBehind = page.pushes.last.map { $0.number < page.last } ?? false
            }
        }
    }

    /// What the simulator found wrong about pushes, by itself.
    /// - Throws: ``MeasurementFailure`` when the simulator does not answer.
    func complaints() async throws -> [PushComplaint] {
        struct List: Decodable { let violations: [PushComplaint] }
        return try await BlockingWork.run { [port] in
            var connection = try LoadConnection(port: port)
            let list: List = try Self.get("/api/violations", over: &connection)
            return list.violations
        }
    }

    /// All that was noted.
    var all: PushTestimony { testimony.withLock(\.self) }

    /// How many pushes APNs has accepted, as far as was looked.
    var accepted: Int { testimony.withLock(\.accepted) }

    /// For how long nothing has come, as far as was looked.
    var silence: Duration { ContinuousClock.now - testimony.withLock(\.lastNews) }

    private static func get<Answer: Decodable>(
        _ path: String,
        over connection: inout LoadConnection
    ) throws -> Answer {
        let status = try connection.exchange(PreparedRequest(.get, path).bytes)
        guard status == 200, let answer = connection.lastAnswer else {
            throw MeasurementFailure("the simulator answered \(path) with \(status)")
        }
        return try JSONDecoder().decode(Answer.self, from: Data(answer.body))
    }
}

/// What a witness has noted.
struct PushTestimony: Sendable {
    /// To activities, in the order of arrival.
    private(set) var pushes: [ActivityID: [PushRecord]] = [:]
    /// To tokens that never were anything, in the order of arrival.
    private(set) var strays: [PushRecord] = []
    /// What the phones show.
    private(set) var cards: [ActivityID: Card] = [:]
    /// What nobody can know any more, as sentences.
    private(set) var flaws: [String] = []
    /// Of the newest push.
    private(set) var lastNumber = 0
    /// How many pushes APNs has accepted.
    private(set) var accepted = 0
    /// When something came.
    private(set) var lastNews = ContinuousClock.now

    /// How many pushes APNs has accepted in a span of time, without those to some cards.
    func accepted(from begin: Timestamp, to end: Timestamp, besides cards: Set<ActivityID>) -> Int {
        pushes.filter { !cards.contains($0.key) }.values.joined().count { push in
            push.fate == .accepted && push.writtenAt >= begin.microseconds && push.writtenAt <= end.microseconds
        }
    }

    /// Notes what has come; what is known already counts once.
    mutating func note(_ news: [WitnessedPush], at now: ContinuousClock.Instant) {
        for push in news where push.number > lastNumber {
            if push.number > lastNumber + 1 {
                flaws.append("pushes \(lastNumber + 1) to \(push.number - 1) were forgotten before anyone looked")
            }
            lastNumber = push.number
            lastNews = now
            if push.isAccepted { accepted += 1 }
            guard push.concernsActivities else { continue }
            if push.tokenStart == nil {
                flaws.append("push \(push.number) does not say to which token it went; is apns-simulator an older one?")
            }
            guard var record = push.record else {
                flaws.append("push \(push.number) has no identifier: '\(push.apnsID)'")
                continue
            }
            if let id = push.activityID, push.isShown { cards[id, default: Card()].show(record) }
            record.forgetState()
            if let id = push.activityID { pushes[id, default: []].append(record) } else { strays.append(record) }
        }
    }
}

/// Something wrong with a push that the simulator has found.
struct PushComplaint: Decodable, Sendable {
    /// What a sender that has crashed, or lost an answer, cannot help; the checks know when it can.
    private static let judgedElsewhere: Set = ["timestampNotGrowing", "pushAfterEnd", "pushToDeadToken"]

    let kind: String
    let apnsID: String
    let detail: String

    /// Whether it is wrong whatever has happened before.
    var isPlain: Bool { !Self.judgedElsewhere.contains(kind) }
}
