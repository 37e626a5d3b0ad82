public import Logging

/// Writes one line for each event, as text or as JSON.
///
/// Times are in UTC. What would break a line, or move a terminal's cursor, is escaped: an event is one line whatever a
/// peer has put into it.
public struct LineLogHandler: LogHandler {
    /// What every event of this logger says besides.
    public var metadata: Logger.Metadata = [:]
    /// What is worth writing.
    public var logLevel = Logger.Level.info

    private let label: String
    private let format: LogFormat
    private let output: LogOutput

    /// A handler of a logger.
    /// - Parameters:
    ///   - label: who logs.
    ///   - format: how a line looks.
    ///   - output: where lines go.
    public init(label: String, format: LogFormat, to output: LogOutput) {
        self.label = label
        self.format = format
        self.output = output
    }

    /// One item of what every event says besides.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes an event.
    public func log(event: LogEvent) {
        let moment = output.now()
        var line = LogLine()
        switch format {
        case .text:
            line.addText(event, moment, label, metadata)
        case .json:
            line.addJSON(event, moment, label, metadata)
        }
        output.write(line.bytes)
    }
}
