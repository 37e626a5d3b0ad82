import GameCore

/// A party, as its members see it.
struct PartyView: Encodable {
    struct MemberView: Encodable {
        let playerID: PlayerID
        let displayName: String
        let hero: HeroView

        init(_ member: Member) {
            playerID = member.playerID
            displayName = member.displayName
            hero = HeroView(member.hero, level: member.level)
        }
    }

    let partyID: PartyID
    let name: String
    let inviteCode: String
    let leaderID: PlayerID
    let capacity: Int
    /// In the order of joining.
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
}
