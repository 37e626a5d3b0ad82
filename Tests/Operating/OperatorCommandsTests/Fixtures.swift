/// Responses of a server.
enum Fixtures {
    static let bossFight = """
        {
            "adventureID": "01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11", "partyID": "01981f6e-0000-7000-8000-000000000011",
            "kind": "bossFight", "status": "running", "tick": 12, "sequence": 31,
            "heroes": [
                {"seat": 0, "playerID": "01981f6e-1111-7000-8000-000000000001", "hero": {"id": "spouty", "name": "Spouty", "avatar": "🐳", "level": 2},
                 "health": 40,
                 "maximumHealth": 40, "healthLevel": 1, "potions": 1, "experience": 9,
                 "policy": "automatic", "isGuarding": false, "isChallenging": false, "isDown": false, "hasLeft": false},
                {"seat": 1, "playerID": "01981f6e-1111-7000-8000-000000000002", "hero": {"id": "hopper", "name": "Hopper", "avatar": "🐸", "level": 1},
                 "health": 0,
                 "maximumHealth": 30, "healthLevel": 0, "potions": 0, "experience": 0,
                 "policy": "automatic", "isGuarding": false, "isChallenging": false, "isDown": true, "hasLeft": true}
            ],
            "boss": {"id": "dragon", "name": "Drake", "avatar": "🐲", "health": 124, "maximumHealth": 200,
                     "healthLevel": 0.62, "phase": 2, "isWindingUp": true, "weakenedTurns": 0, "exposedBlows": 0},
            "turn": {"number": 13, "seat": 0, "endsAt": "2026-01-02T03:04:05.678Z"},
            "startedAt": "2026-01-02T03:00:00.000Z"
        }
        """

    static let journey = """
        {
            "adventureID": "01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11", "partyID": "01981f6e-0000-7000-8000-000000000011",
            "kind": "journey", "status": "ended", "outcome": "completed", "tick": 30, "sequence": 64,
            "region": "forest", "location": "glade",
            "progress": {"step": 30, "steps": 56}, "foe": {"id": "wasps", "name": "a cloud of wasps", "avatar": "🐝"}, "heroes": [],
            "startedAt": "2026-01-02T03:00:00.000Z", "endedAt": "2026-01-02T03:05:00.000Z"
        }
        """
}
