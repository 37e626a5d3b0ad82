import ArgumentParser
import Foundation

/// An identifier on a command line: a UUID, in lower case as the server writes it.
struct Identifier: ExpressibleByArgument {
    let text: String

    init?(argument: String) {
        guard let uuid = UUID(uuidString: argument) else { return nil }
        text = uuid.uuidString.lowercased()
    }
}
