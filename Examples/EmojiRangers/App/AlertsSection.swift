import Foundation
import GameCore
import SwiftUI

/// Which alerts ring on this device: each category, and the nights.
struct AlertsSection: View {
    @Environment(Game.self) private var game

    var body: some View {
        Section("Alerts that ring") {
            ForEach(AlertPreferences.Category.allCases, id: \.self) { category in
                let isMuted = game.alerts.muted.contains(category)
                Button("\(isMuted ? "🔕" : "🔔") \(category.title)") {
                    var alerts = game.alerts
                    if isMuted { alerts.muted.remove(category) } else { alerts.muted.insert(category) }
                    game.change(alerts)
                }
            }
            let isQuiet = game.alerts.quietHours != nil
            Button("\(isQuiet ? "🔕" : "🔔") From 10 p.m. to 7 a.m.") {
                var alerts = game.alerts
                alerts.quietHours = isQuiet ? nil : .nights
                game.change(alerts)
            }
        }
    }
}

extension AlertPreferences.Category {
    fileprivate var title: String {
        switch self {
        case .ownTurn: "Your turn"
        case .companions: "Companions who are down"
        case .danger: "Your hero in danger or down"
        case .boss: "Bosses"
        }
    }
}

extension AlertPreferences.QuietHours {
    fileprivate static var nights: Self {
        Self(from: 22 * 60, to: 7 * 60, timeZone: TimeZone.current.identifier)
    }
}
