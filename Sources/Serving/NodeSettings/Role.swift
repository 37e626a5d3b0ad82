/// A role of a `rangersd` process; each process has any combination of them, so that each role scales on its own.
public enum Role: String, CaseIterable, Sendable {
    /// Serves players and operators.
    case api
    /// Plays due ticks and turns, and removes expired data.
    case engine
    /// Sends pushes to phones.
    case dispatcher
}
