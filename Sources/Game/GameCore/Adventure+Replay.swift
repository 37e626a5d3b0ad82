extension Adventure {
    /// Replays an adventure from its opening.
    /// - Parameters:
    ///   - opening: the adventure before any input.
    ///   - inputs: all inputs in order, ``AdventureInput/start`` first.
    /// - Returns: the adventure after the last input, and all events.
    /// - Throws: the ``AdventureRefusal`` of the first refused input; the inputs then belong to another adventure.
    public static func replay(
        _ opening: Self,
        inputs: [AdventureInput]
    ) throws(AdventureRefusal) -> (adventure: Self, events: [AdventureEvent]) {
        var adventure = opening
        var events: [AdventureEvent] = []
        for input in inputs {
            try adventure.advance(input, appendingTo: &events)
        }
        return (adventure, events)
    }
}
