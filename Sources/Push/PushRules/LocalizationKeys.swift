import GameCore
import LiveActivityContent

/// The keys of all texts that phones look up, which an app's String Catalog must contain.
public enum LocalizationKeys {
    /// Every key, in no particular order.
    ///
    /// A key is the English text; a sentence has `%@`, or `%1$@`, `%2$@` and so on, in place of its arguments.
    public static let all: [String] = Phrase.allCases.map(\.rawValue) + narrations + names + Array(namingSentences)

    /// The sentences of hazards, rests and story beats.
    static let narrations = RegionCatalogue.all.flatMap { region in
        region.hazards.map(\.narration) + region.rests.map(\.narration) + region.beats.map(\.narration)
    }

    /// The names of heroes, signature moves, bosses, items, regions, locations and foes, which are arguments of sentences.
    public static let names: [String] =
        HeroCatalogue.all.flatMap { [$0.name, $0.signatureMove.name] }
        + BossCatalogue.all.map(\.name)
        + ItemCatalogue.all.map(\.name)
        + RegionCatalogue.all.flatMap { [$0.name] + $0.locations.map(\.name) + $0.foes.map(\.name) }

    /// The sentences of alerts with the name of a hero or a boss, a key for each sentence and name; the name of a player is
    /// an argument.
    static let namingSentences = Set(
        Phrase.alertsOfHeroes.flatMap { phrase in HeroCatalogue.all.map { phrase($0.name).english } }
            + Phrase.alertsOfPlayers.flatMap { phrase in HeroCatalogue.all.map { phrase("%@", $0.name).english } }
            + Phrase.alertsOfBosses.flatMap { phrase in BossCatalogue.all.map { phrase($0.name).english } }
    )
}

extension LocalizableText {
    /// The sentence of an alert with the name of its hero or boss, the last argument, in the key, if there is such a key.
    ///
    /// iOS looks up the key of an alert, but not its arguments.
    var withNameInKey: Self {
        guard let name = args.last else { return self }
        let others = args.dropLast()
        let key = Self(key: key, args: others.map { _ in "%@" } + [name]).english
        return LocalizationKeys.namingSentences.contains(key) ? Self(key: key, args: Array(others)) : self
    }
}
