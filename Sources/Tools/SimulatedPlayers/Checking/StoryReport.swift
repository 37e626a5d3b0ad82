import CommandLineSupport

/// The report of a story: each phone's pushes and the conditions.
public struct StoryReport: Encodable, Sendable {
    private enum CodingKeys: CodingKey {
        case holds
        case phones
        case changedByVisitors
        case conditions
    }

    /// Each phone's pushes.
    public let phones: [PhoneSummary]
    /// The phones that are not judged, since a visitor of the page has changed them.
    public let changedByVisitors: [String]
    /// The conditions in display order.
    public let conditions: [StoryCondition]

    /// Whether every condition holds.
    public var holds: Bool { conditions.allSatisfy(\.holds) }

    /// The report as text: a table of phones, then the conditions with their faults.
    public var lines: [String] {
        table.lines(fitting: nil) + [""] + conditions.flatMap(\.lines)
            + changedByVisitors.map { "– not judged, since a visitor has changed it: \($0)" }
    }

    /// Encodes the report for scripts.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(holds, forKey: .holds)
        try container.encode(phones, forKey: .phones)
        try container.encode(changedByVisitors, forKey: .changedByVisitors)
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
}
