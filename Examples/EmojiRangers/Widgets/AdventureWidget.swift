import ActivityKit
import LiveActivityContent
import SwiftUI
import WidgetKit

@main
struct EmojiRangersWidgets: WidgetBundle {
    var body: some Widget {
        AdventureWidget()
        RaidWidget()
        SpectatorWidget()
        HeroWidget()
        LeaderboardWidget()
    }
}

/// The Live Activity of an adventure, in every presentation.
struct AdventureWidget: Widget {
    var body: some WidgetConfiguration {
        ActivityConfiguration(for: AdventureAttributes.self) { context in
            BannerView(context: context)
                .widgetURL(DeepLink.url(of: context.attributes))
                .activityBackgroundTint(.black.opacity(0.7))
                .activitySystemActionForegroundColor(.white)
        } dynamicIsland: { context in
            DynamicIsland {
                DynamicIslandExpandedRegion(.leading) {
                    HealthRing(level: context.state.currentHealthLevel) { Text(context.attributes.heroAvatar) }
                }
                DynamicIslandExpandedRegion(.trailing) { TurnView(state: context.state) }
                DynamicIslandExpandedRegion(.center) {
                    Text(context.attributes.heroName.localized).font(.headline).lineLimit(1)
                    if let hero = context.attributes.hero {
                        Text("⭐️ \(hero.level) · \(hero.exp) XP · 💪 \(hero.power)").font(.caption).lineLimit(1)
                    }
                }
                DynamicIslandExpandedRegion(.bottom) {
                    PartyView(attributes: context.attributes, state: context.state)
                    EventView(context: context)
                }
            } compactLeading: {
                Text(context.attributes.heroAvatar)
            } compactTrailing: {
                HealthRing(level: context.state.currentHealthLevel) {
                    Text(context.state.currentHealthLevel.percent).font(.caption2)
                }
            } minimal: {
                HealthRing(level: context.state.currentHealthLevel) { Text(context.attributes.heroAvatar) }
            }
            .widgetURL(DeepLink.url(of: context.attributes))
            .keylineTint(context.state.currentHealthLevel.healthColor)
        }
        .supplementalActivityFamilies([.small])
    }
}

/// The presentation of the Lock Screen and StandBy, and the small one of Apple Watch and CarPlay.
private struct BannerView: View {
    let context: ActivityViewContext<AdventureAttributes>
    @Environment(\.activityFamily) private var family
    @Environment(\.isActivityFullscreen) private var isStandBy

    var body: some View {
        switch family {
        case .small:
            HStack {
                HealthRing(level: context.state.currentHealthLevel) { Text(context.attributes.heroAvatar) }
                VStack(alignment: .leading) {
                    TurnView(state: context.state)
                    Text(context.state.event.localized).font(.caption).lineLimit(2)
                }
            }
            .opacity(context.isStale ? 0.5 : 1)
        default:
            VStack(alignment: .leading, spacing: 8) {
                HStack {
                    Text(context.attributes.partyName).font(.headline).lineLimit(1)
                    Spacer()
                    TurnView(state: context.state)
                }
                PartyView(attributes: context.attributes, state: context.state)
                EventView(context: context)
            }
            // StandBy shows the Lock Screen's view at twice its size, up to the edges.
            .padding(isStandBy ? 8 : 16)
        }
    }
}
