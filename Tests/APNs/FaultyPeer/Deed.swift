import Foundation
import HTTP2Transport

/// What the peer does wrong, or only seldom.
enum Deed {
    /// The limit of streams falls from 1,000 to 1 when all 1,000 are in use.
    case limitFalls
    /// GOAWAY when 1,000 streams are open: the older half is answered, the younger half was not processed.
    case goAwayInTheMiddle
    /// Each request with a body is reset before the body is there.
    case resetInMidRequest
    /// The process dies with the tenth request, whatever else is on its way.
    case die
    /// No body is ever given room.
    case noWindow
    /// Every request is refused with that status and Apple's reason.
    case storm(status: Int, reason: String)
    /// Provider tokens of more than an hour are refused, by this machine's clock; answers to others tell their key's
    /// identifier and how many were refused before, as `apns-unique-id`.
    case tokens

    init?(_ words: [String]) {
        switch (words.first, words.count) {
        case ("limit-falls", 1): self = .limitFalls
        case ("go-away", 1): self = .goAwayInTheMiddle
        case ("reset", 1): self = .resetInMidRequest
        case ("die", 1): self = .die
        case ("no-window", 1): self = .noWindow
        case ("storm", 3):
            guard let status = Int(words[1]) else { return nil }
            self = .storm(status: status, reason: words[2])
        case ("tokens", 1): self = .tokens
        default: return nil
        }
    }

    /// What the server is to be told before it begins.
    func configure(_ configuration: inout HTTP2Server.Configuration) {
        switch self {
        case .resetInMidRequest: configuration.maxBodyBytes = 0
        case .noWindow: configuration.windowBytes = 0
        case .limitFalls, .goAwayInTheMiddle, .die, .storm, .tokens: break
        }
    }
}
