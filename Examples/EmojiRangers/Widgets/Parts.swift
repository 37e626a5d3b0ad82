import AppIntents
import Foundation
import LiveActivityContent
import SwiftUI
import WidgetKit

/// A ring of health around a label.
struct HealthRing<Label: View>: View {
    let level: Double
    @ViewBuilder let label: Label

    var body: some View {
        ZStack {
            Circle().stroke(level.healthColor.opacity(0.3), lineWidth: 3)
            Circle().trim(from: 0, to: level)
                .stroke(level.healthColor, style: StrokeStyle(lineWidth: 3, lineCap: .round))
                .rotationEffect(.degrees(-90))
            label.minimumScaleFactor(0.5).padding(5)
        }
        .aspectRatio(1, contentMode: .fit)
        .frame(maxHeight: 48)
        .accessibilityLabel(level.percent)
    }
}

/// The heroes and the boss with their health.
struct PartyView: View {
    /// Nil for spectators.
    let attributes: AdventureAttributes?
    let state: AdventureAttributes.ContentState

    var body: some View {
        HStack(spacing: 6) {
            // The hero at an index never changes.
            ForEach(Array(state.heroes.enumerated()), id: \.offset) { index, hero in
                bar(hero.isDown ? "💤" : hero.avatar, name(of: hero, at: index), hero.healthLevel)
                    .opacity(index == state.turn?.heroIndex || state.turn == nil ? 1 : 0.7)
            }
            if let boss = state.boss { bar(boss.avatar, boss.name.localized, boss.healthLevel) }
        }
    }

    /// The player of a hero whom several players have brought, and otherwise the hero.
    private func name(of hero: AdventureAttributes.HeroState, at index: Int) -> String {
        attributes?.playerName(ofHeroAt: index) ?? hero.name.localized
    }

    private func bar(_ avatar: String, _ name: String, _ level: Double) -> some View {
        VStack(spacing: 2) {
            Text(avatar)
            ProgressView(value: level).tint(level.healthColor)
            Text(name).font(.caption2).lineLimit(1)
        }
        .accessibilityElement(children: .ignore)
        .accessibilityLabel("\(name) \(level.percent)")
    }
}

/// The hero or boss whose turn it is, with a countdown that needs no push; outside a fight the own health.
struct TurnView: View {
    let state: AdventureAttributes.ContentState

    var body: some View {
        if let turn = state.turn {
            HStack(spacing: 4) {
                Text(avatar(of: turn))
                if let end = turn.endsEpochSeconds.map({ Date(timeIntervalSince1970: Double($0)) }), end > .now {
                    Text(timerInterval: .now...end, countsDown: true).monospacedDigit().frame(maxWidth: 48)
                }
            }
        } else {
            Text(state.isOver ? "🏁" : state.currentHealthLevel.percent)
        }
    }

    private func avatar(of turn: AdventureAttributes.TurnState) -> String {
        guard let index = turn.heroIndex else { return state.boss?.avatar ?? "" }
        return state.heroes.indices.contains(index) ? state.heroes[index].avatar : ""
    }
}

/// The last event in the phone's language.
struct EventText: View {
    let event: LocalizableText
    let isStale: Bool

    var body: some View {
        VStack(alignment: .leading) {
            Text(event.localized).font(.subheadline).lineLimit(2)
            // No push has come for so long that the health may be wrong.
            if isStale { Text("⚠️ Open the app for the latest.").font(.caption) }
        }
    }
}

/// The last event, and the potion button while the hero is hurt and stands.
struct EventView: View {
    let context: ActivityViewContext<AdventureAttributes>

    var body: some View {
        HStack {
            EventText(event: context.state.event, isStale: context.isStale)
            Spacer()
            if context.state.currentHealthLevel > 0, context.state.currentHealthLevel < 1, !context.state.isOver {
                Button(intent: PotionIntent(adventureID: context.attributes.adventureID)) { Text("🧪") }
                    .tint(context.state.currentHealthLevel.healthColor)
                    .accessibilityLabel("Drink a Potion")
            }
        }
    }
}

extension Double {
    /// A health level as a percentage.
    var percent: String { formatted(.percent.precision(.fractionLength(0))) }
    /// Red for a hero in danger: at a fifth of the health or less.
    var healthColor: Color { self <= 0.2 ? .red : .green }
}

extension String {
    /// A name of the game in the phone's language, from the String Catalog of the extension.
    var localized: String { NSLocalizedString(self, comment: "") }
}

extension LocalizableText {
    /// The sentence in the phone's language, from the String Catalog of the extension.
    var localized: String { localized(by: \.localized) }
}
