import Foundation
import HTTP2Transport

/// A fault of the peer.
enum Fault {
    /// Lowers the limit of streams from 1,000 to 1 while all 1,000 are in use.
    case limitFalls
    /// Sends GOAWAY when 1,000 streams are open: the older half has responses, the newer half is not processed.
    case goAwayInTheMiddle
    /// Resets each request with a body before the body has arrived.
    case resetInMidRequest
    /// Kills the process at the tenth request.
    case die
    /// Has a flow-control window of 0 for bodies.
    case noWindow
    /// Rejects every request with this status and reason.
    case storm(status: Int, reason: String)
    /// Rejects provider tokens older than an hour by this machine's clock.
    ///
    /// Other responses have the key's identifier and the number of rejections so far, as `apns-unique-id`.
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

    /// Applies the fault to the server's configuration.
    func configure(_ configuration: inout HTTP2Server.Configuration) {
        switch self {
        case .resetInMidRequest: configuration.maxBodyBytes = 0
        case .noWindow: configuration.windowBytes = 0
        case .limitFalls, .goAwayInTheMiddle, .die, .storm, .tokens: break
        }
    }
}
