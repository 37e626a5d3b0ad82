import GameCore

/// The keys of all sentences that the rules send to phones, which an app's String Catalog must contain.
public enum LocalizationKeys {
    /// Every key, in no particular order.
    ///
    /// A key is the English sentence, with `%@`, or `%1$@`, `%2$@` and so on, in place of its arguments.
    public static let all: [String] =
        Phrase.allCases.map(\.rawValue)
        + RegionCatalogue.all.flatMap { region in
            region.hazards.map(\.narration) + region.rests.map(\.narration) + region.beats.map(\.narration)
        }
}
