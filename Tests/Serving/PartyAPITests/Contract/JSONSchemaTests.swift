import JSONCoding
import Testing

/// Tests of the validator: the contract tests rely on it to find violations.
@Suite struct JSONSchemaTests {
    private let schema = JSONSchema(document: [
        "components": ["schemas": ["Seat": ["type": "integer", "minimum": 0, "maximum": 7]]]
    ])

    private let hero: JSONValue = [
        "type": "object",
        "required": ["name", "seat"],
        "properties": [
            "name": ["type": "string", "minLength": 1, "maxLength": 5, "pattern": "^[a-z]+$"],
            "seat": ["$ref": "#/components/schemas/Seat"],
            "id": ["type": "string", "format": "uuid"],
            "mood": ["enum": ["glad", "sad"]],
            "kind": ["const": "hero"],
            "tags": ["type": "array", "minItems": 1, "maxItems": 2, "items": ["type": ["string", "null"]]],
        ],
    ]

    @Test(
        arguments: [
            (["name": "ada", "seat": 7, "mood": "sad", "kind": "hero", "tags": ["a", .null]], []),
            (["name": "ada"], ["/seat is missing"]),
            (["name": "ada", "seat": 8], ["/seat: 8.0 is out of range"]),
            (["name": "ada", "seat": .number(0.5)], [#"/seat must be of type string("integer")"#]),
            (["name": "", "seat": 0], ["/name: '' is too short", "/name: '' does not match ^[a-z]+$"]),
            (["name": "adaada", "seat": 0], ["/name: 'adaada' is too long"]),
            (["name": "ada", "seat": 0, "id": "7"], ["/id: '7' is no UUID"]),
            (["name": "ada", "seat": 0, "kind": "boss"], [#"/kind must be string("hero")"#]),
            (["name": "ada", "seat": 0, "tags": []], ["/tags has too few items"]),
            (["name": "ada", "seat": 0, "tags": ["a", "b", "c"]], ["/tags has too many items"]),
            (["name": "ada", "seat": 0, "age": 3], ["/age is not described"]),
        ] as [(JSONValue, [String])]
    )
    func `a violation is reported with its position`(value: JSONValue, faults: [String]) {
        #expect(schema.faults(of: value, by: hero) == faults)
    }

    @Test func `an object may have the fields of all its parts, and of the one alternative that fits`() {
        let alternatives: JSONValue = [
            [
                "required": ["kind", "health"],
                "properties": ["kind": ["const": "boss"], "health": ["type": "integer"]],
            ],
            ["required": ["kind"], "properties": ["kind": ["const": "hero"]]],
        ]
        let parts: JSONValue = ["allOf": [["properties": ["name": ["type": "string"]]]], "oneOf": alternatives]
        #expect(schema.faults(of: ["name": "ada", "kind": "boss", "health": 3], by: parts) == [])
        #expect(schema.faults(of: ["kind": "hero", "health": 3], by: parts) == ["/health is not described"])
        #expect(schema.faults(of: ["kind": "foe"], by: parts).contains(" fits 0 of 2 alternatives"))
    }

    @Test func `a value may not fit an excluded schema`() {
        let exclusion: JSONValue = ["not": ["required": ["hours", "never"], "properties": ["never": ["const": true]]]]
        let both: JSONValue = ["hours": 1, "never": true]
        #expect(schema.faults(of: both, by: exclusion) == [" fits the excluded schema"])
        #expect(schema.faults(of: ["hours": 1, "never": false], by: exclusion) == [])
        #expect(schema.faults(of: ["never": true], by: exclusion) == [])
    }

    @Test func `an unsupported keyword is an error`() {
        #expect(schema.faults(of: 1, by: ["multipleOf": 3]) == [": keyword multipleOf is not checked"])
    }
}
