import ArgumentParser
import CommandLineSupport
import Foundation

/// `rangersctl stats`: the server's statistics.
struct StatsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Shows the numbers of parties, players, adventures and activities, and the state of the log.",
        discussion: """
            The numbers come from the database. Those of parties and players are estimates above 10,000. The metrics of \
            each node have more details.

            Examples:
              rangersctl stats --watch
              rangersctl stats --json | jq .log.oldestPendingSeconds
            """
    )

    @OptionGroup var watch: WatchOptions
    @OptionGroup var options: ServerOptions

    func run() async throws {
        let client = try options.client()
        var previous: StatsResponse?
        try await watch.run(json: options.json) { () throws(OperatorClientError) in
            let body = try await client.get("stats")
            var response = try client.decode(StatsResponse.self, from: body)
            response.compare(with: previous)
            previous = response
            return WatchOptions.Frame(body: body, content: response, isLast: false)
        }
    }
}

/// The response to `GET /admin/v1/stats`.
struct StatsResponse: Decodable, HumanReadable {
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
        /// The age of the oldest change that is not acknowledged; nil for none.
        let oldestPendingSeconds: Int?
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

    let at: Date
    let parties: Count
    let players: Count
    let adventures: Adventures
    let activities: Activities
    let log: Log
    let shards: Shards
    let dispatchers: Int
    let auditEntries: Int
    /// The rate of new log entries since an earlier response; nil without one.
    private var entriesPerSecond: Int?

    /// Computes the rate of log entries since an earlier response.
    mutating func compare(with earlier: Self?) {
        guard let earlier else { return }
        let seconds = at.wholeSeconds(since: earlier.at)
        guard seconds > 0 else { return }
        entriesPerSecond = (log.entries - earlier.log.entries) / seconds
    }

    func lines(fitting width: Int?, paint: Paint) -> [String] {
        let rows: [(label: String, text: String)] = [
            ("At", "\(at.utcText) UTC"),
            ("Parties", parties.text),
            ("Players", players.text),
            ("Journeys", "\(adventures.journeys)"),
            ("Boss fights", "\(adventures.bossFights)"),
            (
                "Activities",
                "\(activities.live) live, \(activities.pushedToInLastMinute) were sent a push in the last minute"
            ),
            ("Log", "\(log.entries) entries" + (entriesPerSecond.map { ", \($0) per second" } ?? "")),
            ("Pending", log.oldestPendingSeconds.map { "for up to \($0) s" } ?? "nothing"),
            ("Shards", "\(shards.leased) of \(shards.all) have a dispatcher"),
            ("Dispatchers", "\(dispatchers)"),
            ("Audit log", "\(auditEntries) entries"),
        ]
        return rows.map { label, text in
            let padded = label.padding(toLength: 12, withPad: " ", startingAt: 0)
            let line = width.map { DisplayWidth.fit(text, into: max(1, $0 - 12)) } ?? text
            let isIncomplete = label == "Shards" && shards.leased < shards.all
            return paint.bold(padded) + (isIncomplete ? paint.red(line) : line)
        }
    }
}
