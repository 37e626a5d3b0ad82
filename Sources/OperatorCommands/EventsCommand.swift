import ArgumentParser
import Foundation
import JSONValues
import RangersCommandLine

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
                over or you stop it (Ctrl-C).

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

        func run() async throws {
            let client = try options.client()
            var last = after
            while true {
                let query = [
                    URLQueryItem(name: "after", value: "\(last)"), URLQueryItem(name: "limit", value: "\(Self.page)"),
                ]
                let body = try await client.get("adventures", adventure.text, "events", query: query)
                let events = try client.decode(EventList.self, from: body).events
                let lines = events.map { options.json ? $0.json : $0.line(fitting: Terminal.columns) }
                // Not `print`: what is followed through a pipe is to come at once.
                try FileHandle.standardOutput.write(contentsOf: Data(lines.map { $0 + "\n" }.joined().utf8))
                last = events.last?.sequence ?? last
                if events.last?.kind == "adventureEnded" { return }
                guard events.count < Self.page else { continue }
                guard follow else { return }
                try await Task.sleep(for: Self.pause)
            }
        }
    }
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

    /// One line for people: when, which, what.
    func line(fitting width: Int?) -> String {
        let time = String((fields["at"]?.words ?? "").dropFirst(11).prefix(8))
        let others = fields.filter { !["sequence", "tick", "kind", "at"].contains($0.key) }
        let details = others.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.words)" }
        let number = String(repeating: " ", count: max(0, 5 - "\(sequence)".count)) + "\(sequence)"
        let line = ([time, number, "tick \(fields["tick"]?.words ?? "?")", kind] + details).joined(separator: "  ")
        let printable = Printable.words(line)
        return width.map { DisplayWidth.fit(printable, into: $0) } ?? printable
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
