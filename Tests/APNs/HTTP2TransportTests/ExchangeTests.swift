import HTTP2Transport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ExchangeTests {
    @Test func `a request and its response arrive completely`() async throws {
        let requests = Recorder<[HTTP2Request]>([])
        let peer = try TestPeer { request, _ in
            requests.change { $0.append(request) }
            return HTTP2Response(status: 410, headers: [HTTP2Header("apns-id", "A")], body: Array("gone".utf8))
        }
        let client = try peer.makeClient()
        let headers = [HTTP2Header("b", "2"), HTTP2Header("a", "1", isIndexed: false), HTTP2Header("a", "1")]
        let outcomes = await client.send([post("/3/device/00", "hello", headers: headers)])

        let expected = HTTP2Response(status: 410, headers: [HTTP2Header("apns-id", "A")], body: Array("gone".utf8))
        #expect(outcomes == [.response(expected)])
        let request = try #require(requests.value.first)
        #expect(request.method == "POST")
        #expect(request.path == "/3/device/00")
        #expect(request.headers.map(\.name) == ["b", "a", "a"])
        #expect(request.headers.map(\.value) == ["2", "1", "1"])
        #expect(request.body == Array("hello".utf8))
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }

    @Test func `outcomes are in the order of their requests`() async throws {
        let peer = try TestPeer { request, _ in HTTP2Response(status: 200, body: request.body) }
        let client = try peer.makeClient()
        let outcomes = await client.send((0..<5000).map { post("/\($0)", String($0)) })
        let bodies = outcomes.map { outcome -> String? in
            guard case .response(let response) = outcome else { return nil }
            return String(decoding: response.body, as: UTF8.self)
        }
        #expect(bodies == (0..<5000).map { String($0) })
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }

    @Test func `shared fields follow each request's own fields`() async throws {
        let requests = Recorder<[HTTP2Request]>([])
        let peer = try TestPeer { request, _ in
            requests.change { $0.append(request) }
            return HTTP2Response(status: 200)
        }
        let client = try peer.makeClient()
        let shared: HTTP2Headers = [HTTP2Header("c", "3"), HTTP2Header("d", "4", isIndexed: false)]
        let batch = (0..<10).map { number in
            HTTP2ClientRequest(
                method: "POST",
                path: "/",
                headers: [HTTP2Header("a", String(number)), HTTP2Header("b", "2")],
                sharing: shared
            )
        }
        #expect(await client.send(batch).map(\.status) == Array(repeating: 200, count: 10))
        #expect(requests.value.map { $0.headers.map(\.name) } == Array(repeating: ["a", "b", "c", "d"], count: 10))
        #expect(requests.value.map { $0.headers["a"] } == (0..<10).map { String($0) })
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }

    @Test func `many tasks can each await one request`() async throws {
        let peer = try TestPeer { request, _ in HTTP2Response(status: 200, body: Array(request.path.utf8)) }
        let client = try peer.makeClient()
        let areRight = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<2000 {
                group.addTask {
                    let outcome = await client.send(post("/\(number)", "x"))
                    return outcome == .response(HTTP2Response(status: 200, body: Array("/\(number)".utf8)))
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(areRight == Array(repeating: true, count: 2000))
        await client.shutDown(within: .seconds(5))
        #expect(await client.send(post("/")) == .neverProcessed(.shutDown))
        await peer.server.stop()
    }

    @Test func `an empty list of requests has no outcomes`() async throws {
        let peer = try TestPeer { _, _ in HTTP2Response(status: 200) }
        let client = try peer.makeClient()
        #expect(await client.send([]).isEmpty)
        await peer.server.stop()
    }

    @Test(arguments: [0, 1, 16_384, 65_535, 65_536, 300_000])
    func `bodies of any size pass a small flow-control window`(count: Int) async throws {
        let peer = try TestPeer(windowBytes: 65_535) { request, _ in
            HTTP2Response(status: 200, body: Array(String(request.body.count).utf8))
        }
        let client = try peer.makeClient()
        let body = String(repeating: "x", count: count)
        let outcomes = await client.send([post("/a", body), post("/b", body)])
        let expected = HTTP2Outcome.response(HTTP2Response(status: 200, body: Array(String(count).utf8)))
        #expect(outcomes == [expected, expected])
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }

    @Test func `a handler can respond later`() async throws {
        let peer = try TestPeer { request, connection in
            connection.respond(request.streamID, with: HTTP2Response(status: 202))
            return nil
        }
        let client = try peer.makeClient()
        #expect(await client.send([post("/")]).map(\.status) == [202])
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }

    @Test func `a body over the size limit resets only its stream`() async throws {
        let authority = try CertificateAuthority(name: "Test authority")
        let server = try HTTP2Server(
            configuration: .init(identity: try authority.issueIdentity(for: ["127.0.0.1"]), maxBodyBytes: 10),
            handler: ClosureHandler { _, _ in HTTP2Response(status: 200) }
        )
        let client = try makeClient(port: server.port, trusting: authority)
        let outcomes = await client.send([post("/", "12345678901"), post("/", "1234567890")])
        #expect(outcomes[0] == .unknown(.reset(errorCode: HTTP2ErrorCode.cancel)))
        #expect(outcomes[1].status == 200)
        await client.shutDown(within: .seconds(5))
        await server.stop()
    }
}
