import Encodings
import HTTP2Transport

extension APNsPush: APNsMessage {
    private static let methodField = HTTP2HeaderWriter.Field(":method", "POST")
    private static let pathField = HTTP2HeaderWriter.Field(":path", pathPrefix, isIndexed: false)
    private static let expirationField = HTTP2HeaderWriter.Field(expirationName)
    private static let idField = HTTP2HeaderWriter.Field(idName, isIndexed: false)
    private static let collapseIDField = HTTP2HeaderWriter.Field(collapseIDName, isIndexed: false)

    /// Returns the push as a request.
    ///
    /// Fields that differ between pushes do not enter the peer's HPACK table, except for the expiration, which most
    /// pushes of one second have in common. nghttp2 never indexes `authorization`.
    func request(_ builder: inout APNsRequestBuilder) -> HTTP2ClientRequest {
        builder.request(for: self) { fields in
            fields.add(Self.methodField)
            fields.add(Self.pathField) { deviceToken.appendHex(to: &$0) }
            fields.add(Self.expirationField) { $0.append(contentsOf: String(expirationEpochSeconds).utf8) }
            fields.add(Self.idField) { id.appendLowercaseText(to: &$0) }
            if let collapseID { fields.add(Self.collapseIDField) { $0.append(contentsOf: collapseID.utf8) } }
        }
    }
}
