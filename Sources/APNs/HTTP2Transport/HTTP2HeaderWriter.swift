/// Writes the fields of requests, of one request after another, into a buffer that it reuses.
///
/// The constant parts of the fields are encoded once.
public struct HTTP2HeaderWriter {
    /// A field of which many requests have the name and the beginning of the value in common.
    public struct Field: Sendable {
        fileprivate let bytes: [UInt8]
        fileprivate let nameBytes: Int
        fileprivate let isIndexed: Bool

        /// Encodes a field.
        /// - Parameters:
        ///   - name: the name, in lower case.
        ///   - start: the beginning of the value.
        ///   - isIndexed: whether the field may enter the peer's HPACK table.
        public init(_ name: String, _ start: String = "", isIndexed: Bool = true) {
            bytes = HTTP2HeaderBlock([HTTP2Header(name, start, isIndexed: isIndexed)]).copiedBytes
            nameBytes = name.utf8.count
            self.isIndexed = isIndexed
        }
    }

    private var bytes: [UInt8] = []

    /// Creates a writer without fields.
    public init() {}

    /// Adds a field to the current request.
    /// - Parameters:
    ///   - field: the constant part.
    ///   - appendEnd: appends the end of the value.
    public mutating func add(_ field: Field, _ appendEnd: (inout [UInt8]) -> Void = { _ in }) {
        let start = bytes.count
        bytes.append(contentsOf: field.bytes)
        appendEnd(&bytes)
        HTTP2HeaderBlock.setValueBytes(ofFieldAt: start, in: &bytes, nameBytes: field.nameBytes, field.isIndexed)
    }

    /// Returns the fields of the current request, and begins the next one.
    mutating func take() -> HTTP2HeaderBlock {
        defer { bytes.removeAll(keepingCapacity: true) }
        return HTTP2HeaderBlock(copying: bytes)
    }
}
