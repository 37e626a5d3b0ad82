/// Rows in columns, for people.
public struct Table: Sendable {
    /// One column.
    public struct Column: Sendable {
        fileprivate enum Kind {
            /// Words, of which the beginning is better than nothing.
            case text
            /// Digits; a part of them would be another number.
            case number
            /// What leads nowhere in part.
            case whole
        }

        let title: String
        fileprivate let kind: Kind
        /// What the column is not made narrower than.
        fileprivate let least: Int

        /// A column; numbers stand at their last digit, and are never cut off.
        public init(_ title: String, isNumber: Bool = false) {
            self.init(title, isNumber ? .number : .text)
        }

        /// A column of sentences, of which a few letters tell nobody anything; a table that has no room for the rest beside
        /// `least` columns of them does not fit.
        public static func sentences(_ title: String, least: Int) -> Self { Self(title, .text, least: least) }

        private init(_ title: String, _ kind: Kind, least: Int = Table.narrowest) {
            self.title = title
            self.kind = kind
            self.least = least
        }

        /// A column of identifiers, moments and such, which are never cut off.
        public static func whole(_ title: String) -> Self { Self(title, .whole) }
    }

    /// Between two columns.
    private static let gap = 2
    /// No column is made narrower: a letter or two and `…` tell nobody anything.
    fileprivate static let narrowest = 6

    let columns: [Column]
    let rows: [[String]]

    /// Rows of as many cells as there are columns, of texts from anywhere.
    public init(_ columns: [Column], rows: [[String]]) {
        precondition(rows.allSatisfy { $0.count == columns.count }, "a cell for each column")
        self.columns = columns
        self.rows = rows.map { $0.map(Printable.text) }
    }

    /// The table, the titles first; where it does not fit, the rows below one another.
    ///
    /// Where it is too wide, the widest columns of words give way and show `…`. Where that is not enough, and some columns
    /// must stay whole, each row becomes a paragraph with a line for each cell that has something in it, and nothing is cut
    /// off. A table of words and numbers alone stays too wide then.
    /// - Parameters:
    ///   - width: the terminal's columns, nil where the output is no terminal.
    ///   - paint: for the titles.
    /// - Returns: a line for the titles and one for each row, or the paragraphs with an empty line between two.
    public func lines(fitting width: Int?, paint: Paint = .none) -> [String] {
        let (widths, fits) = self.widths(fitting: width)
        guard fits || !columns.contains(where: { $0.kind == .whole }) else {
            return paragraphs(fitting: width, paint)
        }
        let lines = ([columns.map(\.title)] + rows).map { cells in
            let padded = zip(zip(cells, columns), widths).map { pair, width in
                let text = DisplayWidth.fit(pair.0, into: width)
                let padding = String(repeating: " ", count: width - DisplayWidth.of(text))
                return pair.1.kind == .number ? padding + text : text + padding
            }
            let line = padded.joined(separator: String(repeating: " ", count: Self.gap))
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
        return [paint.bold(lines[0])] + lines.dropFirst()
    }

    /// Whether all of every cell is shown in the lines for a width.
    public func fits(_ width: Int?) -> Bool {
        guard let width else { return true }
        return naturalWidths.reduce(Self.gap * (columns.count - 1), +) <= width
    }

    /// Each row as lines of title and cell.
    private func paragraphs(fitting width: Int?, _ paint: Paint) -> [String] {
        let titleWidth = (columns.map { DisplayWidth.of($0.title) }.max() ?? 0) + Self.gap
        let paragraphs = rows.map { row in
            zip(columns, row).filter { !$1.isEmpty }.flatMap { column, cell in
                let padding = String(repeating: " ", count: titleWidth - DisplayWidth.of(column.title))
                let lines = Paragraph(beginning: column.title + padding, text: cell).lines(fitting: width)
                return [paint.bold(column.title) + lines[0].dropFirst(column.title.count)] + lines.dropFirst()
            }
        }
        return Array(paragraphs.joined(separator: [""]))
    }

    /// How wide each column is when nothing gives way.
    private var naturalWidths: [Int] {
        columns.indices.map { index in
            ([columns[index].title] + rows.map { $0[index] }).map { DisplayWidth.of($0) }.max() ?? 0
        }
    }

    /// How wide each column is, and whether the table fits then.
    private func widths(fitting width: Int?) -> (columns: [Int], fits: Bool) {
        var widths = naturalWidths
        guard let width else { return (widths, true) }
        let gaps = Self.gap * (columns.count - 1)
        while widths.reduce(gaps, +) > width {
            let yielding = widths.indices.filter { columns[$0].kind == .text && widths[$0] > columns[$0].least }
            guard let widest = yielding.max(by: { widths[$0] < widths[$1] }) else { return (widths, false) }
            widths[widest] -= 1
        }
        return (widths, true)
    }
}
