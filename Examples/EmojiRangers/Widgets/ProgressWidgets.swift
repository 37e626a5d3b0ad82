import Foundation
import GameCore
import RangersClient
import SwiftUI
import WidgetKit

/// The level and the experience of the player's hero.
struct HeroWidget: Widget {
    var body: some WidgetConfiguration {
        StaticConfiguration(kind: "hero", provider: ProgressProvider()) { entry in HeroView(me: entry.me) }
            .configurationDisplayName("Hero")
            .description("The level and the experience of your hero.")
            .supportedFamilies([.systemSmall])
            .reloadedByPush()
    }
}

/// The best players of the season, and the player's own place.
struct LeaderboardWidget: Widget {
    var body: some WidgetConfiguration {
        StaticConfiguration(kind: "leaderboard", provider: ProgressProvider()) { entry in
            LeaderboardView(board: entry.board)
        }
        .configurationDisplayName("Leaderboard")
        .description("The best rangers of the season.")
        .supportedFamilies([.systemMedium])
        .reloadedByPush()
    }
}

/// What the widgets show; nil for what could not be read.
nonisolated struct ProgressEntry: TimelineEntry {
    let date = Date.now
    var me: PlayerResponse?
    var board: LeaderboardResponse?
}

/// Reads what the widgets show from the server: when a push reloads them, and every hour besides, since others rise, too.
nonisolated struct ProgressProvider: TimelineProvider {
    func placeholder(in context: Context) -> ProgressEntry { ProgressEntry() }

    func getSnapshot(in context: Context, completion: @escaping @Sendable (ProgressEntry) -> Void) {
        Task { completion(await entry()) }
    }

    func getTimeline(in context: Context, completion: @escaping @Sendable (WidgetKit.Timeline<ProgressEntry>) -> Void) {
        Task {
            let entry = await entry()
            let pause: TimeInterval = entry.me == nil || entry.board == nil ? 300 : 3_600
            completion(WidgetKit.Timeline(entries: [entry], policy: .after(.now + pause)))
        }
    }

    private func entry() async -> ProgressEntry {
        guard let player = Session.player else { return ProgressEntry() }
        // A widget without a network shows a placeholder until its next reload.
        async let me = try? player.profile()
        async let board = try? player.leaderboard(.experience)
        return ProgressEntry(me: await me, board: await board)
    }
}

private struct HeroView: View {
    let me: PlayerResponse?

    var body: some View {
        VStack(spacing: 4) {
            Text(me?.hero.avatar ?? "🎒").font(.headline)
            if let me {
                Text(me.hero.name.localized).font(.headline).lineLimit(1)
                Text("⭐️ \(me.hero.level) · \(me.experience ?? 0) XP").font(.caption)
            }
        }
        .containerBackground(.background, for: .widget)
    }
}

private struct LeaderboardView: View {
    let board: LeaderboardResponse?

    /// The best three, and the player, if they are others.
    private var rows: [LeaderboardResponse.Entry] {
        let top = board?.top.prefix(3) ?? []
        let own = top.contains(where: \.isCaller) ? [] : board?.around?.filter(\.isCaller) ?? []
        return top + own
    }

    var body: some View {
        VStack(alignment: .leading, spacing: 4) {
            Text("🏆").font(.headline)
            ForEach(Array(rows.enumerated()), id: \.offset) { _, row in
                HStack {
                    Text("\(row.rank). \(row.hero.avatar) \(row.displayName)").lineLimit(1)
                    Spacer()
                    Text("\(row.score) XP").monospacedDigit()
                }
                .font(.caption)
                .opacity(row.isCaller ? 1 : 0.7)
            }
        }
        .containerBackground(.background, for: .widget)
    }
}

extension WidgetConfiguration {
    /// Lets the server reload the widget by push, which iOS 26 can do.
    fileprivate func reloadedByPush() -> some WidgetConfiguration {
        if #available(iOS 26.0, *) { return pushHandler(ProgressPushHandler.self) }
        return self
    }
}

/// Makes iOS issue a token for the widgets.
///
/// `LiveActivities` in the app reads and reports it.
@available(iOS 26.0, *)
nonisolated struct ProgressPushHandler: WidgetPushHandler {
    func pushTokenDidChange(_ pushInfo: WidgetPushInfo, widgets: [WidgetInfo]) {}
}
