import HTTPTypes
import Hummingbird

/// The phone wall's pages: files that are embedded in the program.
enum WallPage {
    /// The `Content-Security-Policy` of all files; the page is self-contained, so it allows no other origin.
    private static let contentSecurityPolicy = "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'"

    /// Returns a file of the page; nil for an unknown name.
    static func response(for name: String) -> Response? {
        switch name {
        case "index.html": response(PackageResources.index_html, "text/html; charset=utf-8")
        case "raid.html": response(PackageResources.raid_html, "text/html; charset=utf-8")
        case "wall.css": response(PackageResources.wall_css, "text/css; charset=utf-8")
        case "raid.css": response(PackageResources.raid_css, "text/css; charset=utf-8")
        case "devices.css": response(PackageResources.devices_css, "text/css; charset=utf-8")
        default: script(name).map { response($0, "text/javascript; charset=utf-8") }
        }
    }

    /// Returns a sound of the app's alerts; nil for an unknown name.
    static func sound(for name: String) -> Response? {
        AlertSounds.file(name).map { response($0, "audio/wav") }
    }

    /// Returns a JavaScript module; nil for an unknown name.
    private static func script(_ name: String) -> [UInt8]? {
        switch name {
        case "activity.js": PackageResources.activity_js
        case "api.js": PackageResources.api_js
        case "chart.js": PackageResources.chart_js
        case "controls.js": PackageResources.controls_js
        case "copyable.js": PackageResources.copyable_js
        case "dom.js": PackageResources.dom_js
        case "faults.js": PackageResources.faults_js
        case "fighter.js": PackageResources.fighter_js
        case "frames.js": PackageResources.frames_js
        case "game.js": PackageResources.game_js
        case "glance.js": PackageResources.glance_js
        case "island.js": PackageResources.island_js
        case "languages.js": PackageResources.languages_js
        case "log.js": PackageResources.log_js
        case "notifications.js": PackageResources.notifications_js
        case "phone.js": PackageResources.phone_js
        case "player.js": PackageResources.player_js
        case "presentations.js": PackageResources.presentations_js
        case "raid.js": PackageResources.raid_js
        case "sound.js": PackageResources.sound_js
        case "texts.js": PackageResources.texts_js
        case "wall.js": PackageResources.wall_js
        case "watch.js": PackageResources.watch_js
        case "widgets.js": PackageResources.widgets_js
        default: nil
        }
    }

    private static func response(_ bytes: [UInt8], _ contentType: String) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: contentType,
                // The browser must not combine a new simulator with an old page.
                .cacheControl: "no-cache",
                .contentSecurityPolicy: contentSecurityPolicy,
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        )
    }
}
