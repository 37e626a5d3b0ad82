import LiveActivityContent

/// Updates and ends in which nothing is amiss, as nearly all are.
extension ReceivedPayload {
    init(plain json: inout PlainJSON) throws(PlainJSON.Refusal) {
        var aps: Self?
        try json.object { json, key throws(PlainJSON.Refusal) in
            guard key == "aps" else { throw PlainJSON.Refusal() }
            try aps.fill(try Self(plainAps: &json))
        }
        guard json.isAtEnd() else { throw PlainJSON.Refusal() }
        self = try aps.required
    }

    private init(plainAps json: inout PlainJSON) throws(PlainJSON.Refusal) {
        var timestamp: Int64?
        var event: Event?
        var contentState: AdventureAttributes.ContentState?
        var staleDate: Int64?
        var dismissalDate: Int64?
        var relevanceScore: Double?
        var alert: ReceivedAlert?
        try json.object { json, key throws(PlainJSON.Refusal) in
            switch key {
            case "timestamp": try timestamp.fill(try json.integer())
            case "event": try event.fill(try Event(rawValue: try json.text()).required)
            case "content-state": try contentState.fill(try .init(plain: &json))
            case "stale-date": try staleDate.fill(try json.integer())
            case "dismissal-date": try dismissalDate.fill(try json.integer())
            case "relevance-score": try relevanceScore.fill(try json.number())
            case "alert": try alert.fill(try ReceivedAlert(plain: &json))
            default: throw PlainJSON.Refusal()
            }
        }
        switch try event.required {
        case .start: throw PlainJSON.Refusal()
        case .update: guard contentState != nil, staleDate != nil else { throw PlainJSON.Refusal() }
        case .end: break
        }
        self.init(
            timestamp: try timestamp.required,
            event: try event.required,
            contentState: contentState,
            staleDate: staleDate,
            dismissalDate: dismissalDate,
            relevanceScore: relevanceScore ?? 0,
            alert: alert,
            attributes: nil,
            inputPushChannel: nil,
            faults: []
        )
    }
}

extension ReceivedAlert {
    fileprivate init(plain json: inout PlainJSON) throws(PlainJSON.Refusal) {
        var title: Text?
        var body: Text?
        var sound: String?
        try json.object { json, key throws(PlainJSON.Refusal) in
            switch key {
            case "title": try title.fill(try Text(plain: &json))
            case "body": try body.fill(try Text(plain: &json))
            case "sound": try sound.fill(try json.text())
            default: throw PlainJSON.Refusal()
            }
        }
        self.init(title: title, body: body, sound: sound, hasFlatLocalizationKeys: false)
    }
}

extension ReceivedAlert.Text {
    fileprivate init(plain json: inout PlainJSON) throws(PlainJSON.Refusal) {
        if json.isAtText() {
            self = .plain(try json.text())
            return
        }
        var key: String?
        var args: [String]?
        try json.object { json, name throws(PlainJSON.Refusal) in
            switch name {
            case "loc-key": try key.fill(try json.text())
            case "loc-args": try args.fill(try json.texts())
            default: throw PlainJSON.Refusal()
            }
        }
        self = .localizable(LocalizableText(key: try key.required, args: args ?? []))
    }
}

extension PlainJSON {
    fileprivate mutating func texts() throws(Refusal) -> [String] {
        try array { json throws(Refusal) in try json.text() }
    }
}

extension AdventureAttributes.ContentState {
    fileprivate init(plain json: inout PlainJSON) throws(PlainJSON.Refusal) {
        var heroes: [AdventureAttributes.HeroState]?
        var boss: AdventureAttributes.BossState?
        var turn: AdventureAttributes.TurnState?
        var event: LocalizableText?
        var tick: Int64?
        var sequence: Int64?
        var outcome: String?
        var currentHealthLevel: Double?
        var eventDescription: String?
        try json.object { json, key throws(PlainJSON.Refusal) in
            switch key {
            case "heroes":
                try heroes.fill(try json.array { json throws(PlainJSON.Refusal) in try .init(plain: &json) })
            case "boss": try boss.fill(try .init(plain: &json))
            case "turn": try turn.fill(try .init(plain: &json))
            case "event": try event.fill(try LocalizableText(plain: &json))
            case "tick": try tick.fill(try json.integer())
            case "sequence": try sequence.fill(try json.integer())
            case "outcome": try outcome.fill(try json.text())
            case "currentHealthLevel": try currentHealthLevel.fill(try json.number())
            case "eventDescription": try eventDescription.fill(try json.text())
            default: throw PlainJSON.Refusal()
            }
        }
        self.init(
            heroes: try heroes.required,
            boss: boss,
            turn: turn,
            event: try event.required,
            tick: Int(try tick.required),
            sequence: Int(try sequence.required),
            outcome: outcome,
            currentHealthLevel: try currentHealthLevel.required,
            eventDescription: try eventDescription.required
        )
    }
}

extension AdventureAttributes.HeroState {
    fileprivate init(plain json: inout PlainJSON) throws(PlainJSON.Refusal) {
        var avatar: String?
        var name: String?
        var healthLevel: Double?
        var isDown: Bool?
        try json.object { json, key throws(PlainJSON.Refusal) in
            switch key {
            case "avatar": try avatar.fill(try json.text())
            case "name": try name.fill(try json.text())
            case "healthLevel": try healthLevel.fill(try json.number())
            case "isDown": try isDown.fill(try json.flag())
            default: throw PlainJSON.Refusal()
            }
        }
        self.init(
            avatar: try avatar.required,
            name: try name.required,
            healthLevel: try healthLevel.required,
            isDown: try isDown.required
        )
    }
}

extension AdventureAttributes.BossState {
    fileprivate init(plain json: inout PlainJSON) throws(PlainJSON.Refusal) {
        var avatar: String?
        var name: String?
        var healthLevel: Double?
        var phase: String?
        try json.object { json, key throws(PlainJSON.Refusal) in
            switch key {
            case "avatar": try avatar.fill(try json.text())
            case "name": try name.fill(try json.text())
            case "healthLevel": try healthLevel.fill(try json.number())
            case "phase": try phase.fill(try json.text())
            default: throw PlainJSON.Refusal()
            }
        }
        self.init(
            avatar: try avatar.required,
            name: try name.required,
            healthLevel: try healthLevel.required,
            phase: phase
        )
    }
}

extension AdventureAttributes.TurnState {
    fileprivate init(plain json: inout PlainJSON) throws(PlainJSON.Refusal) {
        var number: Int64?
        var heroIndex: Int64?
        var endsEpochSeconds: Int64?
        try json.object { json, key throws(PlainJSON.Refusal) in
            switch key {
            case "number": try number.fill(try json.integer())
            case "heroIndex": try heroIndex.fill(try json.integer())
            case "endsEpochSeconds": try endsEpochSeconds.fill(try json.integer())
            default: throw PlainJSON.Refusal()
            }
        }
        self.init(
            number: Int(try number.required),
            heroIndex: heroIndex.map { Int($0) },
            endsEpochSeconds: endsEpochSeconds
        )
    }
}

extension LocalizableText {
    fileprivate init(plain json: inout PlainJSON) throws(PlainJSON.Refusal) {
        var key: String?
        var args: [String]?
        try json.object { json, name throws(PlainJSON.Refusal) in
            switch name {
            case "key": try key.fill(try json.text())
            case "args": try args.fill(try json.texts())
            default: throw PlainJSON.Refusal()
            }
        }
        self.init(key: try key.required, args: try args.required)
    }
}
