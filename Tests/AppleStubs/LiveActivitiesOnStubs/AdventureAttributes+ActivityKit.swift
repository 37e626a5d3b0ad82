public import ActivityKit
public import LiveActivityContent

// On Apple's platforms LiveActivityContent itself declares the conformance.
extension AdventureAttributes: ActivityAttributes {}
