import APNsClient
import Foundation
import HTTP2Transport
import Logging
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SendingTests {
    @Test func `a push is sent as Apple documents`() async throws {
        let apns = try TestAPNs { _, _ in HTTP2Response(status: 200) }
        let push = try makePush(0xAB, priority: .low)
        #expect(await apns.client.send(push) == .accepted(apnsID: push.id, uniqueID: nil))

        let request = try #require(apns.requests.value.first)
        #expect(request.method == "POST")
        #expect(request.path == "/3/device/\(push.deviceToken.hex)")
        #expect(request.body == push.payload)
        let authorization = try #require(request.headers["authorization"])
        #expect(authorization.hasPrefix("bearer "))
        let others = request.headers.filter { $0.name != "authorization" }
        #expect(
            others.map { "\($0.name): \($0.value)" } == [
                "apns-expiration: 1700000600",
                "apns-id: \(push.id.uuidString.lowercased())",
                "apns-push-type: liveactivity",
                "apns-topic: com.example.rangers.push-type.liveactivity",
                "apns-priority: 5",
            ]
        )
    }

    @Test func `pushes of one call share a token and keep their own fields`() async throws {
        let apns = try TestAPNs { _, _ in HTTP2Response(status: 200) }
        var pushes = try [makePush(1, priority: .low), makePush(2, priority: .high), makePush(3, priority: .low)]
        pushes[2].topic = "com.example.other.push-type.liveactivity"
        _ = await apns.client.send(pushes)
        let requests = apns.requests.value
        #expect(requests.map { $0.headers["apns-priority"] } == ["5", "10", "5"])
        #expect(requests.map { $0.headers["apns-topic"] } == pushes.map(\.topic))
        #expect(requests.map { $0.headers["apns-id"] } == pushes.map { $0.id.uuidString.lowercased() })
        #expect(Set(requests.map { $0.headers["authorization"] }).count == 1)
    }

    @Test func `a push after its sendBy is never sent`() async throws {
        let apns = try TestAPNs { _, _ in HTTP2Response(status: 200) }
        var push = try makePush()
        push.sendBy = .now
        #expect(await apns.client.send(push) == .neverSent(.tooLate))
        #expect(apns.requests.value.isEmpty)
    }

    @Test func `an outcome has the identifiers of the response`() async throws {
        let id = UUID()
        let apns = try TestAPNs { _, _ in
            let headers = [HTTP2Header("apns-id", id.uuidString), HTTP2Header("apns-unique-id", "unique")]
            return HTTP2Response(status: 200, headers: headers)
        }
        #expect(await apns.client.send(try makePush()) == .accepted(apnsID: id, uniqueID: "unique"))
    }

    @Test func `outcomes are in the order of their pushes`() async throws {
        let apns = try TestAPNs { request, _ in
            request.path.hasSuffix("f") ? reject(410, "Unregistered") : HTTP2Response(status: 200)
        }
        let pushes = try (0..<2000).map { try makePush($0) }
        let outcomes = await apns.client.send(pushes)
        let expected = pushes.map { push -> APNsOutcome in
            push.deviceToken.hex.hasSuffix("f")
                ? .rejected(APNsRejection(status: 410, reason: .unregistered))
                : .accepted(apnsID: push.id, uniqueID: nil)
        }
        #expect(outcomes == expected)
        #expect(await apns.client.send([]).isEmpty)
    }

    @Test func `all pushes within 50 minutes use one provider token`() async throws {
        let apns = try TestAPNs { _, _ in HTTP2Response(status: 200) }
        _ = await apns.client.send([try makePush(), try makePush()])
        apns.clock.change { $0 += 50 * 60 - 1 }
        _ = await apns.client.send(try makePush())
        #expect(Set(apns.requests.value.map { $0.headers["authorization"] }).count == 1)
        apns.clock.change { $0 += 1 }
        _ = await apns.client.send(try makePush())
        #expect(Set(apns.requests.value.map { $0.headers["authorization"] }).count == 2)
    }

    @Test func `an expired provider token is renewed once, and only rejected pushes are repeated`() async throws {
        let old = Recorder<String?>(nil)
        let apns = try TestAPNs { request, _ in
            guard request.headers["authorization"] == old.value, !request.path.hasSuffix("1") else {
                return HTTP2Response(status: 200)
            }
            return reject(403, "ExpiredProviderToken")
        }
        _ = await apns.client.send(try makePush(1))
        let authorization = apns.requests.value.first?.headers["authorization"]
        old.change { $0 = authorization }
        apns.clock.change { $0 += 20 * 60 }
        let pushes = [try makePush(0), try makePush(1), try makePush(2)]
        let outcomes = await apns.client.send(pushes)
        #expect(outcomes == pushes.map { .accepted(apnsID: $0.id, uniqueID: nil) })
        #expect(apns.requests.value.count == 1 + 3 + 2)
    }

    @Test func `a provider token that is always rejected is not renewed each time`() async throws {
        let apns = try TestAPNs { _, _ in reject(403, "ExpiredProviderToken") }
        let rejected = APNsOutcome.rejected(APNsRejection(status: 403, reason: .expiredProviderToken))
        for _ in 0..<5 { #expect(await apns.client.send(try makePush()) == rejected) }
        #expect(apns.requests.value.count == 6)
        #expect(Set(apns.requests.value.map { $0.headers["authorization"] }).count == 2)
    }

    /// The clock of APNs is correct, and the clock of this machine is wrong.
    @Test(arguments: [(-90, 3), (-61, 2), (-40, 4), (0, 0), (5, 0)])
    func `a wrong clock causes few rejections and loses no push`(minutesOff: Int64, cost: Int) async throws {
        let now = Recorder<Int64>(1_700_000_000)
        let rejections = Recorder(0)
        let apns = try TestAPNs { request, _ in
            let age = now.value - (issueTime(of: request) ?? 0)
            if age <= 3600, age >= -600 { return HTTP2Response(status: 200) }
            rejections.change { $0 += 1 }
            return reject(403, age > 0 ? "ExpiredProviderToken" : "InvalidProviderToken")
        }
        for minute in 0..<Int64(100) {
            now.change { $0 = 1_700_000_000 + minute * 60 }
            apns.clock.change { $0 = 1_700_000_000 + (minute + minutesOff) * 60 }
            let push = try makePush()
            #expect(await apns.client.send(push) == .accepted(apnsID: push.id, uniqueID: nil))
        }
        #expect(rejections.value == cost)
    }

    @Test func `a corrected clock loses no push`() async throws {
        let rejections = Recorder(0)
        let now: Int64 = 1_700_000_000
        let apns = try TestAPNs { request, _ in
            let age = now - (issueTime(of: request) ?? 0)
            if age <= 3600, age >= -600 { return HTTP2Response(status: 200) }
            rejections.change { $0 += 1 }
            return reject(403, age > 0 ? "ExpiredProviderToken" : "InvalidProviderToken")
        }
        for minutesOff in [-61, 0] as [Int64] {
            apns.clock.change { $0 = now + minutesOff * 60 }
            let push = try makePush()
            #expect(await apns.client.send(push) == .accepted(apnsID: push.id, uniqueID: nil))
        }
        #expect(rejections.value == 1)
    }

    @Test func `a provider token that changed too often is kept`() async throws {
        let apns = try TestAPNs { _, _ in reject(429, "TooManyProviderTokenUpdates") }
        for _ in 0..<5 {
            guard case .rejected(let rejection) = await apns.client.send(try makePush()) else {
                Issue.record("the push was not rejected")
                return
            }
            #expect(rejection.reaction == .pauseSending)
            apns.clock.change { $0 += 9 * 60 }
        }
        #expect(apns.requests.value.count == 5)
        #expect(Set(apns.requests.value.map { $0.headers["authorization"] }).count == 1)
    }

    @Test func `too many pushes to one device delay no other`() async throws {
        let apns = try TestAPNs { request, _ in
            guard request.path.hasSuffix("1") else { return HTTP2Response(status: 200) }
            let rejection = reject(429, "TooManyRequests")
            return HTTP2Response(status: 429, headers: [HTTP2Header("retry-after", "60")], body: rejection.body)
        }
        let pushes = try (0..<3).map { try makePush($0) }
        for _ in 0..<2 {
            let outcomes = await apns.client.send(pushes)
            #expect(
                outcomes == [
                    .accepted(apnsID: pushes[0].id, uniqueID: nil),
                    .rejected(APNsRejection(status: 429, reason: .tooManyRequests, retryAfterSeconds: 60)),
                    .accepted(apnsID: pushes[2].id, uniqueID: nil),
                ]
            )
        }
    }

    @Test func `rejections have their reactions, and only some end the connection`()
        async throws
    {
        let rows = APNsReasonTests.pushes + APNsReasonTests.broadcasts
        // After a pause, pushes use another connection, too.
        let kept = rows.filter { ![.reconnect, .pauseSending].contains($0.reaction) }
        let connections = Recorder<Set<Int>>([])
        let apns = try TestAPNs { request, connection in
            connections.change { $0.insert(connection.id) }
            let row = kept[Int(request.path.suffix(4), radix: 16) ?? 0]
            return reject(row.status, row.text)
        }
        let outcomes = await apns.client.send(try kept.indices.map { try makePush($0) })
        for (row, outcome) in zip(kept, outcomes) {
            #expect(outcome == .rejected(APNsRejection(status: row.status, reason: APNsReason(row.text))))
            guard case .rejected(let rejection) = outcome else { continue }
            #expect(rejection.reaction == row.reaction, "\(row.text)")
        }
        #expect(connections.value == [1])
    }

    @Test(arguments: ["IdleTimeout", "UnrelatedKeyIdInToken", "Shutdown"])
    func `a rejection of the connection opens another one`(reason: String) async throws {
        let apns = try TestAPNs { _, connection in
            connection.id == 1 ? reject(403, reason) : HTTP2Response(status: 200)
        }
        let push = try makePush()
        let rejected = APNsOutcome.rejected(APNsRejection(status: 403, reason: APNsReason(reason)))
        #expect(await apns.client.send(push) == rejected)
        #expect(await apns.client.send(push) == .accepted(apnsID: push.id, uniqueID: nil))
    }

    @Test func `a missing response and a full peer are different outcomes`() async throws {
        let apns = try TestAPNs(requestTimeout: .milliseconds(200), maxConcurrentStreams: 1) { _, _ in nil }
        let outcomes = await apns.client.send([try makePush(), try makePush()])
        #expect(outcomes == [.unknown(.timedOut), .neverSent(.timedOut)])
    }

    @Test func `a missing file of authorities is an error`() throws {
        let configuration = APNsClient.Configuration(
            environment: .simulator,
            caFile: "/no/such/file.pem",
            providerKey: try makeProviderKey()
        )
        let error = #expect(throws: TransportError.self) {
            try APNsClient(configuration: configuration, now: { 0 }, logger: .init(label: "test"))
        }
        #expect(error?.description.contains("/no/such/file.pem") == true)
    }
}
