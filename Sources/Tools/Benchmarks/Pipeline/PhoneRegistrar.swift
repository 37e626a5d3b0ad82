import Foundation
import HTTPTypes

/// Adds phones to a simulator, one for each party, with a card for each hero.
struct PhoneRegistrar: Sendable {
    private struct Phone: Decodable { let phoneID: String }
    private struct Card: Decodable { let pushToken: String }

    private static let hands = 4

    /// Where the simulator's page and API are.
    let port: Int

    /// Adds the phones of a plan's parties.
    /// - Parameters:
    ///   - plan: whose parties.
    ///   - cards: on each phone.
    /// - Returns: the push tokens by party and seat.
    /// - Throws: ``MeasurementFailure`` when the simulator does not take them.
    func register(_ plan: WorldPlan, cards: Int) async throws -> [[[UInt8]]] {
        var tokens = [[[UInt8]]](repeating: [], count: plan.parties)
        try await withThrowingTaskGroup(of: [(number: Int, tokens: [[UInt8]])].self) { group in
            for hand in 0..<Self.hands {
                group.addTask {
                    try await BlockingWork.run {
                        var connection = try LoadConnection(port: port)
                        return try stride(from: hand, to: plan.parties, by: Self.hands).map { number in
                            (number, try phone(number, of: plan, cards: cards, over: &connection))
                        }
                    }
                }
            }
            for try await phones in group {
                for phone in phones { tokens[phone.number] = phone.tokens }
            }
        }
        return tokens
    }

    private func phone(
        _ number: Int,
        of plan: WorldPlan,
        cards: Int,
        over connection: inout LoadConnection
    ) throws -> [[UInt8]] {
        let phone: Phone = try post("/api/phones", #"{"label":"\#(number)"}"#, over: &connection)
        return try (0..<cards).map { seat in
            let card: Card = try post(
                "/api/phones/\(phone.phoneID)/activities",
                #"{"adventureID":"\#(plan.adventureID(number))","activityID":"\#(plan.activityID(number, seat: seat))"}"#,
                over: &connection
            )
            guard let token = [UInt8](hexadecimal: card.pushToken) else {
                throw MeasurementFailure("the simulator returned an invalid push token")
            }
            return token
        }
    }

    private func post<Answer: Decodable>(
        _ path: String,
        _ body: String,
        over connection: inout LoadConnection
    ) throws -> Answer {
        let status = try connection.exchange(PreparedRequest(.post, path, body: body).bytes)
        guard status == 201, let answer = connection.lastAnswer else {
            throw MeasurementFailure("the simulator answered \(path) with \(status)")
        }
        return try JSONDecoder().decode(Answer.self, from: Data(answer.body))
    }
}
