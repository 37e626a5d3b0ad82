import HTTPTypes

/// The requests that are measured: the ones that players send most, and two that write to several tables.
enum APIRequestKind: String, CaseIterable, Codable, Sendable {
    case register
    case join
    /// `GET /v1/adventures/{adventureID}`, of a boss fight of four.
    case state
    /// The choice of a policy in a boss fight: it may be sent at any time, and takes the way of every command.
    case command

    var method: HTTPRequest.Method {
        switch self {
        case .register, .join, .command: .post
        case .state: .get
        }
    }

    /// As routers write it.
    var route: String {
        switch self {
        case .register: "v1/players"
        case .join: "v1/parties/join"
        case .state: "v1/adventures/:adventureID"
        case .command: "v1/adventures/:adventureID/commands"
        }
    }

    var status: Int {
        switch self {
        case .register: 201
        case .join, .state, .command: 200
        }
    }

    /// Whether the same request can be sent over and over.
    var isRead: Bool {
        switch self {
        case .register, .join, .command: false
        case .state: true
        }
    }
}
