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
    /// The fights of these, which other runs of the campaign have begun.
    let served: [Fight]
    let empty: Int
    let failed: [Failure]
    let next: String?
}

/// The body of `POST /admin/v1/campaigns`.
struct CampaignRequest: Encodable {
    let name: String
    let boss: String
    /// The same for all steps, so that one whose answer was lost is known again.
    let run: String
    let after: String?
    let limit: Int
    let dryRun: Bool
}
