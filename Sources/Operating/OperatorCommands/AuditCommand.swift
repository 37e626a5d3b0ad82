import ArgumentParser
import CommandLineSupport
import Encodings
import Foundation
import RangersSettings

/// `rangersctl audit`: the log of operators' changes.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Lists the audit log of operators' changes, and verifies its integrity.",
        subcommands: [List.self, Verify.self]
    )

    /// `rangersctl audit list`: lists operators' changes.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists operators' changes, newest first.",
            discussion: """
                Examples:
                  rangersctl audit list
                  rangersctl audit list --operator ada --since 7d
                  rangersctl audit list --since 2026-11-23
                  rangersctl audit list --since 2026-01-02T03:04:05Z --limit 1000 --json | jq -r '.entries[].target'
                """
        )

        @Option(
            name: .customLong("operator"),
            parsing: .unconditional,
            help: ArgumentHelp(
                "Only changes by this operator; rangersd:USER for changes by the rangersd command.",
                valueName: "name"
            )
        )
        var author: String?

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp(
                """
                Only changes since this date or time, in UTC (2026-11-23 or 2026-11-23T14:30:00Z), or within this duration \
                (seconds s, minutes m, hours h, days d: 30m, 7d).
                """,
                valueName: "time"
            ),
            transform: SinceArgument.init(text:)
        )
        var since: SinceArgument?

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("The maximum number of changes, 1 to 1000.", valueName: "count")
        )
        var limit = 50

        @Option(
            help: ArgumentHelp(
                "Only changes before this position, as the previous page names it.",
                valueName: "position"
            )
        )
        var before: String?

        @OptionGroup var options: ServerOptions

        func validate() throws {
            guard (1...1_000).contains(limit) else { throw ValidationError("--limit must be between 1 and 1000.") }
        }

        func run() async throws {
            let client = try options.client()
            let query = [
                ("author", author), ("since", since?.text(before: Date())), ("before", before), ("limit", "\(limit)"),
            ]
            let items = query.compactMap { name, value in value.map { URLQueryItem(name: name, value: $0) } }
            let body = try await client.get("audit", query: items)
            try options.show(body, as: AuditPageResponse.self, from: client)
        }
    }

    /// `rangersctl audit verify`: verifies the hash chains of the audit log.
    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Verifies that no entry of the audit log was changed, removed or inserted.",
            discussion: """
                Each shard's entries form a hash chain. If a chain is broken, the first invalid entry is printed and the \
                exit status is 1.

                A user with write access to the database could rebuild or delete log chains. Therefore save the ends \
                of the chains elsewhere: --save writes them to a small file, and --expect verifies later that the log \
                still contains all entries up to them. The printed digest is the SHA-256 of that file (sha256sum).

                Examples:
                  rangersctl audit verify
                  rangersctl audit verify --save audit.baseline
                  rangersctl audit verify --expect audit.baseline --save audit.baseline
                """
        )

        /// The maximum number of positions in one request.
        private static let maxPositions = 64

        @Option(
            help: ArgumentHelp(
                "Compare the log with the baseline in this file, which --save has written.",
                valueName: "file"
            ),
            completion: .file()
        )
        var expect: String?

        @Option(
            help: ArgumentHelp("Write a baseline to this file if the log is intact.", valueName: "file"),
            completion: .file()
        )
        var save: String?

        @OptionGroup var options: ServerOptions

        func run() async throws {
            let client = try options.client()
            let baseline = try expect.map { path throws(OperatorClientError) in try Self.read(path) }
            var log = AuditVerificationResponse(entries: 0, isIntact: true, ends: [], fault: nil, next: nil)
            repeat {
                let query = log.next.map { [URLQueryItem(name: "after", value: $0)] } ?? []
                let body = try await client.get("audit", "verification", query: query)
                log.append(try client.decode(AuditVerificationResponse.self, from: body))
            } while log.next != nil
            if log.isIntact, let baseline {
                if let fault = try await difference(from: baseline, client) {
                    log.append(fault)
                } else {
                    StandardError.print("Compared with the baseline: \(baseline.size).")
                }
            }
            if log.isIntact, let save { try Self.write(AuditBaseline(log.ends), to: save) }
            if options.json {
                print(try log.sortedJSON)
            } else {
                for line in log.lines(fitting: Terminal.columns, paint: Terminal.paint) { print(line) }
            }
            guard log.isIntact else { throw ExitCode.failure }
        }

        /// Returns the first difference between the baseline and the log at the same positions; nil for none.
        private func difference(
            from baseline: AuditBaseline,
            _ client: OperatorClient
        ) async throws -> AuditVerificationResponse.Fault? {
            var found: [AuditBaseline.End] = []
            for first in stride(from: 0, to: baseline.ends.count, by: Self.maxPositions) {
                let positions = baseline.ends.dropFirst(first).prefix(Self.maxPositions).map(\.positionText).joined(
                    separator: ","
                )
                let body = try await client.get(
                    "audit",
                    "hashes",
                    query: [URLQueryItem(name: "positions", value: positions)]
                )
                found += try client.decode(AuditHashes.self, from: body).hashes
            }
            return baseline.fault(against: found)
        }

        private static func read(_ path: String) throws(OperatorClientError) -> AuditBaseline {
            let text: String
            do throws(TextFileError) {
                text = try TextFile.read(path)
            } catch {
                throw .wrongUsage("\(path) \(error.reason)")
            }
            guard let baseline = AuditBaseline(text) else {
                throw .wrongUsage("\(path) is not a complete file from --save")
            }
            return baseline
        }

        private static func write(_ baseline: AuditBaseline, to path: String) throws(OperatorClientError) {
            do {
                try Data(baseline.text.utf8).write(to: URL(filePath: path), options: .atomic)
            } catch {
                throw .wrongUsage("\(path) cannot be written; does its folder exist, and is it writable?")
            }
        }
    }
}

/// A start time on a command line: a date or a time in UTC, or a duration before now.
struct SinceArgument {
    private enum Kind {
        case time(Timestamp)
        case secondsAgo(Int)
    }

    /// The longest duration, a hundred years.
    private static let maxSeconds = 100 * 366 * 86_400
    private static let units: [Character: Int] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]

    private let kind: Kind

    /// Parses an argument.
    /// - Throws: `ValidationError` with the valid forms.
    init(text: String) throws {
        let digits = text.dropLast()
        if let unit = text.last.flatMap({ Self.units[$0] }), digits.allSatisfy({ ("0"..."9").contains($0) }),
            let number = Int(digits), number <= Self.maxSeconds / unit
        {
            kind = .secondsAgo(number * unit)
        } else if let time = Self.time(text) {
            kind = .time(time)
        } else {
            throw ValidationError(
                "use a date or a time in UTC such as 2026-01-02 or 2026-01-02T03:04:05Z, or a duration in seconds, "
                    + "minutes, hours or days, such as 30m or 7d"
            )
        }
    }

    /// Reads a date, a time in RFC 3339, or a time as the tables show it; without a time zone it is in UTC.
    private static func time(_ text: String) -> Timestamp? {
        ["", "Z", "T00:00:00Z"].lazy.compactMap { Timestamp(rfc3339: text.replacing(" ", with: "T") + $0) }.first
    }

    /// Returns the start time in RFC 3339; a duration counts back from `now`.
    func text(before now: Date) -> String {
        switch kind {
        case .time(let time): time.rfc3339(fractionDigits: 6)
        case .secondsAgo(let seconds):
            Timestamp(epochSeconds: Int64(now.timeIntervalSince1970) - Int64(seconds)).rfc3339(fractionDigits: 0)
        }
    }
}
