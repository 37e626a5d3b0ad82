/// A table of texts and numbers for people.
public struct Table: Sendable {
    /// A column of a table.
    public struct Column: Sendable {
        fileprivate enum Kind {
            /// Text that may be truncated.
            case text
            /// A right-aligned number, which is never truncated.
            case number
            /// Text that is never truncated.
            case whole
        }

        let title: String
        fileprivate let kind: Kind
        /// The minimum width.
        fileprivate let minWidth: Int

        /// Creates a column; numbers are right-aligned and never truncated.
        public init(_ title: String, isNumber: Bool = false) {
            self.init(title, isNumber ? .number : .text)
        }

        /// Creates a column of sentences, which are truncated to at least `least` columns.
        public static func sentences(_ title: String, least: Int) -> Self { Self(title, .text, least: least) }

        private init(_ title: String, _ kind: Kind, least: Int = Table.minColumnWidth) {
            self.title = title
            self.kind = kind
            minWidth = least
        }

        /// Creates a column of identifiers, dates and similar texts, which are never truncated.
        public static func whole(_ title: String) -> Self { Self(title, .whole) }
    }

    /// The spaces between two columns.
    private static let gap = 2
    /// The minimum width of truncated columns.
    fileprivate static let minColumnWidth = 6

    let columns: [Column]
    let rows: [[String]]

    /// Creates a table.
    ///
    /// Each row has a cell for each column; cells may contain unprintable characters.
    public init(_ columns: [Column], rows: [[String]]) {
        precondition(rows.allSatisfy { $0.count == columns.count }, "each row needs a cell for each column")
        self.columns = columns
        self.rows = rows.map { $0.map(Printable.text) }
    }

    /// Returns the lines of the table.
    ///
    /// If the table is too wide, the widest text columns are truncated. If that is not enough and the table has whole
    /// columns, each row becomes a paragraph with a line for each nonempty cell, without truncation. A table without
    /// whole columns stays too wide.
    /// - Parameters:
    ///   - width: the width of the terminal in columns; nil if the output is not a terminal.
    ///   - paint: the paint of the titles.
    /// - Returns: a line for the titles and one for each row, or the paragraphs separated by empty lines.
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

    /// Returns whether the table fits a width without truncation.
    public func fits(_ width: Int?) -> Bool {
        guard let width else { return true }
        return naturalWidths.reduce(Self.gap * (columns.count - 1), +) <= width
    }

    /// Returns each row as a paragraph.
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

    /// The widths of the columns without truncation.
    private var naturalWidths: [Int] {
        columns.indices.map { index in
            ([columns[index].title] + rows.map { $0[index] }).map { DisplayWidth.of($0) }.max() ?? 0
        }
    }

    /// Returns the widths of the columns after truncation, and whether the table fits.
    private func widths(fitting width: Int?) -> (columns: [Int], fits: Bool) {
        var widths = naturalWidths
        guard let width else { return (widths, true) }
        let gaps = Self.gap * (columns.count - 1)
        while widths.reduce(gaps, +) > width {
            let yielding = widths.indices.filter { columns[$0].kind == .text && widths[$0] > columns[$0].minWidth }
            guard let widest = yielding.max(by: { widths[$0] < widths[$1] }) else { return (widths, false) }
            widths[widest] -= 1
        }
        return (widths, true)
    }
}
