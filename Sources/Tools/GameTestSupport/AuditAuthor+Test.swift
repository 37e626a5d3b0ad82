public import GameStore

extension AuditAuthor {
    /// Who changes something in a test where it does not matter who does.
    public static let test = AuditAuthor(operator: "Olga", requestID: nil)
}
