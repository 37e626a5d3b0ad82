import Foundation
import Testing

@testable import Benchmarks

extension Report {
    /// The JSON object.
    var object: [String: Any] {
        get throws {
            try #require(try JSONSerialization.jsonObject(with: Data(try json.utf8)) as? [String: Any])
        }
    }
}
