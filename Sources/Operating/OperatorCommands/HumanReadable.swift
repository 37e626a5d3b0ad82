import CommandLineSupport
import Foundation

/// A value that can be printed as lines of text for people.
protocol HumanReadable {
    /// Returns the lines, without line breaks in them.
    /// - Parameters:
    ///   - width: the width of the terminal in columns; nil if the output is not a terminal.
    ///   - paint: colors and emphasis.
    /// - Returns: at least one line.
    func lines(fitting width: Int?, paint: Paint) -> [String]
}

extension HumanReadable {
    func lines(fitting width: Int?) -> [String] { lines(fitting: width, paint: .none) }
}

/// A value that is printed as a single table.
protocol TableRepresentable: HumanReadable {
    var table: Table { get }
}

extension TableRepresentable {
    func lines(fitting width: Int?, paint: Paint) -> [String] { table.lines(fitting: width, paint: paint) }
}

extension ServerOptions {
    /// Prints a response: as the server's JSON with `--json`, otherwise as lines for people.
    func show<Response: Decodable & HumanReadable>(
        _ body: Data,
        as type: Response.Type,
        from client: OperatorClient
    ) throws(OperatorClientError) {
        if json {
            print(String(decoding: body, as: UTF8.self))
        } else {
            show(body, try client.decode(type, from: body))
        }
    }

    /// Prints a decoded response: as the server's JSON with `--json`, otherwise as lines for people.
    func show(_ body: Data, _ response: some HumanReadable) {
        if json {
            print(String(decoding: body, as: UTF8.self))
        } else {
            for line in response.lines(fitting: Terminal.columns, paint: Terminal.paint) { print(line) }
        }
    }
}

extension Encodable {
    /// The value as JSON with sorted keys.
    var sortedJSON: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }
}
