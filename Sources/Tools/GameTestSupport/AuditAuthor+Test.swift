public import GameStore

extension AuditAuthor {
    /// An author for changes in tests that do not depend on the author.
    public static let test = AuditAuthor(operator: "Olga", requestID: nil)
}
