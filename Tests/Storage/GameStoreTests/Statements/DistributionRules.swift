/// The catalogue that statements are checked against: distributed tables, functions, operators and types.
struct Catalogue: Sendable {
    enum Volatility: String, Sendable, Comparable {
        case immutable = "i"
        case stable = "s"
        case volatile = "v"

        static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    struct Table: Sendable {
        let name: String
        /// The number of the distribution column; nil for a table that is not distributed.
        let distributionColumn: Int?
    }

    struct Operator: Sendable {
        let name: String
        let function: Int
    }

    /// The tables by OID.
    ///
    /// The other dictionaries are keyed by OID, too.
    var tables: [Int: Table] = [:]
    var functions: [Int: Volatility] = [:]
    var operators: [Int: Operator] = [:]
    /// The input and output functions of types.
    var types: [Int: (input: Int, output: Int)] = [:]
}

/// Checks a parsed statement against the rules of a distributed PostgreSQL.
///
/// All table references of a statement name their shard by the same parameter. In the clauses of UPDATE and DELETE no
/// function is volatile, and functions that are applied to columns or are in CASE or COALESCE are immutable. In
/// RETURNING and ON CONFLICT all functions are immutable. INSERT has no subquery among its values, UPDATE changes no
/// distribution column and assigns no array element, and MERGE is not used. A subquery in FROM has columns, and no view
/// of the catalogue is read beside distributed tables: Citus copies the rows of the first, and reads the tables of the
/// second as the statement's role, which may not see all of them.
struct DistributionRules {
    /// The part of the distributed tables that a statement accesses.
    enum Reach: Equatable {
        /// No distributed table.
        case none
        /// The shard named by one parameter.
        case one
        /// The shards named by an array parameter.
        case several
        /// All shards.
        case all
    }

    private enum CommandType: Int {
        case select = 1
        case update = 2
        case insert = 3
        case delete = 4
        case merge = 5
    }

    private let catalogue: Catalogue
    private(set) var faults: [String] = []
    /// For each reference to a distributed table: the parameter that names the shard, if any, and whether it is an
    /// array.
    private var references: [(parameter: Int?, isArray: Bool)] = []

    init(_ statement: NodeTree, in catalogue: Catalogue) {
        self.catalogue = catalogue
        let queries = statement.all("QUERY")
        for query in queries { check(query) }
        let hasView = queries.contains { $0["rtable"].contains { $0.word("relkind") == "v" } }
        if hasView, !references.isEmpty { faults.append("reads a view of the catalogue beside distributed tables") }
    }

    var reach: Reach {
        if references.isEmpty { return .none }
        if references.contains(where: { $0.parameter == nil }) { return .all }
        if references.contains(where: \.isArray) { return .several }
        // Two parameters may name two shards.
        return Set(references.map(\.parameter)).count == 1 ? .one : .all
    }

    private mutating func check(_ query: NodeTree) {
        guard let type = query.number("commandType").flatMap(CommandType.init) else {
            faults.append("is of an unknown command type")
            return
        }
        findReferences(of: query, type)
        checkSources(of: query)
        switch type {
        case .select: break
        case .merge: faults.append("is MERGE")
        case .insert: checkInsert(query)
        case .update, .delete: checkChange(query, type)
        }
        if query["returningList"].contains(where: { volatility(of: $0) > .immutable }) {
            faults.append("has a function in RETURNING that is not immutable")
        }
        if !query["rowMarks"].isEmpty, query["rtable"].contains(where: isDistributed), reach != .one {
            faults.append("locks rows of more than one shard")
        }
    }

    private mutating func checkSources(of query: NodeTree) {
        let withoutColumns = query["rtable"].contains { entry in
            entry.number("rtekind") == 1
                && entry["subquery"].contains { isOverTables($0) && $0["targetList"].isEmpty }
        }
        if withoutColumns { faults.append("has a subquery without columns in FROM") }
    }

    private func isOverTables(_ tree: NodeTree) -> Bool {
        tree.all("QUERY").contains { $0["rtable"].contains(where: isDistributed) }
    }

    // MARK: Shards

    private func isDistributed(_ entry: NodeTree) -> Bool { distributionColumn(of: entry) != nil }

