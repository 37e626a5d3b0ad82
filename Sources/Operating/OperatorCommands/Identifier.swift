import ArgumentParser
import Encodings
import Foundation

/// An identifier on a command line: a UUID, in lower case as the server writes it.
struct Identifier: ExpressibleByArgument {
    let text: String

    init?(argument: String) {
        guard let uuid = UUID(text: argument) else { return nil }
        text = uuid.lowercaseText
    }
}
