import Encodings
public import Logging

/// A log handler that writes one line for each event, as text or as JSON.
///
/// Times are in UTC. Line breaks and other control characters are escaped, so an event is always one line, even if it
/// contains data from peers.
public struct LineLogHandler: LogHandler {
    /// The metadata of all events of this logger.
    public var metadata: Logger.Metadata = [:]
    /// The least severe level that is written.
    public var logLevel = Logger.Level.info

    private let label: String
    private let format: LogFormat
    private let output: LogOutput

    /// Creates a handler.
    /// - Parameters:
    ///   - label: the label of the logger.
    ///   - format: the format of lines.
    ///   - output: the destination of lines.
    public init(label: String, format: LogFormat, to output: LogOutput) {
        self.label = label
        self.format = format
        self.output = output
    }

    /// The value of a key in the metadata of all events of this logger.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes an event.
    public func log(event: LogEvent) {
        let time = output.now().microseconds
        var line = LogLine()
        switch format {
        case .text:
            line.addText(event, time, label, metadata)
        case .json:
            line.addJSON(event, time, label, metadata)
        }
        output.write(line.bytes)
    }
}
