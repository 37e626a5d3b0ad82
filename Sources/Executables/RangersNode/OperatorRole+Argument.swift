public import ArgumentParser
public import GameStore

// Both imports are public because the conformance of a public type to a public protocol is public.
extension Operator.Role: ExpressibleByArgument {}
