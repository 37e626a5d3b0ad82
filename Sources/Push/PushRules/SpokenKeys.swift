import GameCore

/// The sentences that the rules ask phones to say: what an app's String Catalog must have.
public enum SpokenKeys {
    /// Every key, in no order that means anything; each is the English sentence, with `%@`, or `%1$@` and so on, where
    /// something goes in.
    public static let all: [String] =
        Phrase.allCases.map(\.rawValue)
        + RegionCatalogue.all.flatMap { region in
            region.hazards.map(\.telling) + region.rests.map(\.telling) + region.beats.map(\.telling)
        }
}
