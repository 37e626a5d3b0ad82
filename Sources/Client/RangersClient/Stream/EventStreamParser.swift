import Foundation

/// Reads `text/event-stream` (WHATWG HTML, section 9.2.6, "Interpreting an event stream").
struct EventStreamParser {
    /// What one block of the stream says.
    struct Message: Hashable {
        /// `message`, unless the block gives it another name.
        var event = "message"
        /// The lines of data, without the last line's end.
        var data = ""
        /// Nil when the block has none of its own.
        var id: String?
    }

    /// A server that sends this much without an end means no good.
    struct TooLong: Error {}

    /// Far more than any event has.
    private static let mostBytes = 1024 * 1024

    /// How long the server asks to wait before coming back.
    private(set) var retryAfter: Duration?
    private var line = Data()
    private var dataLines: [String] = []
    private var message = Message()
    private var blockBytes = 0
    private var lastWasCarriageReturn = false

    /// Reads on.
    /// - Returns: the messages that are complete by now.
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
                guard blockBytes <= Self.mostBytes else { throw TooLong() }
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
        // A comment, or a field that there was not when this was written.
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
