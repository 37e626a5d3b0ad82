/// The response to `POST /admin/v1/campaigns`: the result of one step of a campaign.
struct CampaignStepResponse: Decodable {
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
    let alreadyStarted: Int
    /// The fights that earlier runs of the campaign started for parties of this step.
    let earlierFights: [Fight]
    let empty: Int
    let failed: [Failure]
    let next: String?
}

/// The body of `POST /admin/v1/campaigns`.
struct CampaignRequest: Encodable {
    let name: String
    let boss: String
    /// The identifier of the run, the same in all of its steps; the server recognizes repeated steps by it.
    let run: String
    let after: String?
    let limit: Int
    let dryRun: Bool
}
