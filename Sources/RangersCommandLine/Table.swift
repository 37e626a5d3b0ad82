/// Rows in columns, for people.
public struct Table: Sendable {
    /// One column.
    public struct Column: Sendable {
        let title: String
        let isNumber: Bool

        /// A column; numbers stand at their last digit.
        public init(_ title: String, isNumber: Bool = false) {
            self.title = title
            self.isNumber = isNumber
        }
    }

    /// Between two columns.
    private static let gap = 2
    /// No column is made narrower: a letter or two and `…` tell nobody anything.
    private static let narrowest = 6

    let columns: [Column]
    let rows: [[String]]

    /// Rows of as many cells as there are columns, of texts from anywhere.
    public init(_ columns: [Column], rows: [[String]]) {
        precondition(rows.allSatisfy { $0.count == columns.count }, "a cell for each column")
        self.columns = columns
        self.rows = rows.map { $0.map(Printable.text) }
    }

    /// The table, the titles first.
    ///
    /// Where it is too wide, the widest columns give way and show `…`; a table whose columns are all at their
    /// narrowest stays too wide.
    /// - Parameters:
    ///   - width: the terminal's columns, nil where the output is no terminal.
    ///   - paint: for the titles.
    /// - Returns: a line for the titles and one for each row.
    public func lines(fitting width: Int?, paint: Paint = .none) -> [String] {
        let widths = self.widths(fitting: width)
        let lines = ([columns.map(\.title)] + rows).map { cells in
            let padded = zip(zip(cells, columns), widths).map { pair, width in
                let text = DisplayWidth.fit(pair.0, into: width)
                let padding = String(repeating: " ", count: width - DisplayWidth.of(text))
                return pair.1.isNumber ? padding + text : text + padding
            }
            let line = padded.joined(separator: String(repeating: " ", count: Self.gap))
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
        return [paint.bold(lines[0])] + lines.dropFirst()
    }

    private func widths(fitting width: Int?) -> [Int] {
        var widths = columns.indices.map { index in
            ([columns[index].title] + rows.map { $0[index] }).map { DisplayWidth.of($0) }.max() ?? 0
        }
        guard let width else { return widths }
        let gaps = Self.gap * (columns.count - 1)
        while widths.reduce(gaps, +) > width {
            guard let widest = widths.indices.max(by: { widths[$0] < widths[$1] }), widths[widest] > Self.narrowest
            else { break }
            widths[widest] -= 1
        }
        return widths
    }
}
