import ArgumentParser
import Foundation

/// The address of a server on the command line.
struct ServerAddress: ExpressibleByArgument {
    let url: URL

    init?(argument: String) {
        guard let url = URL(string: argument), ["http", "https"].contains(url.scheme), url.host() != nil else {
            return nil
        }
        self.url = url
    }
}
