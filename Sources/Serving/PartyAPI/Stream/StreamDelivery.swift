import GameCore
import GameStore

/// Something to be sent to the streams of an adventure.
struct StreamDelivery {
    enum Content {
        /// Events of the adventure, in order.
        case events([StoredEvent])
        /// From now on, all events after those of the adventure are delivered.
        case following(StoredAdventure)
        /// The streams end: this node cannot play the adventure any further.
        case undecodable
    }

    let content: Content
    let subscribers: [StreamSubscriber]

    /// Sends it; an event is rendered once, however many streams there are.
    func send() {
        switch content {
        case .events(let events):
            for event in events { send(StreamFrame(event)) }
        case .following(let stored):
            send(.following(after: stored.adventure.sequence, isOver: stored.endedAt != nil))
        case .undecodable:
            send(.undecodable)
            for subscriber in subscribers { subscriber.finish() }
        }
    }

    private func send(_ frame: StreamFrame) {
        for subscriber in subscribers { subscriber.send(frame) }
    }
}