    private func distributionColumn(of entry: NodeTree) -> Int? {
        guard entry.number("rtekind") == 0, let table = entry.number("relid") else { return nil }
        return catalogue.tables[table]?.distributionColumn
    }

    private mutating func findReferences(of query: NodeTree, _ type: CommandType) {
        let excluded = query["onConflict"].first?.number("exclRelIndex") ?? 0
        for (offset, entry) in query["rtable"].enumerated() where offset + 1 != excluded {
            guard let column = distributionColumn(of: entry) else { continue }
            if type == .insert, query.number("resultRelation") == offset + 1 {
                let parameter = inserted(into: column, by: query)
                references.append((parameter, isArray: false))
            } else {
                references.append(named(column, ofEntry: offset + 1, in: query) ?? (nil, isArray: false))
            }
        }
    }

    /// Returns the parameter that is inserted into a column of all rows.
    private mutating func inserted(into column: Int, by query: NodeTree) -> Int? {
        let target = query["targetList"].first { $0.number("resno") == column }
        guard let value = target?["expr"].first else { return nil }
        if let parameter = parameter(value) {
            // Citus copies the rows of arrays by way of the coordinator, unless a table of the shard is among the sources.
            let sources = query["rtable"].flatMap { $0["subquery"] }.flatMap { $0["rtable"] }
            if sources.contains(where: { $0.number("rtekind") == 3 }) {
                faults.append("inserts rows of a function without a row of their shard")
            }
            return parameter
        }
        // INSERT … SELECT: the column of the subquery.
        guard value.name == "VAR", let entry = value.number("varno"), let position = value.number("varattno"),
            query["rtable"].indices.contains(entry - 1),
            let subquery = query["rtable"][entry - 1]["subquery"].first,
            let source = subquery["targetList"].first(where: { $0.number("resno") == position })
        else { return nil }
        guard let expression = source["expr"].first else { return nil }
        if let parameter = parameter(expression) { return parameter }
        guard expression.name == "VAR", let entry = expression.number("varno"),
            subquery["rtable"].indices.contains(entry - 1),
            let column = distributionColumn(of: subquery["rtable"][entry - 1]),
            expression.number("varattno") == column
        else { return nil }
        return named(column, ofEntry: entry, in: subquery).flatMap { $0.isArray ? nil : $0.0 }
    }

    /// Returns the parameter that a column of a range table entry is compared with.
    private func named(_ column: Int, ofEntry entry: Int, in query: NodeTree) -> (Int?, isArray: Bool)? {
        for condition in conditions(of: query["jointree"], onEntry: entry) {
            let sides = condition["args"]
            guard sides.count == 2, let `operator` = condition.number("opno").flatMap({ catalogue.operators[$0] }),
                `operator`.name == "="
            else { continue }
            for (side, other) in [(sides[0], sides[1]), (sides[1], sides[0])] {
                guard side.name == "VAR", side.number("varno") == entry, side.number("varattno") == column,
                    side.number("varlevelsup") == 0, let parameter = parameter(other)
                else { continue }
                switch condition.name {
                case "OPEXPR": return (parameter, isArray: false)
                case "SCALARARRAYOPEXPR" where condition.word("useOr") == "true": return (parameter, isArray: true)
                default: continue
                }
            }
        }
        return nil
    }

    /// Returns the conditions that hold for all rows of an entry: those of WHERE, and those of joins that cannot omit
    /// the entry.
    private func conditions(of trees: [NodeTree], onEntry entry: Int) -> [NodeTree] {
        trees.flatMap { tree -> [NodeTree] in
            switch tree.name {
            case "FROMEXPR":
                return conditions(of: tree["fromlist"], onEntry: entry) + conjunction(tree["quals"])
            case "JOINEXPR":
                let inner = tree.number("jointype") == 0
                let isOptional = tree["rarg"].contains { contains($0, entry) }
                return (inner || isOptional ? conjunction(tree["quals"]) : [])
                    + conditions(of: tree["larg"] + tree["rarg"], onEntry: entry)
            default:
                return []
            }
        }
    }

