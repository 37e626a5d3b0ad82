/// What a socket's owner does when its socket is ready.
protocol ReadinessHandler: AnyObject {
    func ready()
}

/// The loop as its own thread sees it: which sockets are watched, what happens at the end of the turn, timers.
///
/// It is not `Sendable`: who has it is on the loop's thread.
final class Selector {
    private struct Timer {
        let time: ContinuousClock.Instant
        let action: () -> Void
    }

    private let poll: Poll
    /// Wakes the loop, and is nobody's socket.
    private let bell: CInt
    private var handlers: [CInt: any ReadinessHandler] = [:]
    /// What has more to read, perhaps in a buffer of its own that the kernel knows nothing of.
    private var unfinished: [CInt] = []
    private var turnEnds: [() -> Void] = []
    /// Few at a time: one for each connection that is coming up or has requests under way.
    private var timers: [ObjectIdentifier: Timer] = [:]

    init(poll: Poll, bell: CInt) {
        self.poll = poll
        self.bell = bell
        poll.add(bell)
    }

    /// Watches for readable; `setWritable` adds writable.
    func add(_ descriptor: CInt, handler: any ReadinessHandler) {
        handlers[descriptor] = handler
        poll.add(descriptor)
    }

    func setWritable(_ descriptor: CInt, _ writable: Bool) {
        poll.change(descriptor, writable: writable)
    }

    /// Has the handler called in the next turn, which does not wait.
    func continueReading(_ descriptor: CInt) {
        unfinished.append(descriptor)
    }

    /// To be called before the descriptor is closed.
    func remove(_ descriptor: CInt) {
        handlers[descriptor] = nil
        poll.remove(descriptor)
    }

    /// Calls the action once, when sockets and jobs of this turn are done.
    ///
    /// An action may ask for another one: that one runs in the same turn.
    func atEndOfTurn(_ action: @escaping () -> Void) {
        turnEnds.append(action)
    }

    /// Sets or moves the one timer that an object has.
    func setTimer(of owner: AnyObject, at time: ContinuousClock.Instant, _ action: @escaping () -> Void) {
        timers[ObjectIdentifier(owner)] = Timer(time: time, action: action)
    }

    /// Removes an object's timer; to be called before the object goes.
    func cancelTimer(of owner: AnyObject) {
        timers[ObjectIdentifier(owner)] = nil
    }

    /// Waits, and lets the owners of what is ready handle it.
    /// - Returns: whether the bell rang.
    func awaitReadiness() -> Bool {
        var isRinging = false
        let next = timers.values.lazy.map(\.time).min()
        let continued = unfinished
        unfinished = []
        let wait = continued.isEmpty ? next.map(Self.milliseconds(until:)) ?? -1 : 0
        let ready = poll.wait(milliseconds: wait)
        for descriptor in ready {
            if descriptor == bell { isRinging = true }
            // Not there: the bell, or a socket that was closed earlier in this turn.
            handlers[descriptor]?.ready()
        }
        // Each once in a turn, so that each reads no more than it means to before it writes.
        for descriptor in continued where !ready.contains(descriptor) {
            handlers[descriptor]?.ready()
        }
        return isRinging
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
        // In the order of time, so that nothing depends on the order of a dictionary.
        let due = timers.filter { $0.value.time <= now }.sorted { $0.value.time < $1.value.time }
        for (owner, _) in due {
            // An action before this one may have moved or removed it.
            guard let timer = timers[owner], timer.time <= now else { continue }
            timers[owner] = nil
            timer.action()
        }
    }

    /// Rounded up, so that a timer is due when the wait is over.
    private static func milliseconds(until time: ContinuousClock.Instant) -> CInt {
        let wait = ContinuousClock.now.duration(to: time)
        guard wait > .zero else { return 0 }
        let (seconds, attoseconds) = wait.components
        // An hour is as good as for ever: the loop then looks again.
        guard seconds < 3600 else { return 3_600_000 }
        return CInt(seconds) * 1000 + CInt(attoseconds / 1_000_000_000_000_000) + 1
    }
}
