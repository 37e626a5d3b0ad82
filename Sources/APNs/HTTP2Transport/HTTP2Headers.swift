import CNGHTTP2
import Glibc

/// An ordered list of header fields, whose copies share their storage.
///
/// Create fields that many requests have in common once; all requests send them from the same storage. Received
/// fields become strings only on access.
public struct HTTP2Headers: Sendable {
    private let block: HTTP2HeaderBlock
    /// The offset of the first field in the block.
    private let start: Int

    private init(_ block: HTTP2HeaderBlock, from start: Int) {
        self.block = block
        self.start = start
    }

    /// Creates a list of fields.
    public init(_ fields: [HTTP2Header]) {
        self.init(fields.isEmpty ? .empty : HTTP2HeaderBlock(fields), from: 0)
    }

    /// Creates a list of all fields of a block.
    init(_ block: HTTP2HeaderBlock) {
        self.init(block, from: 0)
    }

    /// The value of the first field with a name, which must be in lower case.
    public subscript(name: String) -> String? {
        withField(name) { unsafe String(decoding: $0.value, as: UTF8.self) }
    }

    /// Reads the value of the first field with a name, as UTF-8, without creating a string.
    ///
    /// - Returns: the result of `read`; nil if there is no such field.
    public func withValue<Result>(of name: String, _ read: (Span<UInt8>) -> Result?) -> Result? {
        withField(name) { unsafe read($0.value.span) } ?? nil
    }

    private func withField<Result>(_ name: String, _ read: (HTTP2HeaderBlock.Field) -> Result) -> Result? {
        var name = name
        return name.withUTF8 { name in
            var offset = start
            while offset < block.count {
                let field = block.field(at: offset)
                if unsafe Self.areEqual(field.name, name) { return read(field) }
                offset = field.end
            }
            return nil
        }
    }

    /// Returns the fields after the pseudo-header fields, which come first (RFC 9113, section 8.3).
    consuming func withoutPseudoHeaders() -> Self {
        var offset = start
        while offset < block.count {
            let field = block.field(at: offset)
            guard unsafe field.name.first == UInt8(ascii: ":") else { break }
            offset = field.end
        }
        return Self(block, from: offset)
    }

    /// The value of `:status`, the first field of every response (RFC 9113, section 8.3.2).
    var status: Int? {
        guard start < block.count else { return nil }
        let field = block.field(at: start)
        let digits = unsafe field.value
        let name: StaticString = ":status"
        let expected = unsafe UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        guard digits.count == 3, unsafe Self.areEqual(field.name, expected) else { return nil }
        var number = 0
        for index in digits.indices {
            let digit = unsafe digits[index]
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            number = number * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return number
    }

    private static func areEqual(_ first: UnsafeBufferPointer<UInt8>, _ second: UnsafeBufferPointer<UInt8>) -> Bool {
        guard first.count == second.count else { return false }
        guard let start = first.baseAddress, let other = second.baseAddress else { return true }
        return unsafe memcmp(start, other, first.count) == 0
    }

    /// Appends the fields for nghttp2, as pointers that are valid while this list or a copy exists.
    func append(to fields: inout [nghttp2_nv]) {
        let copiesNothing = NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue
        var offset = start
        while offset < block.count {
            let field = block.field(at: offset)
            let noIndex = field.isIndexed ? 0 : NGHTTP2_NV_FLAG_NO_INDEX.rawValue
            unsafe fields.append(
                nghttp2_nv(
                    name: UnsafeMutablePointer(mutating: field.name.baseAddress),
                    value: UnsafeMutablePointer(mutating: field.value.baseAddress),
                    namelen: field.name.count,
                    valuelen: field.value.count,
                    flags: UInt8(copiesNothing | noIndex)
                )
            )
            offset = field.end
        }
    }
}

extension HTTP2Headers: Collection {
    /// The position of a field.
    public struct Index: Comparable, Sendable {
        fileprivate let offset: Int

        /// Earlier positions are smaller.
        public static func < (first: Self, second: Self) -> Bool { first.offset < second.offset }
    }

    /// The position of the first field.
    public var startIndex: Index { Index(offset: start) }

    /// The position after the last field.
    public var endIndex: Index { Index(offset: block.count) }

    /// Returns the position of the next field.
    public func index(after index: Index) -> Index { Index(offset: block.field(at: index.offset).end) }

    /// The field at a position.
    public subscript(index: Index) -> HTTP2Header {
        let field = block.field(at: index.offset)
        return unsafe HTTP2Header(
            String(decoding: field.name, as: UTF8.self),
            String(decoding: field.value, as: UTF8.self),
            isIndexed: field.isIndexed
        )
    }
}

extension HTTP2Headers: Hashable {
    /// Whether both lists have the same fields in the same order.
    public static func == (first: Self, second: Self) -> Bool { first.elementsEqual(second) }

    /// Hashes the fields.
    public func hash(into hasher: inout Hasher) {
        for field in self { hasher.combine(field) }
    }
}

extension HTTP2Headers: ExpressibleByArrayLiteral {
    /// Creates a list of fields.
    public init(arrayLiteral fields: HTTP2Header...) {
        self.init(fields)
    }
}
