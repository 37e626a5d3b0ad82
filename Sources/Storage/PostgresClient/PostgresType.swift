/// A PostgreSQL data type, identified by its OID in `pg_type`.
///
/// Only types with a fixed OID have a constant. Enums and domains have an OID per database, so cast to them in SQL
/// (`$1::text::mood`).
public struct PostgresType: RawRepresentable, Hashable, Sendable {
    /// The type's OID.
    public let rawValue: UInt32

    /// Creates a type from its OID.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// `boolean`.
    public static let boolean = Self(rawValue: 16)
    /// `bytea`.
    public static let bytea = Self(rawValue: 17)
    /// `"char"`, a single byte.
    public static let char = Self(rawValue: 18)
    /// `name`, an identifier in the system catalogue.
    public static let name = Self(rawValue: 19)
    /// `bigint`.
    public static let bigint = Self(rawValue: 20)
    /// `smallint`.
    public static let smallint = Self(rawValue: 21)
    /// `integer`.
    public static let integer = Self(rawValue: 23)
    /// `text`.
    public static let text = Self(rawValue: 25)
    /// `double precision`.
    public static let double = Self(rawValue: 701)
    /// `character(n)`.
    public static let character = Self(rawValue: 1_042)
    /// `character varying(n)`.
    public static let varchar = Self(rawValue: 1_043)
    /// `timestamp with time zone`.
    public static let timestamptz = Self(rawValue: 1_184)
    /// `uuid`.
    public static let uuid = Self(rawValue: 2_950)
    /// `jsonb`.
    public static let jsonb = Self(rawValue: 3_802)

    /// The known types: OID, OID of the array type, SQL name (PostgreSQL's `pg_type.dat`).
    private static let catalogue: [(type: Self, array: UInt32, name: String)] = [
        (.boolean, 1_000, "boolean"),
        (.bytea, 1_001, "bytea"),
        (.char, 1_002, "\"char\""),
        (.name, 1_003, "name"),
        (.smallint, 1_005, "smallint"),
        (.integer, 1_007, "integer"),
        (.text, 1_009, "text"),
        (.character, 1_014, "character"),
        (.varchar, 1_015, "character varying"),
        (.bigint, 1_016, "bigint"),
        (.double, 1_022, "double precision"),
        (.timestamptz, 1_185, "timestamp with time zone"),
        (.uuid, 2_951, "uuid"),
        (.jsonb, 3_807, "jsonb"),
    ]

    /// The array type of this type; nil for an array or an unknown type.
    public var array: Self? {
        Self.catalogue.first { $0.type == self }.map { Self(rawValue: $0.array) }
    }

    /// The element type, if this is an array of a known type.
    public var element: Self? {
        Self.catalogue.first { $0.array == rawValue }?.type
    }
}

extension PostgresType: CustomStringConvertible {
    /// The SQL name, or the OID of an unknown type.
    public var description: String {
        if let row = Self.catalogue.first(where: { $0.type == self }) { return row.name }
        if let element { return "\(element)[]" }
        return "the type with OID \(rawValue)"
    }
}
