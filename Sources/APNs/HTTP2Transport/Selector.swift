/// The owner of a watched socket.
protocol ReadinessHandler: AnyObject {
    /// Called when the socket is ready or has failed.
    func ready()
}

/// The watched sockets, end-of-turn actions and timers of a loop, for its own thread.
///
/// It is not `Sendable`: only code on the loop's thread can have it.
final class Selector {
    private struct Timer {
        let time: ContinuousClock.Instant
        let action: () -> Void
    }

    private let poll: Poll
    /// The descriptor that wakes the loop for jobs.
    private let wakeDescriptor: CInt
    private var handlers: [CInt: any ReadinessHandler] = [:]
    /// The descriptors with more to read, possibly in OpenSSL's buffers, which the kernel cannot see.
    private var unfinished: [CInt] = []
    private var turnEnds: [() -> Void] = []
    /// The timers by owner; about one for each connection.
    private var timers: [ObjectIdentifier: Timer] = [:]

    init(poll: Poll, wakeDescriptor: CInt) {
        self.poll = poll
        self.wakeDescriptor = wakeDescriptor
        poll.add(wakeDescriptor)
    }

    /// Watches a descriptor for reading; `setWritable` adds writing.
    func add(_ descriptor: CInt, handler: any ReadinessHandler) {
        handlers[descriptor] = handler
        poll.add(descriptor)
    }

    func setWritable(_ descriptor: CInt, _ writable: Bool) {
        poll.change(descriptor, writable: writable)
    }

    /// Calls the handler again in the next turn, which does not wait.
    func continueReading(_ descriptor: CInt) {
        unfinished.append(descriptor)
    }

    /// Stops watching a descriptor; call this before closing it.
    func remove(_ descriptor: CInt) {
        handlers[descriptor] = nil
        poll.remove(descriptor)
    }

    /// Calls an action once, after the sockets and jobs of this turn.
    ///
    /// An action may schedule another one, which runs in the same turn.
    func atEndOfTurn(_ action: @escaping () -> Void) {
        turnEnds.append(action)
    }

    /// Sets or moves the only timer of an object.
    func setTimer(of owner: AnyObject, at time: ContinuousClock.Instant, _ action: @escaping () -> Void) {
        timers[ObjectIdentifier(owner)] = Timer(time: time, action: action)
    }

    /// Removes an object's timer; call this before the object is released.
    func cancelTimer(of owner: AnyObject) {
        timers[ObjectIdentifier(owner)] = nil
    }

    /// Waits for descriptors, and calls their handlers.
    /// - Returns: whether the wake descriptor was ready.
    func awaitReadiness() -> Bool {
        var isWoken = false
        let next = timers.values.lazy.map(\.time).min()
        let continued = unfinished
        unfinished = []
        let wait = continued.isEmpty ? next.map(Self.milliseconds(until:)) ?? -1 : 0
        let ready = poll.wait(milliseconds: wait)
        for descriptor in ready {
            if descriptor == wakeDescriptor { isWoken = true }
            // There is no handler for the wake descriptor, nor for a socket that was closed earlier in this turn.
            handlers[descriptor]?.ready()
        }
        // Each handler runs once in a turn, so that its limit of reads holds.
        for descriptor in continued where !ready.contains(descriptor) {
            handlers[descriptor]?.ready()
        }
        return isWoken
    }

    func finishTurn() {
        runTurnEnds()
        runTimers()
        runTurnEnds()
    }

    private func runTurnEnds() {
        while !turnEnds.isEmpty {
            let actions = turnEnds
            turnEnds = []
            for action in actions { action() }
        }
    }

    private func runTimers() {
        guard !timers.isEmpty else { return }
        let now = ContinuousClock.now
        // Sorted, so that the order does not depend on the dictionary.
        let due = timers.filter { $0.value.time <= now }.sorted { $0.value.time < $1.value.time }
        for (owner, _) in due {
            // An earlier action may have moved or removed the timer.
            guard let timer = timers[owner], timer.time <= now else { continue }
            timers[owner] = nil
            timer.action()
        }
    }

    /// Returns the time to wait, rounded up, so that the timer is due after the wait.
    private static func milliseconds(until time: ContinuousClock.Instant) -> CInt {
        let wait = ContinuousClock.now.duration(to: time)
        guard wait > .zero else { return 0 }
        let (seconds, attoseconds) = wait.components
        // The loop wakes at least once an hour.
        guard seconds < 3600 else { return 3_600_000 }
        return CInt(seconds) * 1000 + CInt(attoseconds / 1_000_000_000_000_000) + 1
    }
}