    private func contains(_ tree: NodeTree, _ entry: Int) -> Bool {
        tree.all("RANGETBLREF").contains { $0.number("rtindex") == entry }
    }

    private func conjunction(_ trees: [NodeTree]) -> [NodeTree] {
        trees.flatMap { tree in
            tree.name == "BOOLEXPR" && tree.word("boolop") == "and" ? conjunction(tree["args"]) : [tree]
        }
    }

    private func parameter(_ tree: NodeTree) -> Int? {
        tree.name == "PARAM" && tree.number("paramkind") == 0 ? tree.number("paramid") : nil
    }

    // MARK: Functions

    private mutating func checkInsert(_ query: NodeTree) {
        let conflict = query["onConflict"]
        if conflict.contains(where: { volatility(of: $0) > .immutable }) {
            faults.append("has a function in ON CONFLICT that is not immutable")
        }
        if (query["targetList"] + conflict).contains(where: { !$0.all("SUBLINK").isEmpty }) {
            faults.append("has a subquery among the values of INSERT")
        }
    }

    private mutating func checkChange(_ query: NodeTree, _ type: CommandType) {
        let entry = query["rtable"][(query.number("resultRelation") ?? 1) - 1]
        let targets = type == .update ? query["targetList"] : []
        if let column = distributionColumn(of: entry), targets.contains(where: { $0.number("resno") == column }) {
            faults.append("changes the column that its table is distributed by")
        }
        if targets.contains(where: { !$0.all("SUBSCRIPTINGREF").isEmpty }) {
            faults.append("assigns an array element in SET")
        }
        checkFunctions(in: query, underChoice: false)
    }

    /// Checks all evaluated expressions.
    /// - Returns: whether the tree contains a column.
    @discardableResult
    private mutating func checkFunctions(in tree: NodeTree, underChoice: Bool) -> Bool {
        let isChoice = tree.name == "CASEEXPR" || tree.name == "COALESCEEXPR"
        var hasColumn = tree.name == "VAR"
        for child in tree.children where checkFunctions(in: child, underChoice: underChoice || isChoice) {
            hasColumn = true
        }
        switch ownVolatility(of: tree) {
        case .immutable: break
        case .volatile: faults.append("has a volatile function in what it changes or reads")
        case .stable where hasColumn: faults.append("applies a function that is not immutable to a column")
        case .stable where underChoice: faults.append("has a function in CASE or COALESCE that is not immutable")
        case .stable: break
        }
        // The columns of a subquery are its own.
        return hasColumn && tree.name != "QUERY"
    }

    private func volatility(of tree: NodeTree) -> Catalogue.Volatility {
        tree.children.map { volatility(of: $0) }.reduce(ownVolatility(of: tree), max)
    }

    /// Returns the volatility of a node without its children.
    ///
    /// Unknown functions count as volatile.
    private func ownVolatility(of tree: NodeTree) -> Catalogue.Volatility {
        switch tree.name {
        case "FUNCEXPR": function(tree.number("funcid"))
        case "AGGREF": function(tree.number("aggfnoid"))
        case "WINDOWFUNC": function(tree.number("winfnoid"))
        case "OPEXPR", "DISTINCTEXPR", "NULLIFEXPR", "SCALARARRAYOPEXPR":
            function(tree.number("opno").flatMap { catalogue.operators[$0]?.function })
        case "COERCEVIAIO":
            max(
                function(tree["arg"].first.flatMap(type).flatMap { catalogue.types[$0]?.output }),
                function(tree.number("resulttype").flatMap { catalogue.types[$0]?.input })
            )
        case "SQLVALUEFUNCTION": .stable
        case "NEXTVALUEEXPR", "XMLEXPR", "ARRAYCOERCEEXPR": .volatile
        default: .immutable
        }
    }

    private func function(_ identifier: Int?) -> Catalogue.Volatility {
        identifier.flatMap { catalogue.functions[$0] } ?? .volatile
    }

    /// Returns the result type of a node, if the node has one.
    private func type(of tree: NodeTree) -> Int? {
        let fields = ["vartype", "paramtype", "consttype", "funcresulttype", "opresulttype", "resulttype", "aggtype"]
        return fields.lazy.compactMap(tree.number).first
    }
}
