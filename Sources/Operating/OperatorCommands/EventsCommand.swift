import ArgumentParser
import CommandLineSupport
import Foundation
import JSONCoding

extension AdventureCommand {
    /// `rangersctl adventure events`.
    struct Events: AsyncParsableCommand {
        /// How often a server is asked for news.
        private static let pause = Duration.seconds(1)
        /// As many as a server gives at once.
        private static let page = 1_000

        static let configuration = CommandConfiguration(
            abstract: "Prints what happened in an adventure, a line for each event.",
            discussion: """
                With --json each line is the server's JSON of an event. With --follow it goes on until the adventure is \
                over or you stop it (Ctrl-C); while the server is away it waits, a minute at most.

                Examples:
                  rangersctl adventure events 01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11 --follow
                  rangersctl adventure events 01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11 --after 120 --json
                """
        )

        @Argument(help: ArgumentHelp("The adventure's identifier.", valueName: "id"))
        var adventure: Identifier

        @Option(help: ArgumentHelp("Only those behind this sequence.", valueName: "sequence"))
        var after = 0

        @Flag(help: "Wait for what happens next.")
        var follow = false

        @OptionGroup var options: ServerOptions

        func validate() throws {
            guard (0...Int(Int32.max)).contains(after) else {
                throw ValidationError("--after takes 0 to \(Int32.max).")
            }
        }

        func run() async throws {
            let client = try options.client()
            var last = after
            var isUnderWay = false
            while true {
                let events = try await Perseverance(say: StandardError.print).run {
                    follow && isUnderWay && $0.mayPass
                } step: { () throws(OperatorClientError) in
                    try await page(behind: last, from: client)
                }
                isUnderWay = true
                let lines = events.flatMap { options.json ? [$0.json] : $0.lines(fitting: Terminal.columns) }
                // Not `print`: what is followed through a pipe is to come at once.
                try StandardOutput.write(lines.map { $0 + "\n" }.joined())
                last = events.last?.sequence ?? last
                if events.last?.isEnd == true { return }
                guard events.count < Self.page else { continue }
                guard follow else { return }
                // The end is an event, which is not heard of by whoever begins behind it.
                if last == after, try await isOver(at: last, askedOf: client) { return }
                try await Task.sleep(for: Self.pause)
            }
        }

        private func page(
            behind last: Int,
            from client: OperatorClient
        ) async throws(OperatorClientError) -> [EventAnswer] {
            let query = [
                URLQueryItem(name: "after", value: "\(last)"), URLQueryItem(name: "limit", value: "\(Self.page)"),
            ]
            let body = try await client.get("adventures", adventure.text, "events", query: query)
            return try client.decode(EventList.self, from: body).events
        }

        /// Whether nothing happens any more behind a sequence.
        private func isOver(at last: Int, askedOf client: OperatorClient) async throws -> Bool {
            let shown = try await Perseverance(say: StandardError.print).run(after: \.mayPass) {
                () throws(OperatorClientError) in
                try client.decode(AdventureEnd.self, from: try await client.get("adventures", adventure.text))
            }
            return shown.endedAt != nil && shown.sequence <= last
        }
    }
}

/// An adventure, as far as it tells of its end.
private struct AdventureEnd: Decodable {
    let sequence: Int
    let endedAt: String?
}

/// A page of events.
struct EventList: Decodable {
    let events: [EventAnswer]
}

/// An event as the server tells it: some fields that all have, and others.
struct EventAnswer: Decodable {
    let sequence: Int
    let kind: String
    private let fields: [String: JSONValue]

    init(from decoder: any Decoder) throws {
        fields = try decoder.singleValueContainer().decode([String: JSONValue].self)
        guard let sequence = fields["sequence"]?.integer, case .string(let kind)? = fields["kind"] else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "no event"))
        }
        (self.sequence, self.kind) = (sequence, kind)
    }

    /// One line, its fields by name.
    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(fields), as: UTF8.self)
        } catch {
            preconditionFailure("what was read as JSON can be written: \(error)")
        }
    }

    /// Whether it is an adventure's last.
    var isEnd: Bool { kind == "adventureEnded" }

    /// A line for people, when, which, what; it goes on below where the terminal is too narrow for it.
    func lines(fitting width: Int?) -> [String] {
        let time = String((fields["at"]?.words ?? "").dropFirst(11).prefix(8))
        let others = fields.filter { !["sequence", "tick", "kind", "at"].contains($0.key) }
        let details = others.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.words)" }
        let number = String(repeating: " ", count: max(0, 5 - "\(sequence)".count)) + "\(sequence)"
        let head = [time, number, "tick \(fields["tick"]?.words ?? "?")"].joined(separator: "  ")
        let line = Printable.text(([head, kind] + details).joined(separator: "  "))
        guard let width, DisplayWidth.of(line) > width else { return [line] }
        let text = ([kind] + details).joined(separator: " ")
        return Paragraph(beginning: Printable.text(head) + "  ", text: text).lines(fitting: width)
    }
}

extension JSONValue {
    /// In a line for people.
    var words: String {
        switch self {
        case .null: "none"
        case .boolean(let value): value ? "yes" : "no"
        case .number(let value): integer.map { "\($0)" } ?? "\(value)"
        case .string(let value): value
        case .array(let values): "[\(values.map(\.words).joined(separator: " "))]"
        case .object(let values):
            "{\(values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.words)" }.joined(separator: " "))}"
        }
    }
}
