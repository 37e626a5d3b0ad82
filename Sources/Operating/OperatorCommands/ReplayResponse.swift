import CommandLineSupport

/// The response to `GET /admin/v1/adventures/{adventureID}/replay`.
struct ReplayResponse: Decodable, HumanReadable {
    let identical: Bool
    let events: Int?
    let difference: String?

    func lines(fitting width: Int?, paint: Paint) -> [String] {
        if identical { return ["The replay gives the same \(events ?? 0) events and the same state."] }
        return [Printable.text("The replay differs: \(difference ?? "the server does not say where").")]
    }
}
