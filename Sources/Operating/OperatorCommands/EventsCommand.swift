import ArgumentParser
import CommandLineSupport
import Foundation
import JSONCoding
import RangersClient

extension AdventureCommand {
    /// `rangersctl adventure events`: prints the events of an adventure.
    struct Events: AsyncParsableCommand {
        /// The interval between requests for new events.
        private static let pollInterval = Duration.seconds(1)
        /// The server's maximum number of events in a page.
        private static let pageSize = 1_000

        static let configuration = CommandConfiguration(
            abstract: "Prints the events of an adventure, one per line.",
            discussion: """
                With --json each line is the server's JSON of an event, in which seat numbers identify heroes. With \
                --follow the command prints new events until the adventure ends or you stop it (Ctrl-C); it survives \
                outages of the server of at most a minute.

                Examples:
                  rangersctl adventure events 01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11 --follow
                  rangersctl adventure events 01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11 --after 120 --json
                """
        )

        @Argument(help: ArgumentHelp("The adventure's identifier, as in `party list`.", valueName: "id"))
        var adventure: UUIDArgument

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("Only events after this sequence number.", valueName: "sequence")
        )
        var after = 0

        @Flag(help: "Wait for new events.")
        var follow = false

        @OptionGroup var options: ServerOptions

        func validate() throws {
            guard (0...Int(Int32.max)).contains(after) else {
                throw ValidationError("--after must be between 0 and \(Int32.max).")
            }
        }

        func run() async throws {
            let client = try options.client()
            var last = after
            var names = HeroNames()
            var isFirst = true
            while true {
                let events = try await Retrier(report: StandardError.print).run {
                    follow && !isFirst && $0.isTransient
                } step: { () throws(OperatorClientError) in
                    try await page(after: last, from: client)
                }
                isFirst = false
                if !options.json,
                    events.contains(where: { names.lacks($0.seats) || ($0.isTurnOfBoss && names.boss == nil) })
                {
                    names = HeroNames(of: try await state(following: follow, client))
                }
                let lines = events.flatMap { options.json ? [$0.json] : $0.lines(fitting: Terminal.columns, names) }
                // Not `print`, which buffers the output to a pipe.
                try StandardOutput.write(lines.map { $0 + "\n" }.joined())
                last = events.last?.sequence ?? last
                if events.last?.isEnd == true { return }
                guard events.count < Self.pageSize else { continue }
                guard follow else { return }
                // Without new events, --after may have skipped the last event of an ended adventure.
                if last == after, try await hasEnded(at: last, client) { return }
                try await Task.sleep(for: Self.pollInterval)
            }
        }

        private func page(
            after last: Int,
            from client: OperatorClient
        ) async throws(OperatorClientError) -> [EventRecord] {
            let query = [
                URLQueryItem(name: "after", value: "\(last)"), URLQueryItem(name: "limit", value: "\(Self.pageSize)"),
            ]
            let body = try await client.get("adventures", adventure.text, "events", query: query)
            return try client.decode(EventRecordPage.self, from: body).events
        }

        /// Returns whether the adventure has ended without events after a sequence number.
        private func hasEnded(at last: Int, _ client: OperatorClient) async throws -> Bool {
            let adventure = try await state(following: true, client)
            return adventure.endedAt != nil && adventure.sequence <= last
        }

        /// Requests the current state of the adventure, with retries if the command follows it.
        private func state(following: Bool, _ client: OperatorClient) async throws -> AdventureResponse {
            try await Retrier(report: StandardError.print).run {
                following && $0.isTransient
            } step: { () throws(OperatorClientError) in
                let body = try await client.get("adventures", adventure.text)
                return try client.decode(AdventureResponse.self, from: body)
            }
        }
    }
}

/// A page of events.
struct EventRecordPage: Decodable {
    let events: [EventRecord]
}

/// An event with all fields that the server sent, including those that this version does not know.
struct EventRecord: Decodable {
    let sequence: Int
    let kind: String
    private let fields: [String: JSONValue]

    init(from decoder: any Decoder) throws {
        fields = try decoder.singleValueContainer().decode([String: JSONValue].self)
        guard let sequence = fields["sequence"]?.integer, case .string(let kind)? = fields["kind"] else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not an event"))
        }
        (self.sequence, self.kind) = (sequence, kind)
    }

    /// The event as one line of JSON with sorted keys.
    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(fields), as: UTF8.self)
        } catch {
            preconditionFailure("decoded JSON could not be encoded: \(error)")
        }
    }

    /// Whether the event is the last of its adventure.
    var isEnd: Bool { kind == "adventureEnded" }

    /// Whether a turn of the boss begins: it has no seat.
    var isTurnOfBoss: Bool { kind == "turnStarted" && fields["hero"] == nil }

    /// The seats of the heroes in the event.
    var seats: [Int] { fields.compactMap { HeroNames.seat(in: $0.key, $0.value) } }

    /// Returns a line with time, sequence number, tick, kind and fields, continued below in a narrow terminal.
    func lines(fitting width: Int?, _ names: HeroNames = HeroNames()) -> [String] {
        let time = String((fields["at"]?.text ?? "").dropFirst(11).prefix(8))
        let others = fields.filter { !["sequence", "tick", "kind", "at"].contains($0.key) }
        var details = others.sorted { $0.key < $1.key }.map { "\($0.key)=\(names.text(of: $0.key, $0.value))" }
        if isTurnOfBoss, let boss = names.boss { details.insert("boss=\(boss)", at: 0) }
        let number = String(repeating: " ", count: max(0, 5 - "\(sequence)".count)) + "\(sequence)"
        let head = [time, number, "tick \(fields["tick"]?.text ?? "?")"].joined(separator: "  ")
        let line = Printable.text(([head, kind] + details).joined(separator: "  "))
        guard let width, DisplayWidth.of(line) > width else { return [line] }
        let text = ([kind] + details).joined(separator: " ")
        return Paragraph(beginning: Printable.text(head) + "  ", text: text).lines(fitting: width)
    }
}

extension JSONValue {
    /// The value in a line for people.
    var text: String {
        switch self {
        case .null: "none"
        case .boolean(let value): value ? "yes" : "no"
        case .number(let value): integer.map { "\($0)" } ?? "\(value)"
        case .string(let value): value
        case .array(let values): "[\(values.map(\.text).joined(separator: " "))]"
        case .object(let values):
            "{\(values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.text)" }.joined(separator: " "))}"
        }
    }
}
