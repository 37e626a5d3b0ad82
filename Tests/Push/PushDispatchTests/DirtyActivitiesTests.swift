import Testing

@testable import PushDispatch

@Suite struct DirtyActivitiesTests {
    private let sample = SampleActivities()

    private func ids(_ activities: [FollowedActivity]) -> [ObjectIdentifier] { activities.map { ObjectIdentifier($0) } }

    @Test func `a marked activity is taken once, however often it is marked`() {
        let (first, second) = (sample.activity(), sample.activity())
        var dirty = DirtyActivities()
        for _ in 0..<3 {
            dirty.insertLazy(first)
            dirty.insertUrgent(second)
        }
        #expect(ids(dirty.take(lazyLimit: 9)) == ids([second, first]))
        #expect(dirty.isEmpty)
        #expect(first.dirtyMarks == [] && second.dirtyMarks == [])
        dirty.insertLazy(first)
        #expect(ids(dirty.take(lazyLimit: 9)) == ids([first]))
    }

    @Test func `those that may wait are taken in the order of their marks, up to the limit`() {
        let activities = (0..<3).map { _ in sample.activity() }
        var dirty = DirtyActivities()
        for activity in activities { dirty.insertLazy(activity) }
        #expect(ids(dirty.take(lazyLimit: 0)) == [])
        #expect(ids(dirty.take(lazyLimit: 2)) == ids(Array(activities.prefix(2))))
        dirty.insertLazy(activities[0])
        #expect(ids(dirty.take(lazyLimit: 2)) == ids([activities[2], activities[0]]))
    }

    @Test func `an activity that was taken at once is not taken again from the others`() {
        let (first, second) = (sample.activity(), sample.activity())
        var dirty = DirtyActivities()
        dirty.insertLazy(first)
        dirty.insertLazy(second)
        dirty.insertUrgent(first)
        #expect(ids(dirty.take(lazyLimit: 0)) == ids([first]))
        #expect(ids(dirty.take(lazyLimit: 9)) == ids([second]))
        #expect(dirty.isEmpty)
    }

    /// Otherwise the list would grow with every alert of an activity, each time by an entry.
    @Test func `an entry that is out of date is used again`() {
        let activity = sample.activity()
        var dirty = DirtyActivities()
        for _ in 0..<3 {
            dirty.insertLazy(activity)
            dirty.insertUrgent(activity)
            #expect(ids(dirty.take(lazyLimit: 0)) == ids([activity]))
        }
        dirty.insertLazy(activity)
        #expect(ids(dirty.take(lazyLimit: 1)) == ids([activity]))
        #expect(dirty.isEmpty)
    }

    @Test func `activities that are no longer followed are left out, and count towards no limit`() {
        let (gone, kept) = (sample.activity(), sample.activity())
        var dirty = DirtyActivities()
        dirty.insertLazy(gone)
        dirty.insertLazy(kept)
        gone.isFollowed = false
        dirty.insertUrgent(gone)
        #expect(ids(dirty.take(lazyLimit: 1)) == ids([kept]))
        #expect(dirty.isEmpty)
    }
}
