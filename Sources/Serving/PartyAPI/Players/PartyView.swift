import GameCore
import JSONCoding

/// A party as its members see it.
struct PartyView: JSONWritable {
    private struct MemberView: JSONWritable {
        let member: Member

        func write(to json: inout JSONWriter) {
            json.object { json in
                json.member("playerID", member.playerID)
                json.member("displayName", member.displayName)
                json.member("hero", HeroView(member.hero, level: member.level))
            }
        }
    }

    private let party: Party

    init(_ party: Party) { self.party = party }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("partyID", party.id)
            json.member("name", party.name)
            json.member("inviteCode", party.inviteCode.rawValue)
            json.member("leaderID", party.leaderID)
            json.member("capacity", party.capacity)
            // In the order in which they joined.
            json.member("members", party.members.map(MemberView.init))
            json.member("adventureID", party.adventureID)
            json.member("version", Int(party.version))
        }
    }
}

/// The response to `GET /v1/players/me/parties`.
struct PartyListView: JSONWritable {
    let parties: [PartyView]

    func write(to json: inout JSONWriter) {
        json.object { json in json.member("parties", parties) }
    }
}
