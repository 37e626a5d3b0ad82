import ArgumentParser
import Encodings
import Foundation

/// A command-line argument that is a UUID.
struct UUIDArgument: ExpressibleByArgument {
    /// The UUID in lower case, as the server writes it.
    let text: String

    init?(argument: String) {
        guard let uuid = UUID(text: argument) else { return nil }
        text = uuid.lowercaseText
    }
}
