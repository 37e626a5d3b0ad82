import Encodings
import GameCore
import GameLog
import PushCadence
import PushRules
import Simulation
import Testing

@testable import PushDispatch

/// Plays a script against the follower of a shard.
///
/// A line is `SECONDS EVENT | EFFECTS`. The script is the expected transcript: its events happen at their times, and the
/// effects are compared. After each event the log and the clock are followed, and what waits for a push to land or for
/// the time is evaluated; `look` is no event.
///
/// - The adventures are `fight`, with turns of 15 s, and `walk`, a journey with ticks of 10 s. Both have the heroes 0 and
///   1, and the hero of a number belongs to the same player. `start`, `attack` (by the hero whose turn it is), `policy`
///   (a small change), `leave ADVENTURE HERO` and `over` append to the log, `clock` moves the clock.
/// - `raid` is a fight of the same heroes in a raid, and `decision 2 400` the second decision of the raid's home: the boss
///   has 400 of 1,000 left.
/// - Activities have one letter: `register A fight 0` is the activity of hero 0's player, also if the database lost it and
///   the app registers it again, `token A` its next token, and
///   `request A` or `requestEnd A` what an operator requests.
///   `tablet` is the second device of the player, and `starts 30` says that the activity is scheduled for second 30;
///   `announce A 20` is the app's announcement of another second. `mute A boss` mutes a category of alerts on its device,
///   `mute A allDay` all of them, and `mute A none` none.
/// - `alertDevice fight` says that a member has a device with an alert token; `alert 1 ownTurn` are the ordinary alerts of the
///   players of heroes, for devices without an activity.
/// - Pushes are numbered from 1: `send A p10 turn #2` is the second one, at priority 10, and `send A p10 requested #2 for
///   4` the one that was requested at position 4. `due 3.0` says that it was due at second 3, if that was earlier.
///   `ok #2`, `busy #2 7` (with `Retry-After`), `gone #2 3` (dead since second 3) and others are the answers.
/// - `wait` is the reason why an activity waits, and `wake` the next time at which something is due, if it has changed.
///   `-` means that nothing follows.
/// - `flush` stores what is important, `flushAll` everything, and `take` takes a batch, which is `stored` or `failed`
///   later. It has the checkpoint, and of activities the second of their newest push and the moment that their phones
///   show.
/// - `overdue` takes the pushes as unanswered to which no answer came for 22 s.
/// - `blind` stops following the log until `seeing`; `page 1` reads one entry. `readHead` reads the row of the shard, and
///   the log and the adventures are read later. `failover` goes back to what `save` saved.
struct ShardTranscript {
    let shard: FollowedShard
    private var dueAt: Timestamp?
    private var generator = SeededIDs()
    private var adventures: [Substring: AdventureID] = [:]
    private var activities: [Substring: ActivityKey] = [:]
    /// What a failover goes back to; after it, what was lost.
    private var saved: ShardDatabase?

    init(playing names: [Substring] = ["fight"], policy: CadencePolicy = CadencePolicy(), maxInFlight: Int = 100) {
        var database = ShardDatabase(at: FollowedShard.start - .seconds(1))
        for name in names {
            let id = generator.adventure()
            adventures[name] = id
            database.start(id, Adventure.named(name), interval: .interval(of: name), at: FollowedShard.start)
        }
        shard = FollowedShard(of: database, policy: policy, maxInFlight: maxInFlight)
    }

    /// Returns the transcript of a script.
    mutating func play(_ script: String) throws -> String {
        try script.split(separator: "\n").map { line in
            let event = line.prefix { $0 != "|" }
            return "\(event)| \(try play(words: event.split(separator: " ")))"
        }.joined(separator: "\n")
    }

    private mutating func play(words: [Substring]) throws -> String {
        let seconds = try #require(Double(words[0]))
        shard.pass(to: FollowedShard.start + .microseconds(Int64((seconds * 1_000_000).rounded())))
        try happen(words.dropFirst())
        shard.follow()
        shard.react()
        var lines = shard.takeLines()
        if let next = shard.dueAt, next != dueAt { lines.append("wake \(shard.seconds(next))") }
        dueAt = shard.dueAt
        return lines.isEmpty ? "-" : lines.joined(separator: "; ")
    }

    // MARK: - Events

    private mutating func happen(_ words: ArraySlice<Substring>) throws {
        let name = try #require(words.first)
        let arguments = Array(words.dropFirst())
        if try isGame(name, arguments) { return }
        if try isAboutActivity(name, arguments) { return }
        if try isAnswer(name, arguments) { return }
        if try isAboutShard(name, arguments) { return }
        Issue.record("unknown event: \(words)")
    }

