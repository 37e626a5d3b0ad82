import Encodings
import Logging

/// The bytes of one log line.
///
/// The line is written into one buffer without intermediate strings, because the access log is a considerable part of
/// the cost of a request.
struct LogLine {
    /// The initial capacity, which most lines do not exceed.
    private static let usualBytes = 256

    private(set) var bytes: [UInt8] = []

    init() {
        bytes.reserveCapacity(Self.usualBytes)
    }

    // MARK: - Text

    mutating func addText(_ event: LogEvent, _ time: Int64, _ label: String, _ metadata: Logger.Metadata) {
        addTime(time)
        add(" ")
        add(event.level.rawValue)
        add(" ")
        add(label)
        add(": ")
        addEscaped(event.message.description, quoted: false)
        for (key, value) in Self.merged(metadata, event) {
            add(" ")
            addEscaped(key, quoted: false)
            add("=")
            addTextValue(Self.text(of: value))
        }
        add("\n")
    }

    private mutating func addTextValue(_ text: String) {
        let isPlain = !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != 0x22 && $0 != 0x3D }
        if !isPlain { add("\"") }
        addEscaped(text, quoted: !isPlain)
        if !isPlain { add("\"") }
    }

    // MARK: - JSON

    mutating func addJSON(_ event: LogEvent, _ time: Int64, _ label: String, _ metadata: Logger.Metadata) {
        add("{\"time\":\"")
        addTime(time)
        add("\",\"level\":\"")
        add(event.level.rawValue)
        add("\",\"logger\":")
        addJSONString(label)
        add(",\"message\":")
        addJSONString(event.message.description)
        let items = Self.merged(metadata, event)
        if !items.isEmpty {
            add(",\"metadata\":")
            addJSONObject(items)
        }
        add("}\n")
    }

    private mutating func addJSON(_ value: Logger.MetadataValue) {
        switch value {
        case .string(let text): addJSONString(text)
        case .stringConvertible(let convertible): addJSONString(convertible.description)
        case .dictionary(let items): addJSONObject(items.sorted { $0.key < $1.key })
        case .array(let values):
            add("[")
            for (index, value) in values.enumerated() {
                if index > 0 { add(",") }
                addJSON(value)
            }
            add("]")
        }
    }

    private mutating func addJSONObject(_ items: [(key: String, value: Logger.MetadataValue)]) {
        add("{")
        for (index, item) in items.enumerated() {
            if index > 0 { add(",") }
            addJSONString(item.key)
            add(":")
            addJSON(item.value)
        }
        add("}")
    }

    private mutating func addJSONString(_ text: String) {
        add("\"")
        addEscaped(text, quoted: true)
        add("\"")
    }

    // MARK: - Both

    /// Adds a time, for example `2026-03-04T05:06:07.123456Z`.
    private mutating func addTime(_ microseconds: Int64) {
        Timestamp(microseconds: microseconds).writeRFC3339(to: &bytes, fractionDigits: 6)
    }

    private mutating func add(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// Adds a text with the escapes of JSON.
    ///
    /// Backslashes and quotes are escaped only inside quotes. Control characters are always escaped, including C1
    /// controls, line and paragraph separators and bidirectional formatting, which some terminals interpret.
    private mutating func addEscaped(_ text: String, quoted: Bool) {
        // 0xC2 and 0xE2 are the first bytes of the escaped characters above ASCII, and of many others.
        let mayNeedEscape = text.utf8.contains { byte in
            byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x7F || byte == 0xC2 || byte == 0xE2
        }
        guard mayNeedEscape else { return add(text) }
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"" where quoted: add("\\\"")
            case "\\" where quoted: add("\\\\")
            case "\n": add("\\n")
            case "\r": add("\\r")
            case "\t": add("\\t")
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}", "\u{202A}"..."\u{202E}",
                "\u{2066}"..."\u{2069}":
                add("\\u")
                for shift in stride(from: UInt32(12), through: 0, by: -4) {
                    bytes.append(HexDigit.ascii(UInt8(scalar.value >> shift & 15)))
                }
            default:
                bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
    }

    /// Returns the metadata of the logger and of the event, which takes precedence, sorted by key.
    private static func merged(
        _ metadata: Logger.Metadata,
        _ event: LogEvent
    ) -> [(key: String, value: Logger.MetadataValue)] {
        var own = event.metadata ?? [:]
        if let error = event.error, own["error"] == nil { own["error"] = "\(error)" }
        let all = metadata.isEmpty ? own : own.isEmpty ? metadata : metadata.merging(own) { $1 }
        return all.sorted { $0.key < $1.key }
    }

    private static func text(of value: Logger.MetadataValue) -> String {
        switch value {
        case .string(let text): text
        case .stringConvertible(let convertible): convertible.description
        case .dictionary, .array: value.description
        }
    }
}
