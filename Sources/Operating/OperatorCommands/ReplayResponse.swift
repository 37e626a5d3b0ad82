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

    let events: Int
    let identical: Bool
    let difference: Difference?

    func lines(fitting width: Int?, paint: Paint) -> [String] {
        guard let difference else { return ["The replay gives the same \(events) events and the same state."] }
        let stored = difference.storedState ?? difference.storedEvent?.text
        let replayed = difference.replayedState ?? difference.replayedEvent?.text
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
    /// The kind and the fields, such as `heroHurt: amount 7, cause hazard, hero 2`.
    let text: String

    init(from decoder: any Decoder) throws {
        var fields = try decoder.singleValueContainer().decode([String: JSONValue].self)
        let kind = fields.removeValue(forKey: "kind")?.text ?? "unknown"
        let others = fields.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.text)" }
        text = others.isEmpty ? kind : "\(kind): \(others.joined(separator: ", "))"
    }
}
