/// What one `rangersd` process does; any of them, so that each scales on its own.
public enum Role: String, CaseIterable, Sendable {
    /// Serves players and operators.
    case api
    /// Plays what is due.
    case engine
    /// Tells the phones.
    case dispatcher
}
