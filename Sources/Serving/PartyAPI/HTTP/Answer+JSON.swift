import GameCore
import GameEngine
import HTTPTypes
import Hummingbird

extension Answer {
    /// An answer that is made, and maybe kept, inside a command's transaction.
    init(status: HTTPResponse.Status, json value: some Encodable) throws {
        self.init(status: status.code, body: try JSON.encode(value))
    }

    /// A party, with its version.
    init(status: HTTPResponse.Status, party: Party) throws {
        self.init(status: status.code, body: try JSON.encode(PartyView(party)), partyVersion: party.version)
    }
}

extension Response {
    /// An answer in JSON.
    init(status: HTTPResponse.Status = .ok, json value: some Encodable, contentType: String = "application/json") throws
    {
        self.init(status: status, json: ByteBuffer(bytes: try JSON.bytes(of: value)), contentType: contentType)
    }

    /// An answer that writes itself.
    init(status: HTTPResponse.Status = .ok, json value: some JSONWritable) {
        self.init(status: status, json: ByteBuffer(bytes: JSON.bytes(of: value)), contentType: "application/json")
    }

    /// The answer that a command has made or found kept.
    init(_ answer: Answer) {
        let status = HTTPResponse.Status(code: answer.status)
        if answer.body.isEmpty {
            self.init(status: status)
        } else {
            self.init(status: status, json: ByteBuffer(string: answer.body), contentType: "application/json")
        }
        headers[.eTag] = answer.partyVersion.map(EntityTags.tag(of:))
    }

    /// A party, or 304 when the client has it already at that version.
    init(_ party: Party, asked call: Call<PlayerID>) throws {
        if try call.hasAlready(version: party.version) {
            self.init(status: .notModified)
        } else {
            try self.init(json: PartyView(party))
        }
        headers[.eTag] = EntityTags.tag(of: party.version)
        // To be kept by nobody but the phone, and asked about each time.
        headers[.cacheControl] = "private, no-cache"
    }

    private init(status: HTTPResponse.Status, json: ByteBuffer, contentType: String) {
        self.init(
            status: status,
            // Everything here is somebody's own, and changes all the time.
            headers: [.contentType: contentType, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: json)
        )
    }
}
