import ActivityKit
import Foundation
import LiveActivityContent
import SwiftUI
import WidgetKit

/// The Live Activity of a raid, which broadcasts to the raid's channel update: the same for all players.
struct RaidWidget: Widget {
    var body: some WidgetConfiguration {
        ActivityConfiguration(for: RaidAttributes.self) { context in
            RaidBannerView(context: context)
                .widgetURL(DeepLink.url(of: context.attributes))
                .activityBackgroundTint(.black.opacity(0.7))
                .activitySystemActionForegroundColor(.white)
        } dynamicIsland: { context in
            DynamicIsland {
                DynamicIslandExpandedRegion(.leading) { RaidRing(context: context) }
                DynamicIslandExpandedRegion(.trailing) { RaidTimeView(state: context.state) }
                DynamicIslandExpandedRegion(.center) {
                    Text(context.attributes.bossName.localized).font(.headline).lineLimit(1)
                    RaidHealthText(state: context.state)
                }
                DynamicIslandExpandedRegion(.bottom) {
                    RaidFactsView(state: context.state)
                    EventText(event: context.state.event, isStale: context.isStale)
                }
            } compactLeading: {
                Text(context.attributes.bossAvatar)
            } compactTrailing: {
                HealthRing(level: context.state.boss.healthLevel) {
                    Text(context.state.boss.healthLevel.percent).font(.caption2)
                }
            } minimal: {
                RaidRing(context: context)
            }
            .widgetURL(DeepLink.url(of: context.attributes))
            .keylineTint(context.state.boss.healthLevel.healthColor)
        }
        .supplementalActivityFamilies([.small])
    }
}

/// The presentation of the Lock Screen and StandBy, and the small one of Apple Watch and CarPlay.
private struct RaidBannerView: View {
    let context: ActivityViewContext<RaidAttributes>
    @Environment(\.activityFamily) private var family
    @Environment(\.isActivityFullscreen) private var isStandBy

    var body: some View {
        switch family {
        case .small:
            HStack {
                RaidRing(context: context)
                VStack(alignment: .leading) {
                    RaidTimeView(state: context.state)
                    Text(context.state.event.localized).font(.caption).lineLimit(2)
                }
            }
            .opacity(context.isStale ? 0.5 : 1)
        default:
            VStack(alignment: .leading, spacing: 8) {
                HStack {
                    Text("\(context.attributes.bossAvatar) \(context.attributes.bossName.localized)")
                        .font(.headline).lineLimit(1)
                    Spacer()
                    RaidTimeView(state: context.state)
                }
                ProgressView(value: context.state.boss.healthLevel)
                    .tint(context.state.boss.healthLevel.healthColor)
                    .accessibilityLabel(context.state.boss.healthLevel.percent)
                HStack {
                    RaidHealthText(state: context.state)
                    Spacer()
                    RaidFactsView(state: context.state)
                }
                EventText(event: context.state.event, isStale: context.isStale)
            }
            .padding(isStandBy ? 8 : 16)
        }
    }
}

/// The common boss in the ring of its health.
private struct RaidRing: View {
    let context: ActivityViewContext<RaidAttributes>

    var body: some View {
        HealthRing(level: context.state.boss.healthLevel) { Text(context.attributes.bossAvatar) }
    }
}

/// The health that the boss has left, in numbers.
private struct RaidHealthText: View {
    let state: RaidActivityState

    var body: some View {
        Text("❤️ \(state.health) / \(state.maximumHealth)").font(.caption).monospacedDigit().lineLimit(1)
    }
}

/// The phase of the boss, the number of parties, and the biggest blow.
private struct RaidFactsView: View {
    let state: RaidActivityState

    var body: some View {
        HStack(spacing: 8) {
            if state.phase > 1 { Text("🔥 \(state.phase)").accessibilityLabel("Phase \(state.phase)") }
            Text("👥 \(state.parties)").accessibilityLabel("Parties: \(state.parties)")
            if let blow = state.biggestBlow { Text("💥 \(blow)").accessibilityLabel("Biggest blow: \(blow)") }
        }
        .font(.caption)
    }
}

/// The time until the boss escapes, as a countdown that needs no push; a flag after the end of the raid.
private struct RaidTimeView: View {
    let state: RaidActivityState

    var body: some View {
        let end = Date(timeIntervalSince1970: Double(state.endsEpochSeconds))
        if state.outcome == nil, end > .now {
            Text(timerInterval: .now...end, countsDown: true).monospacedDigit().frame(maxWidth: 72)
        } else {
            Text("🏁")
        }
    }
}
