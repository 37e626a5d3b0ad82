import Foundation
import GameCore
import GameEngine
import GameStore
import HTTPServing
import HTTPTypes
import Hummingbird

extension JSONEncoder {
    /// The encoder for routes that are not called often; ``JSONWritable`` serves the others.
    ///
    /// Keys are sorted, so that equal responses have equal bytes.
    fileprivate static var responses: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}

extension EncodedResponse {
    /// Creates a JSON response.
    ///
    /// It is created inside the command's transaction, which may store it as an idempotency record.
    init(status: HTTPResponse.Status, json value: some Encodable) throws {
        self.init(status: status.code, body: String(decoding: try JSONEncoder.responses.encode(value), as: UTF8.self))
    }

    /// Creates a JSON response from a value that writes itself.
    init(status: HTTPResponse.Status, json value: some JSONWritable) {
        self.init(status: status.code, body: String(json: value))
    }

    /// Creates a response with a party and its version.
    init(status: HTTPResponse.Status, party: Party) {
        self.init(
            status: status.code,
            body: String(json: PartyView(party)),
            partyVersion: party.version,
            partyID: party.id
        )
    }
}

extension Response {
    /// Creates a JSON response.
    init(status: HTTPResponse.Status = .ok, json value: some Encodable) throws {
        self.init(status: status, json: ByteBuffer(bytes: try JSONEncoder.responses.encode(value)))
    }

    /// Creates the JSON response of a command whose idempotency record does not have the response itself.
    init(status: HTTPResponse.Status = .ok, json value: some Encodable, isReplayed: Bool) throws {
        try self.init(status: status, json: value)
        headers[.idempotentReplayed] = isReplayed ? "true" : nil
    }

    /// Creates a JSON response from a value that writes itself.
    init(status: HTTPResponse.Status = .ok, json value: some JSONWritable) {
        self.init(status: status, json: ByteBuffer(bytes: value.json))
    }

    /// Creates the response of a command: a new one, or that of the idempotency record.
    init(_ response: EncodedResponse) {
        let status = HTTPResponse.Status(code: response.status)
        if response.body.isEmpty {
            self.init(status: status)
        } else {
            self.init(status: status, json: ByteBuffer(string: response.body))
        }
        headers[.eTag] = response.partyVersion.map(EntityTags.tag(of:))
        headers[.idempotentReplayed] = response.isReplayed ? "true" : nil
        if let quota = response.quota { headers.append(contentsOf: HTTPFields(quota)) }
    }

    /// Creates a response with a party, or 304 if the request has `If-None-Match` with its version.
    init(_ party: Party, for request: APIRequest<PlayerID>) throws {
        if try request.matchesCachedVersion(party.version) {
            self.init(status: .notModified)
        } else {
            self.init(json: PartyView(party))
        }
        headers[.eTag] = EntityTags.tag(of: party.version)
        // Only the client may cache the response, and it must revalidate it.
        headers[.cacheControl] = "private, no-cache"
    }

    private init(status: HTTPResponse.Status, json: ByteBuffer) {
        self.init(
            status: status,
            // Responses are for one caller only, and change often.
            headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: json)
        )
    }
}

extension HTTPFields {
    /// Creates the headers that tell how much of a daily quota is left.
    init(_ quota: QuotaUse) {
        self = [
            .quotaLimit: "\(quota.limit)", .quotaRemaining: "\(quota.remaining)", .quotaReset: "\(quota.resetSeconds)",
        ]
    }
}
