import Foundation
import Testing

@testable import Benchmarks

@Suite struct StatementTests {
    private func line(_ sql: String, _ parameters: String = "", in transaction: String, of name: String = "app")
        -> String
    {
        """
        {"application_name":"\(name)","vxid":"\(transaction)","message":"execute x.y: \(sql)",\
        "detail":"parameters: \(parameters)"}

        """
    }

    private func log(_ lines: [String]) throws -> StatementLog {
        try StatementLog(Data(lines.joined().utf8), of: "app")
    }

    @Test(
        arguments: [
            ("", []),
            ("parameters: $1 = '5'", ["5"]),
            ("parameters: $1 = 'it''s', $2 = NULL, $3 = ''", ["it's", nil, ""]),
            ("parameters: $1 = 'a = ''b'', $2 = c', $2 = '{1,2}'", ["a = 'b', $2 = c", "{1,2}"]),
        ] as [(String, [String?])]
    )
    func `parameters are parsed from PostgreSQL's log`(detail: String, values: [String?]) throws {
        #expect(try StatementLog.parameters(of: detail) == values)
    }

    @Test func `only the statements of one application count`() throws {
        let log = try log([
            #"{"message":"connection received"}"# + "\n",
            line("SELECT $1", "$1 = '1'", in: "3/1"),
            line("SELECT 2", in: "3/2", of: "another"),
        ])
        #expect(log.entries == [.init(transaction: "3/1", sql: "SELECT $1", parameters: ["1"])])
    }

    @Test func `statements are divided into those of each request`() throws {
        let lines = (1...3).flatMap { number in
            [line("SELECT $1", "$1 = '\(number)'", in: "3/\(number)"), line("COMMIT", in: "4/\(number)")]
        }
        let requests = try log(lines).requests(3)
        #expect(
            requests.map { $0.map(\.sql) } == [
                ["SELECT $1", "COMMIT"], ["SELECT $1", "COMMIT"], ["SELECT $1", "COMMIT"],
            ]
        )
        #expect(requests.map { $0[0].parameters } == [["1"], ["2"], ["3"]])
    }

    @Test func `requests with different statements fail`() throws {
        let lines = [line("SELECT 1", in: "3/1"), line("COMMIT", in: "3/1"), line("SELECT 1", in: "3/2")]
        #expect(throws: BenchmarkFailure.self) { try log(lines).requests(2) }
        #expect(throws: BenchmarkFailure.self) { try log([lines[0], lines[2]]).requests(3) }
    }

    @Test func `requests of one shard stay with one client, in their order`() {
        let lists = StatementReplay.dealt([7, 9, 7, nil, 9, 7, nil], to: 2)
        #expect(lists.flatMap { $0 }.sorted() == Array(0..<7))
        for list in lists {
            #expect(list == list.sorted())
        }
        #expect(lists.contains { Set($0).isSuperset(of: [0, 2, 5]) })
        #expect(lists.contains { Set($0).isSuperset(of: [1, 4]) })
        #expect(lists.allSatisfy { $0.count >= 3 })
        #expect(StatementReplay.dealt([1, 1], to: 2) == [[0, 1]])
    }

    @Test func `a script has a pipeline for each transaction, with the parameters of each request`() {
        let request = { (number: Int) -> [StatementLog.Entry] in
            [
                .init(
                    transaction: "3/1",
                    sql: "SELECT a FROM t WHERE a = $1 AND b = ANY ($2::uuid[])",
                    parameters: ["\(number)", "{}"]
                ),
                .init(transaction: "4/1", sql: "BEGIN", parameters: []),
                .init(transaction: "4/1", sql: "INSERT INTO t VALUES ($1, $2, $1)", parameters: ["x", nil]),
                .init(transaction: "4/1", sql: "COMMIT", parameters: []),
            ]
        }
        let replay = StatementReplay(.join, [request(1), request(2)], shards: [nil, nil], clients: 10)
        #expect(replay.parameters.count == 2 && replay.requestsEach == 1)
        #expect(replay.parameters.flatMap(\.self) == [["1", "{}", "x"], ["2", "{}", "x"]])
        #expect(
            replay.script == """
                \\set number :number % 1 + 1
                SELECT parameters[1] AS p1, parameters[2] AS p2, parameters[3] AS p3 FROM replayed_requests
                WHERE kind = 'join' AND client = :client_id AND number = :number \\gset
                \\startpipeline
                SELECT a FROM t WHERE a = :p1 AND b = ANY (:p2::uuid[]);
                \\endpipeline
                \\startpipeline
                BEGIN;
                INSERT INTO t VALUES (:p3, NULL, :p3);
                COMMIT;
                \\endpipeline

                """
        )
    }

    @Test func `the rate of pgbench counts only if it ran every transaction`() {
        let report = """
            number of transactions actually processed: 20/20
            latency average = 0.5 ms
            tps = 1234.500000 (without initial connection time)
            """
        #expect(StatementReplay.rate(from: report, transactions: 20) == 1_234.5)
        #expect(StatementReplay.rate(from: report, transactions: 21) == nil)
    }

    @Test func `the cost of selecting parameters is subtracted`() {
        #expect(abs(StatementReplay.rate(of: 1_000, without: 5_000) - 1_250) < 0.001)
        #expect(StatementReplay.rate(of: 1_000, without: 900) == 1_000)
    }
}
