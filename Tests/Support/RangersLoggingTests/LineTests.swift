import Encodings
import Foundation
import Logging
import RangersLogging
import Synchronization
import Testing

struct LineTests {
    /// A recorder of log lines, with a fixed clock.
    private final class Recording: Sendable {
        private let time: Timestamp
        private let kept = Mutex("")

        init(at time: Int64 = 1_772_600_767_123_456) {
            self.time = Timestamp(microseconds: time)
        }

        var text: String { kept.withLock { $0 } }

        func logger(_ format: LogFormat) -> Logger {
            let output = LogOutput(
                now: { self.time },
                write: { line in self.kept.withLock { $0 += String(decoding: line, as: UTF8.self) } }
            )
            return Logger(label: "rangersd", factory: { LineLogHandler(label: $0, format: format, to: output) })
        }
    }

    private struct Fault: Error, CustomStringConvertible {
        let description = "row 7 is missing"
    }

    @Test func `a line in text format`() {
        let recording = Recording()
        var logger = recording.logger(.text)
        logger[metadataKey: "request-id"] = "r-1"
        logger.notice("it is serving", metadata: ["httpPort": "8081", "reason": "a reason", "empty": ""])
        logger.debug("not written")
        logger.error("it failed", metadata: ["request-id": "r-2", "error": "\(Fault())", "list": ["a", "b"]])
        #expect(
            recording.text == """
                2026-03-04T05:06:07.123456Z notice rangersd: it is serving empty="" httpPort=8081 \
                reason="a reason" request-id=r-1
                2026-03-04T05:06:07.123456Z error rangersd: it failed error="row 7 is missing" list="[\\"a\\", \\"b\\"]" \
                request-id=r-2

                """
        )
    }

    @Test func `a line in JSON format is an object`() throws {
        let recording = Recording()
        var logger = recording.logger(.json)
        logger[metadataKey: "request-id"] = "r-1"
        logger.warning("no database", metadata: ["error": "\(Fault())", "shards": [.stringConvertible(7), "8"]])
        logger.info("plain \"quotes\" and \\")
        logger.info("nested", metadata: ["of": ["b": "2", "a": "1"]])
        #expect(
            recording.text == #"""
                {"time":"2026-03-04T05:06:07.123456Z","level":"warning","logger":"rangersd","message":"no database",\#
                "metadata":{"error":"row 7 is missing","request-id":"r-1","shards":["7","8"]}}
                {"time":"2026-03-04T05:06:07.123456Z","level":"info","logger":"rangersd",\#
                "message":"plain \"quotes\" and \\","metadata":{"request-id":"r-1"}}
                {"time":"2026-03-04T05:06:07.123456Z","level":"info","logger":"rangersd","message":"nested",\#
                "metadata":{"of":{"a":"1","b":"2"},"request-id":"r-1"}}

                """#
        )
    }

    @Test(arguments: LogFormat.allCases)
    func `an event is one line regardless of its content`(format: LogFormat) throws {
        let nasty = "a\nb\r\u{1B}[31mred\u{2028}\u{85}\u{202E}\u{0}\t\"\\🤺é"
        let recording = Recording()
        recording.logger(format).error("\(nasty)", metadata: ["k\ney": "\(nasty)"])
        let line = recording.text
        #expect(line.last == "\n")
        for scalar in line.dropLast().unicodeScalars {
            #expect(!scalar.properties.isPatternWhitespace || scalar == " ", "\(scalar.value)")
            #expect(scalar.value >= 0x20 && scalar != "\u{202E}")
        }
        guard format == .json else { return }
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        #expect(object?["message"] as? String == nasty)
        #expect((object?["metadata"] as? [String: String]) == ["k\ney": nasty])
    }

    @Test(
        arguments: [
            (Int64(0), "1970-01-01T00:00:00.000000Z"), (-1, "1969-12-31T23:59:59.999999Z"),
            (951_782_400_000_000, "2000-02-29T00:00:00.000000Z"),
            (4_107_542_399_999_999, "2100-02-28T23:59:59.999999Z"),
            (4_107_542_400_000_000, "2100-03-01T00:00:00.000000Z"),
        ]
    )
    func `times follow the Gregorian calendar`(time: Int64, text: String) {
        let recording = Recording(at: time)
        recording.logger(.text).info("now")
        #expect(recording.text.hasPrefix(text))
    }

    @Test(arguments: 0..<200 as Range<Int64>)
    func `times equal those of Foundation`(number: Int64) {
        // Some four centuries, with all months and kinds of leap years.
        let time = number * 61_234_567_890_123 - 2_000_000_000_000_000
        let recording = Recording(at: time)
        recording.logger(.text).info("now")
        let whole = (time - (time % 1_000_000 + 1_000_000) % 1_000_000) / 1_000_000
        let date = Date(timeIntervalSince1970: Double(whole)).formatted(.iso8601)
        #expect(recording.text.prefix(19) == date.prefix(19))
    }
}
