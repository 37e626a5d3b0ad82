import AppIntents
import GameCore
import RangersClient

/// The potion button of the Live Activity.
///
/// iOS runs a `LiveActivityIntent` in the process of the app, in the background. Both targets contain the type, because the
/// widget extension draws the button. The server answers with a push, which shows the new health.
struct PotionIntent: LiveActivityIntent {
    static let title: LocalizedStringResource = "Drink a Potion"
    static let isDiscoverable = false

    @Parameter(title: "Adventure") var adventureID: String

    init() {}

    init(adventureID: String) { self.adventureID = adventureID }

    func perform() async throws -> some IntentResult {
        guard let adventureID = AdventureID(adventureID), let player = Session.player else { return .result() }
        do {
            try await player.run(.potion(target: nil), in: adventureID)
        } catch RangersError.problem(let problem) where problem.type.refusal != nil {
            // The game refuses it, for example because it is another hero's turn: nothing has changed.
        }
        return .result()
    }
}
