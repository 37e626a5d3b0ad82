public import ActivityKit
public import LiveActivityContent

// On Apple's platforms LiveActivityContent itself declares the conformances.
extension AdventureAttributes: ActivityAttributes {}
extension RaidAttributes: ActivityAttributes {}
extension SpectatorAttributes: ActivityAttributes {}
