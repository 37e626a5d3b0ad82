public import ArgumentParser
public import GameStore

// Both imports are public because the conformance is: it joins a public type to a public protocol.
extension Operator.Role: ExpressibleByArgument {}
