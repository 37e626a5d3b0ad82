import GameCore
import GameLog
import GameStore

/// Something to be sent to the streams of an adventure.
struct StreamDelivery {
    enum Content {
        /// All events so far; more follow unless the adventure is over. A reset comes first if the subscribers have seen
        /// another history.
        case past([StreamEvent], isOver: Bool, isReset: Bool)
        /// The next events, in order.
        case events([StreamEvent])
        /// The streams end: this node cannot play the adventure any further.
        case undecodable
    }

    let content: Content
    let subscribers: [StreamSubscriber]

    /// Sends it; an event is rendered once, however many streams there are.
    func send() {
        switch content {
        case .past(let events, let isOver, let isReset):
            if isReset { send(.reset) }
            send(.events(events.map(StreamFrame.EventText.init), isLast: isOver))
        case .events(let events):
            for event in events {
                send(.events([StreamFrame.EventText(event)], isLast: event.stored.event.endsAdventure))
            }
        case .undecodable:
            send(.undecodable)
            for subscriber in subscribers { subscriber.finish() }
        }
    }

    private func send(_ frame: StreamFrame) {
        for subscriber in subscribers { subscriber.send(frame) }
    }
}

extension AdventureEvent {
    fileprivate var endsAdventure: Bool {
        if case .adventureEnded = self { true } else { false }
    }
}
