import GameCore
import JSONCoding

/// A party as its members see it.
struct PartyView: JSONWritable {
    struct MemberView: JSONWritable {
        let playerID: PlayerID
        let displayName: String
        let hero: HeroView

        init(_ member: Member) {
            playerID = member.playerID
            displayName = member.displayName
            hero = HeroView(member.hero, level: member.level)
        }

        func write(to json: inout JSONWriter) {
            json.object { json in
                json.member("playerID", playerID)
                json.member("displayName", displayName)
                json.member("hero", hero)
            }
        }
    }

    let partyID: PartyID
    let name: String
    let inviteCode: String
    let leaderID: PlayerID
    let capacity: Int
    /// The members in the order in which they joined.
    let members: [MemberView]
    let adventureID: AdventureID?
    let version: Int64

    init(_ party: Party) {
        partyID = party.id
        name = party.name
        inviteCode = party.inviteCode.rawValue
        leaderID = party.leaderID
        capacity = party.capacity
        members = party.members.map(MemberView.init)
        adventureID = party.adventureID
        version = party.version
    }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("partyID", partyID)
            json.member("name", name)
            json.member("inviteCode", inviteCode)
            json.member("leaderID", leaderID)
            json.member("capacity", capacity)
            json.member("members", members)
            json.member("adventureID", adventureID)
            json.member("version", Int(version))
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
