import CommandLineSupport
import Foundation

/// What a server answered, made for people.
protocol Answer: Decodable {
    /// Lines without line breaks in them.
    /// - Parameter width: the terminal's columns, nil where the output is no terminal.
    /// - Returns: at least one line.
    func lines(fitting width: Int?) -> [String]

    /// The same lines, painted.
    func lines(fitting width: Int?, paint: Paint) -> [String]
}

extension Answer {
    func lines(fitting width: Int?, paint: Paint) -> [String] { lines(fitting: width) }
}

/// An answer whose table has painted titles.
protocol TableAnswer: Answer {
    var table: Table { get }
}

extension TableAnswer {
    func lines(fitting width: Int?) -> [String] { lines(fitting: width, paint: .none) }
    func lines(fitting width: Int?, paint: Paint) -> [String] { table.lines(fitting: width, paint: paint) }
}

extension ServerOptions {
    /// Prints an answer: the server's own JSON for scripts, lines for people.
    func show(_ body: Data, as type: (some Answer).Type, from client: OperatorClient) throws(OperatorClientError) {
        if json {
            print(String(decoding: body, as: UTF8.self))
        } else {
            let answer = try client.decode(type, from: body)
            for line in answer.lines(fitting: Terminal.columns, paint: Terminal.paint) {
                print(line)
            }
        }
    }
}