    /// What players, operators and the engine do in adventures.
    private mutating func isGame(_ name: Substring, _ arguments: [Substring]) throws -> Bool {
        let now = shard.now
        switch name {
        case "look": break
        case "clock": shard.database.moveClock(to: now)
        case "start":
            let (name, id) = (try word(arguments), generator.adventure())
            adventures[name] = id
            shard.database.start(id, Adventure.named(name), interval: .interval(of: name), at: now)
        case "attack":
            // By the hero whose turn it is.
            let played = try found(shard.database.play(try adventure(arguments)))
            let stored = try played.get()
            let hero = try #require(stored.adventure.turn?.hero)
            try give(.command(.attack, by: stored.adventure.heroes[hero.rawValue].playerID), arguments)
        case "policy": try give(.command(.policy(.guard), by: .player(0)), arguments)
        case "join":
            let player = PlayerID.player(try number(arguments, at: 1))
            let hero = Hero(playerID: player, id: HeroCatalogue.all[0].id, experience: 0, potions: 1)
            try give(.join(hero), arguments)
        case "leave": try give(.leave(.player(try number(arguments, at: 1))), arguments)
        case "over": try give(.end, arguments)
        case "alertDevice": shard.noteAlertDevices(of: try adventure(arguments))
        case "damage": shard.database.damage(try adventure(arguments), at: now)
        case "closed": try shard.database.recordEnd(ofUnplayable: try adventure(arguments), at: now)
        case "damageOutage": shard.database.damageOutage(at: now)
        case "decision":
            let (decision, left) = (try number(arguments), try number(arguments, at: 1))
            shard.database.decide(.numbered(decision, healthLeft: left, at: now), about: Adventure.raidID, at: now)
        case "outage": shard.database.passOutage(of: .seconds(try number(arguments)), at: now)
        default: return false
        }
        return true
    }

    /// What apps and operators do about activities.
    private mutating func isAboutActivity(_ name: Substring, _ arguments: [Substring]) throws -> Bool {
        let now = shard.now
        switch name {
        case "register":
            let (activity, seat) = (try word(arguments), try number(arguments, at: 2))
            if activities[activity] == nil {
                let id = generator.activity()
                activities[activity] = ActivityKey(adventureID: try adventure(arguments, at: 1), activityID: id)
                shard.name(id, String(activity))
            }
            try register(activity, of: seat, options: arguments.dropFirst(3))
        case "token":
            let activity = try word(arguments)
            let key = try key(arguments)
            let row = try #require(shard.database.activities[key])
            try register(activity, of: row.playerID == .player(0) ? 0 : 1, options: arguments.dropFirst())
        case "announce":
            let moment = FollowedShard.start + .seconds(try number(arguments, at: 1))
            shard.database.announceStart(of: try key(arguments), at: moment, now: now)
        case "ahead":
            let timestamp = FollowedShard.start.epochSeconds + Int64(try number(arguments, at: 1))
            shard.database.activities[try key(arguments)]?.lastTimestamp = timestamp
        case "mute":
            let what = try word(arguments, at: 1)
            let category = AlertPreferences.Category(rawValue: String(what))
            var preferences = AlertPreferences(muted: category.map { [$0] } ?? [])
            if what == "allDay" { preferences.quietHours = .init(from: 0, to: 1_439, timeZone: "UTC") }
            shard.database.changeAlerts(of: try key(arguments), to: preferences, now: now)
        case "startRefused": shard.refuseStart(after: try key(arguments))
        case "release": shard.database.release(try key(arguments), at: now)
        case "request": shard.database.request(.update, to: try key(arguments), at: now)
        case "requestEnd": shard.database.request(.end, to: try key(arguments), at: now)
        default: return false
        }
        return true
    }

    private mutating func register(_ name: Substring, of seat: Int, options: ArraySlice<Substring>) throws {
        let key = try #require(activities[name])
        let startsAt = try options.firstIndex(of: "starts").map { index in
            FollowedShard.start + .seconds(try number(Array(options), at: index - options.startIndex + 1))
        }
        shard.database.register(
            Activity(
                id: key.activityID,
                adventureID: key.adventureID,
                playerID: .player(seat),
                deviceID: .device(options.contains("tablet") ? 10 + seat : seat),
                pushToken: options.contains("empty") ? [] : generator.token(),
                environment: options.contains("elsewhere") ? .production : FollowedShard.environment,
                frequentPushesEnabled: !options.contains("standard"),
                locale: nil,
                registeredAt: shard.now,
                startsAt: startsAt
            ),
            at: shard.now
        )
    }

