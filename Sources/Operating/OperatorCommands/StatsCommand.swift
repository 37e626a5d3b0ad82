import ArgumentParser
import CommandLineSupport
import Foundation

/// `rangersctl stats`: how much there is and goes on.
struct StatsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Shows how much there is and goes on, as the database tells it.",
        discussion: """
            Beyond 10,000 the numbers of parties and players are estimates. The metrics of each node tell more, and how it \
            came to be.

            Examples:
              rangersctl stats --watch
              rangersctl stats --json | jq .log.oldestUnsettledSeconds
            """
    )

    @OptionGroup var watch: WatchOptions
    @OptionGroup var options: ServerOptions

    func run() async throws {
        let client = try options.client()
        var before: StatsAnswer?
        try await watch.run(json: options.json) { () throws(OperatorClientError) in
            let body = try await client.get("stats")
            var answer = try client.decode(StatsAnswer.self, from: body)
            answer.compare(with: before)
            before = answer
            return WatchOptions.Frame(body: body, answer: answer, isLast: false)
        }
    }
}

/// How much there is and goes on, as the server tells it.
struct StatsAnswer: Answer {
    struct Count: Decodable {
        let count: Int
        let isExact: Bool

        var text: String { isExact ? "\(count)" : "about \(count)" }
    }

    struct Adventures: Decodable {
        let journeys: Int
        let bossFights: Int
    }

    struct Activities: Decodable {
        let live: Int
        let pushedToInLastMinute: Int
    }

    struct Log: Decodable {
        let entries: Int
        let oldestUnsettledSeconds: Int?
    }

    struct Shards: Decodable {
        let leased: Int
        let all: Int
    }

    private enum CodingKeys: CodingKey {
        case at
        case parties
        case players
        case adventures
        case activities
        case log
        case shards
        case dispatchers
        case auditEntries
    }

    let at: Moment
    let parties: Count
    let players: Count
    let adventures: Adventures
    let activities: Activities
    let log: Log
    let shards: Shards
    let dispatchers: Int
    let auditEntries: Int
    /// Entries of the log a second since an earlier answer; nil without one.
    private var entriesPerSecond: Int?

    /// Tells the pace since an earlier answer.
    mutating func compare(with earlier: Self?) {
        guard let earlier, let seconds = at.secondsSince(earlier.at), seconds > 0 else { return }
        entriesPerSecond = (log.entries - earlier.log.entries) / seconds
    }

    func lines(fitting width: Int?) -> [String] { lines(fitting: width, paint: .none) }

    func lines(fitting width: Int?, paint: Paint) -> [String] {
        let rows: [(label: String, text: String)] = [
            ("At", "\(at.text) UTC"),
            ("Parties", parties.text),
            ("Players", players.text),
            ("Journeys", "\(adventures.journeys)"),
            ("Boss fights", "\(adventures.bossFights)"),
            ("Activities", "\(activities.live) live, \(activities.pushedToInLastMinute) pushed to in the last minute"),
            ("Log", "\(log.entries) entries" + (entriesPerSecond.map { ", \($0) a second" } ?? "")),
            ("Unsettled", log.oldestUnsettledSeconds.map { "since \($0) s" } ?? "nothing"),
            ("Shards", "\(shards.leased) of \(shards.all) have a dispatcher"),
            ("Dispatchers", "\(dispatchers)"),
            ("Audit log", "\(auditEntries) entries"),
        ]
        return rows.map { label, text in
            let padded = label.padding(toLength: 12, withPad: " ", startingAt: 0)
            let line = width.map { DisplayWidth.fit(text, into: max(1, $0 - 12)) } ?? text
            let isOff = label == "Shards" && shards.leased < shards.all
            return paint.bold(padded) + (isOff ? paint.red(line) : line)
        }
    }
}
