import SwiftUI
import UIKit

@main
struct EmojiRangersApp: App {
    @UIApplicationDelegateAdaptor(AppDelegate.self) private var delegate

    var body: some Scene {
        WindowGroup {
            RootView()
                .environment(Game.shared)
                .onOpenURL { url in Game.shared.open(url) }
        }
    }
}

final class AppDelegate: NSObject, UIApplicationDelegate {
    /// Runs at each launch, also when a push starts a Live Activity and wakes the app without its windows.
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]? = nil
    ) -> Bool {
        Game.shared.launch()
        application.registerForRemoteNotifications()
        return true
    }

    /// The token for ordinary alerts.
    func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {
        Game.shared.alertTokenChanged(to: deviceToken)
    }
}
