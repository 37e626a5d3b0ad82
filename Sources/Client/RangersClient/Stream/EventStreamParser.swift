import Foundation

/// A parser for `text/event-stream` (WHATWG HTML, section 9.2.6, "Interpreting an event stream").
struct EventStreamParser {
    /// A message: one block of the stream.
    struct Message: Hashable {
        /// The event name; `message` by default.
        var event = "message"
        /// The data lines, joined by newlines.
        var data = ""
        /// The identifier; nil if the block has none.
        var id: String?
    }

    /// An error for a message that exceeds the size limit.
    struct TooLong: Error {}

    /// The size limit of a message, far above that of any event.
    private static let maxBytes = 1024 * 1024

    /// The reconnection delay that the server asked for; nil for none.
    private(set) var retryAfter: Duration?
    private var line = Data()
    private var dataLines: [String] = []
    private var message = Message()
    private var blockBytes = 0
    private var lastWasCarriageReturn = false

    /// Parses the next bytes of the stream.
    /// - Parameter bytes: the bytes, which may begin and end anywhere.
    /// - Returns: the messages that these bytes complete.
    /// - Throws: ``TooLong`` if a message exceeds 1 MiB.
    mutating func parse(_ bytes: Data) throws(TooLong) -> [Message] {
        var messages: [Message] = []
        for byte in bytes {
            let endsCarriageReturn = lastWasCarriageReturn
            lastWasCarriageReturn = byte == UInt8(ascii: "\r")
            switch byte {
            case UInt8(ascii: "\n") where endsCarriageReturn: continue
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                if let message = endLine() { messages.append(message) }
            default:
                blockBytes += 1
                guard blockBytes <= Self.maxBytes else { throw TooLong() }
                line.append(byte)
            }
        }
        return messages
    }

    private mutating func endLine() -> Message? {
        defer { line.removeAll(keepingCapacity: true) }
        guard !line.isEmpty else { return endBlock() }
        let text = String(decoding: line, as: UTF8.self)
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        var value = parts.count > 1 ? parts[1] : ""
        if value.hasPrefix(" ") { value.removeFirst() }
        switch parts[0] {
        case "event": message.event = String(value)
        case "data": dataLines.append(String(value))
        case "id": message.id = String(value)
        case "retry": retryAfter = Int(value).map { .milliseconds($0) } ?? retryAfter
        // A comment or an unknown field.
        default: break
        }
        return nil
    }

    private mutating func endBlock() -> Message? {
        defer {
            message = Message()
            dataLines = []
            blockBytes = 0
        }
        guard !dataLines.isEmpty else { return nil }
        message.data = dataLines.joined(separator: "\n")
        return message
    }
}
