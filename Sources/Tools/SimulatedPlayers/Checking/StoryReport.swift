import CommandLineSupport

/// How a story went: what each phone got, and whether all that must hold does.
public struct StoryReport: Encodable, Sendable {
    private enum CodingKeys: CodingKey {
        case holds
        case phones
        case conditions
    }

    /// What each phone got.
    public let phones: [PhoneSummary]
    /// What must hold, in the order of its telling.
    public let conditions: [StoryCondition]

    /// Whether every condition holds.
    public var holds: Bool { conditions.allSatisfy(\.holds) }

    /// For people: a table by phone and priority, then the conditions and what is wrong with them.
    public var lines: [String] {
        table.lines(fitting: nil) + [""] + conditions.flatMap(lines(for:))
    }

    /// For scripts.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(holds, forKey: .holds)
        try container.encode(phones, forKey: .phones)
        try container.encode(conditions, forKey: .conditions)
    }

    private var table: Table {
        Table(
            [
                .init("PHONE"), .init("LANGUAGE"), .init("FREQUENT"), .init("JOURNEY 5", isNumber: true),
                .init("JOURNEY 10", isNumber: true), .init("FIGHT 5", isNumber: true),
                .init("FIGHT 10", isNumber: true),
                .init("ALERTS", isNumber: true), .init("ENDS", isNumber: true), .init("LAST STATE"),
            ],
            rows: phones.map { phone in
                [
                    phone.phone, phone.locale, phone.frequentPushesEnabled ? "yes" : "no",
                    "\(phone.journey.priority5)", "\(phone.journey.priority10)",
                    "\(phone.bossFight.priority5)", "\(phone.bossFight.priority10)",
                    "\(phone.alerts)", "\(phone.ends)", phone.isLastStateRight ? "right" : "WRONG",
                ]
            }
        )
    }

    private func lines(for condition: StoryCondition) -> [String] {
        let note = condition.note.map { " (\($0))" } ?? ""
        return ["\(condition.holds ? "✔" : "✘") \(condition.condition)\(note)"] + condition.faults.map { "    \($0)" }
    }
}
