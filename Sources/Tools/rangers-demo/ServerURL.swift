import ArgumentParser
import Foundation

/// The URL of a server, as an option's value.
struct ServerURL: ExpressibleByArgument {
    let url: URL

    init?(argument: String) {
        guard let url = URL(string: argument), ["http", "https"].contains(url.scheme), url.host() != nil else {
            return nil
        }
        self.url = url
    }
}
