import ArgumentParser

/// A server by its address, and the file of the authority that vouches for it.
struct PushPeer: Hashable, Sendable {
    let host: String
    let port: Int
    let caFile: String?

    /// Whether it is known to listen on 127.0.0.1.
    var isHere: Bool { ["127.0.0.1", "localhost"].contains(host) }

    var url: String { "https://\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}

/// `HOST:PORT` on the command line; an IPv6 address is in brackets.
struct PushAddress: ExpressibleByArgument, Hashable, Sendable {
    let host: String
    let port: Int

    init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    init?(argument: String) {
        guard let colon = argument.lastIndex(of: ":"), let port = Int(argument[argument.index(after: colon)...]),
            (1...65_535).contains(port)
        else { return nil }
        let host = argument[..<colon]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        guard !host.isEmpty, isBracketed || !host.contains(":") else { return nil }
        self.init(host: String(isBracketed ? host.dropFirst().dropLast() : host), port: port)
    }

    var text: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}
