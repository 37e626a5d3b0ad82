import ArgumentParser
import CommandLineSupport
import Encodings
import Foundation
import RangersSettings

/// `rangersctl audit`: what operators have changed.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Lists what operators have changed, and proves that nobody has touched the list.",
        subcommands: [List.self, Verify.self]
    )

    /// `rangersctl audit list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists what operators have changed, the newest first.",
            discussion: """
                Examples:
                  rangersctl audit list
                  rangersctl audit list --operator ada --since 7d
                  rangersctl audit list --since 2026-01-02T03:04:05Z --limit 1000 --json | jq -r '.entries[].target'
                """
        )

        @Option(
            name: .customLong("operator"),
            help: ArgumentHelp("Only this one's changes; rangersd:USER for the command line's.", valueName: "name")
        )
        var author: String?

        @Option(
            help: ArgumentHelp(
                "Only from this moment on, or from so long ago (seconds s, minutes m, hours h, days d: 30m, 7d).",
                valueName: "time"
            ),
            transform: Since.init(text:)
        )
        var since: Since?

        @Option(help: ArgumentHelp("How many, at most 1000.", valueName: "count"))
        var limit = 50

        @Option(help: ArgumentHelp("Only those before this place, which the page before names.", valueName: "place"))
        var before: String?

        @OptionGroup var options: ServerOptions

        func validate() throws {
            guard (1...1_000).contains(limit) else { throw ValidationError("--limit takes 1 to 1000.") }
        }

        func run() async throws {
            let client = try options.client()
            let query = [
                ("author", author), ("since", since?.text(before: Date())), ("before", before), ("limit", "\(limit)"),
            ]
            let items = query.compactMap { name, value in value.map { URLQueryItem(name: name, value: $0) } }
            let body = try await client.get("audit", query: items)
            try options.show(body, as: AuditList.self, from: client)
        }
    }

    /// `rangersctl audit verify`.
    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Checks that no entry of the audit log was changed, removed, added or cut off.",
            discussion: """
                The entries are chained by hashes, one chain for each shard. The first broken entry is named, and the \
                exit status is 1 then.

                Whoever can write to the database could make all chains anew, or none. So keep the ends of the chains \
                elsewhere: --save writes them into a file of a few lines, and --expect holds the log of another day \
                against it, which may have grown since, and must have all that it had. The digest is that of the file \
                (sha256sum).

                Examples:
                  rangersctl audit verify
                  rangersctl audit verify --save audit.kept
                  rangersctl audit verify --expect audit.kept --save audit.kept
                """
        )

        /// How many places one request may name.
        private static let placesAtOnce = 64

        @Option(
            help: ArgumentHelp("Hold the log against these ends, which --save has written earlier.", valueName: "file"),
            completion: .file()
        )
        var expect: String?

        @Option(
            help: ArgumentHelp("Write the ends of the chains here when the log is intact.", valueName: "file"),
            completion: .file()
        )
        var save: String?

        @OptionGroup var options: ServerOptions

        func run() async throws {
            let client = try options.client()
            let kept = try expect.map { path throws(OperatorClientError) in try Self.read(path) }
            var whole = AuditVerdict(entries: 0, isIntact: true, ends: [], fault: nil, next: nil)
            repeat {
                let place = whole.next.map { [URLQueryItem(name: "after", value: $0)] } ?? []
                let body = try await client.get("audit", "verification", query: place)
                whole.append(try client.decode(AuditVerdict.self, from: body))
            } while whole.next != nil
            if whole.isIntact, let kept {
                if let fault = try await compare(kept, by: client) {
                    whole.append(fault)
                } else {
                    StandardError.print("Held against what was kept: \(kept.size).")
                }
            }
            if whole.isIntact, let save { try Self.write(KeptAudit(whole.ends), to: save) }
            if options.json {
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
                print(String(decoding: try encoder.encode(whole), as: UTF8.self))
            } else {
                for line in whole.lines(fitting: Terminal.columns, paint: Terminal.paint) { print(line) }
            }
            guard whole.isIntact else { throw ExitCode.failure }
        }

        /// Asks what the log has where the kept one ended.
        private func compare(_ kept: KeptAudit, by client: OperatorClient) async throws -> AuditVerdict.Fault? {
            var found: [KeptAudit.End] = []
            for first in stride(from: 0, to: kept.ends.count, by: Self.placesAtOnce) {
                let places = kept.ends.dropFirst(first).prefix(Self.placesAtOnce).map(\.place).joined(separator: ",")
                let body = try await client.get("audit", "hashes", query: [URLQueryItem(name: "places", value: places)])
                found += try client.decode(AuditMarks.self, from: body).hashes
            }
            return kept.fault(against: found)
        }

        private static func read(_ path: String) throws(OperatorClientError) -> KeptAudit {
            let text: String
            do throws(TextFileError) {
                text = try TextFile.read(path)
            } catch {
                throw .wrongUsage("\(path) \(error.reason)")
            }
            guard let kept = KeptAudit(text) else { throw .wrongUsage("\(path) is no file of --save, or was cut off") }
            return kept
        }

        private static func write(_ kept: KeptAudit, to path: String) throws(OperatorClientError) {
            do {
                try Data(kept.text.utf8).write(to: URL(filePath: path), options: .atomic)
            } catch {
                throw .wrongUsage("\(path) cannot be written; is there such a folder, and may you write into it?")
            }
        }
    }
}

/// A moment on a command line: in RFC 3339, or so long ago.
struct Since {
    private enum Kind {
        case moment(String)
        case secondsAgo(Int)
    }

    /// Longer than anybody looks back.
    private static let longestSeconds = 100 * 366 * 86_400
    private static let units: [Character: Int] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]

    private let kind: Kind

    /// Reads it.
    /// - Throws: `ValidationError` with what can be read.
    init(text: String) throws {
        let digits = text.dropLast()
        if let unit = text.last.flatMap({ Self.units[$0] }), digits.allSatisfy({ ("0"..."9").contains($0) }),
            let number = Int(digits), number <= Self.longestSeconds / unit
        {
            kind = .secondsAgo(number * unit)
        } else if text.contains("T") {
            // The server says what is wrong with it otherwise.
            kind = .moment(text)
        } else {
            throw ValidationError(
                "it takes a moment, 2026-01-02T03:04:05Z, or seconds, minutes, hours or days: 30m, 7d"
            )
        }
    }

    /// The moment as the server takes it.
    func text(before now: Date) -> String {
        switch kind {
        case .moment(let text): text
        case .secondsAgo(let seconds): Timestamp(epochSeconds: Int64(now.timeIntervalSince1970) - Int64(seconds)).rfc3339(fractionDigits: 0)
        }
    }
}
