import CommandLineSupport
import JSONCoding

/// The response to `GET /admin/v1/adventures/{adventureID}/replay`.
struct ReplayResponse: Decodable, HumanReadable {
    struct Difference: Decodable {
        let explanation: String
        let storedEvent: EventText?
        let replayedEvent: EventText?
        let storedState: String?
        let replayedState: String?
    }

    private enum CodingKeys: CodingKey {
        case events
        case identical
        case difference
    }

    let events: Int
    let identical: Bool
    let difference: Difference?
    /// The names of the heroes in the different events.
    var names = HeroNames()

    /// Whether names of heroes make the difference more readable.
    var needsNames: Bool { difference?.storedEvent != nil || difference?.replayedEvent != nil }

    func lines(fitting width: Int?, paint: Paint) -> [String] {
        guard let difference else { return ["The replay gives the same \(events) events and the same state."] }
        let stored = difference.storedState ?? difference.storedEvent?.text(names)
        let replayed = difference.replayedState ?? difference.replayedEvent?.text(names)
        // The difference of a command that the replay refuses has neither events nor states.
        let sides =
            stored == nil && replayed == nil
            ? [] : Self.side("Stored", stored ?? "nothing") + Self.side("Replayed", replayed ?? "nothing")
        return ([difference.explanation] + sides).map(Printable.text)
    }

    private static func side(_ name: String, _ text: String) -> [String] {
        ["\(name):"] + text.split(separator: "\n").map { "  \($0)" }
    }
}

/// An event as a line with all of its fields, including those of newer servers.
struct EventText: Decodable {
    private let fields: [String: JSONValue]

    init(from decoder: any Decoder) throws {
        fields = try decoder.singleValueContainer().decode([String: JSONValue].self)
    }

    /// Returns the kind and the fields, such as `heroHurt: amount 7, cause hazard, hero 🐳 Spouty`.
    func text(_ names: HeroNames) -> String {
        let kind = fields["kind"]?.text ?? "unknown"
        let others = fields.filter { $0.key != "kind" }.sorted { $0.key < $1.key }
            .map { "\($0.key) \(names.text(of: $0.key, $0.value))" }
        return others.isEmpty ? kind : "\(kind): \(others.joined(separator: ", "))"
    }
}
