/// Tells how much is done in a second.
enum Stopwatch {
    /// Does some work over and over.
    /// - Parameters:
    ///   - length: how long, at least; the work is done at least once.
    ///   - work: takes far longer than a look at the clock, and says how much it has done.
    /// - Returns: how much was done in a second.
    /// - Throws: what the work throws.
    static func perSecond<Failure>(for length: Duration, _ work: () throws(Failure) -> Int) throws(Failure) -> Double {
        let start = ContinuousClock.now
        var done = 0
        var elapsed: Duration
        repeat {
            done += try work()
            elapsed = ContinuousClock.now - start
        } while elapsed < length
        return Double(done) / (elapsed / .seconds(1))
    }
}
