/// The answer to `POST /admin/v1/campaigns`: one step of a campaign.
struct CampaignAnswer: Decodable {
    struct Fight: Codable, Hashable {
        let partyID: String
        let adventureID: String
    }

    struct Failure: Codable, Hashable {
        let partyID: String
        let reason: String
    }

    let parties: Int?
    let started: [Fight]
    let wouldStart: [String]
    let busy: Int
    let already: Int
    let empty: Int
    let failed: [Failure]
    let next: String?
}

/// The body of `POST /admin/v1/campaigns`.
struct CampaignRequest: Encodable {
    let name: String
    let boss: String
    let after: String?
    let limit: Int
    let dryRun: Bool
}
