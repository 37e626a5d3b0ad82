// On Apple's platforms RangersClient has `LiveActivities` itself.
@_exported public import LiveActivitiesOnStubs
