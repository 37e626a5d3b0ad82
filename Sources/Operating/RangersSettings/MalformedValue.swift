/// Why a text is no value of a setting; the end of a sentence that begins with the text.
struct MalformedValue: Error, Hashable {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
