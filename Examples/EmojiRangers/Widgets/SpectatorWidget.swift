import ActivityKit
import LiveActivityContent
import SwiftUI
import WidgetKit

/// The Live Activity of a spectator, which broadcasts to the party's channel update: an adventure without names of players.
struct SpectatorWidget: Widget {
    var body: some WidgetConfiguration {
        ActivityConfiguration(for: SpectatorAttributes.self) { context in
            SpectatorBannerView(context: context)
                .widgetURL(DeepLink.urlOfLastParty)
                .activityBackgroundTint(.black.opacity(0.7))
                .activitySystemActionForegroundColor(.white)
        } dynamicIsland: { context in
            DynamicIsland {
                DynamicIslandExpandedRegion(.leading) { Text("👀").font(.title) }
                DynamicIslandExpandedRegion(.trailing) { TurnView(state: context.state) }
                DynamicIslandExpandedRegion(.bottom) {
                    PartyView(attributes: nil, state: context.state)
                    EventText(event: context.state.event, isStale: context.isStale)
                }
            } compactLeading: {
                Text("👀")
            } compactTrailing: {
                HealthRing(level: context.state.watchedLevel) { Text(context.state.watchedAvatar) }
            } minimal: {
                HealthRing(level: context.state.watchedLevel) { Text(context.state.watchedAvatar) }
            }
            .widgetURL(DeepLink.urlOfLastParty)
            .keylineTint(context.state.watchedLevel.healthColor)
        }
        .supplementalActivityFamilies([.small])
    }
}

/// The presentation of the Lock Screen and StandBy, and the small one of Apple Watch and CarPlay.
private struct SpectatorBannerView: View {
    let context: ActivityViewContext<SpectatorAttributes>
    @Environment(\.activityFamily) private var family
    @Environment(\.isActivityFullscreen) private var isStandBy

    var body: some View {
        switch family {
        case .small:
            HStack {
                HealthRing(level: context.state.watchedLevel) { Text(context.state.watchedAvatar) }
                VStack(alignment: .leading) {
                    TurnView(state: context.state)
                    Text(context.state.event.localized).font(.caption).lineLimit(2)
                }
            }
            .opacity(context.isStale ? 0.5 : 1)
        default:
            VStack(alignment: .leading, spacing: 8) {
                HStack {
                    Text("👀").font(.headline)
                    Spacer()
                    TurnView(state: context.state)
                }
                PartyView(attributes: nil, state: context.state)
                EventText(event: context.state.event, isStale: context.isStale)
            }
            .padding(isStandBy ? 8 : 16)
        }
    }
}

extension AdventureAttributes.ContentState {
    /// The emoji of the boss; on a journey that of the first hero.
    fileprivate var watchedAvatar: String { boss?.avatar ?? heroes.first?.avatar ?? "👀" }
    /// The health of the same.
    fileprivate var watchedLevel: Double { boss?.healthLevel ?? currentHealthLevel }
}