    /// The answers of APNs to a push.
    private func isAnswer(_ name: Substring, _ arguments: [Substring]) throws -> Bool {
        var classification: CircuitBreaker.Classification? = .credible
        let answer: PushAnswer
        switch name {
        case "ok": answer = .accepted
        case "lost": answer = .unanswered
        case "unsent": answer = .neverSent
        case "busy":
            let retryAfter = try arguments.count > 1 ? number(arguments, at: 1) : 0
            answer = .rejected(
                PushRejection(
                    reason: "TooManyRequests",
                    fault: .other,
                    remedy: .retry,
                    retryAfter: .seconds(retryAfter)
                )
            )
        case "forbidden":
            answer = .rejected(PushRejection(reason: "Forbidden", fault: .configuration, remedy: .pause))
        case "tooLarge": answer = .rejected(PushRejection(reason: "PayloadTooLarge", fault: .other, remedy: .drop))
        case "gone":
            // With the time since when APNs knows the token to be dead.
            let since = try arguments.count > 1 ? FollowedShard.start + .seconds(number(arguments, at: 1)) : nil
            answer = .rejected(
                PushRejection(
                    reason: "Unregistered",
                    fault: .other,
                    remedy: .forgetToken,
                    tokenInvalidSinceMilliseconds: since?.epochMilliseconds
                )
            )
        case "bad":
            // The circuit breaker says whether it is credible.
            classification = nil
            answer = .rejected(PushRejection(reason: "BadDeviceToken", fault: .token, remedy: .forgetToken))
        default: return false
        }
        let number = try found(Int(try word(arguments).dropFirst()))
        try #require(shard.pushes.indices.contains(number - 1), "there is no push #\(number)")
        let isRequested = shard.pushes[number - 1].requestPosition != nil
        shard.answer(number - 1, answer, classification, report: isRequested ? String(name) : nil)
        return true
    }

    /// What happens to the shard: its lease, its log, and flushes.
    private mutating func isAboutShard(_ name: Substring, _ arguments: [Substring]) throws -> Bool {
        switch name {
        case "renew": shard.renew(for: .seconds(try number(arguments)))
        case "handOver": shard.leave()
        case "acquireAgain": shard.acquireAgain()
        case "takeOver": shard.takeOver(loadingFrom: arguments.isEmpty ? nil : saved)
        case "restart": shard.restart()
        case "drain": shard.drain()
        case "abandon": shard.abandonPushesInFlight()
        case "ages": shard.evaluateAges()
        case "overdue": shard.completeOverdue()
        case "flush", "flushAll":
            let scope: FlushScope = name == "flushAll" ? .everything : .important
            guard shard.isDirty(scope) else { break }
            shard.takeBatch(scope)
            shard.storeBatch()
        case "take": shard.takeBatch(.important)
        case "stored": shard.storeBatch()
        case "failed": shard.failBatch()
        case "blind": shard.isBlind = true
        case "page":
            shard.pageSize = try number(arguments)
            shard.readPage()
        case "seeing": shard.isBlind = false
        case "readHead": shard.staleHead = shard.database.head
        case "save": saved = shard.database
        case "failover":
            let lost = shard.database
            shard.database = try #require(saved)
            saved = lost
        case "clockBack": shard.database.setClock(back: .seconds(try number(arguments)))
        default: return false
        }
        return true
    }

    private func give(_ input: AdventureInput, _ arguments: [Substring]) throws {
        let isTaken = shard.database.give(input, to: try adventure(arguments), at: shard.now)
        #expect(isTaken, "\(input) is refused")
    }

    // MARK: - Words

    private func found<Value>(_ value: Value?) throws -> Value { try #require(value) }

    private func word(_ arguments: [Substring], at index: Int = 0) throws -> Substring {
        try #require(arguments.dropFirst(index).first)
    }

    private func adventure(_ arguments: [Substring], at index: Int = 0) throws -> AdventureID {
        try found(adventures[try word(arguments, at: index)])
    }

    private func key(_ arguments: [Substring]) throws -> ActivityKey {
        try found(activities[try word(arguments)])
    }

    private func number(_ arguments: [Substring], at index: Int = 0) throws -> Int {
        try found(Int(try word(arguments, at: index)))
    }
}

/// Expects that a script is the transcript of a shard.
/// - Parameters:
///   - names: the adventures that start at second 0, and that were read from the log before.
///   - policy: the policy of the cadence.
///   - maxInFlight: the maximum number of pushes in flight.
///   - script: the script.
///   - sourceLocation: the location of the script.
/// - Returns: the shard after the last line.
/// - Throws: what makes a line unreadable.
@discardableResult
func expectTranscript(
    playing names: [Substring] = ["fight"],
    policy: CadencePolicy = CadencePolicy(),
    maxInFlight: Int = 100,
    _ script: String,
    sourceLocation: SourceLocation = #_sourceLocation
) throws -> FollowedShard {
    var transcript = ShardTranscript(playing: names, policy: policy, maxInFlight: maxInFlight)
    let played = try transcript.play(script)
    #expect(played == script, "\(played)", sourceLocation: sourceLocation)
    #expect(transcript.shard.violations.isEmpty, sourceLocation: sourceLocation)
    return transcript.shard
}
