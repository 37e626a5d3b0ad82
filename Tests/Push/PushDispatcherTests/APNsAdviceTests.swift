import APNsClient
import Testing

@testable import PushDispatcher

struct APNsAdviceTests {
    @Test func `every reason has a meaning and a remedy in whole sentences`() {
        let reasons = APNsReason.documented + [.unknown(""), .unknown("BadWeather")]
        #expect(APNsReason.documented.count > 40)
        for reason in reasons {
            for text in [reason.advice.meaning, reason.advice.remedy] {
                #expect(text.first?.isUppercase == true || text.hasPrefix("APNs"), "\(reason.text): \(text)")
                #expect(text.hasSuffix("."), "\(reason.text): \(text)")
                #expect(!text.contains("\n") && !text.contains("  "), "\(reason.text): \(text)")
            }
        }
        // Operators can distinguish all reasons.
        let meanings = reasons.map(\.advice.meaning)
        #expect(Set(meanings).count == meanings.count)
    }

    @Test func `the remedy names the setting`() {
        #expect(APNsReason.topicDisallowed.advice.remedy.contains("RANGERS_APNS_BUNDLE_ID"))
        #expect(APNsReason.invalidProviderToken.advice.remedy.contains("RANGERS_APNS_KEY_ID"))
        #expect(APNsReason.unknown("BadWeather").advice.meaning.contains("BadWeather"))
    }

    @Test func `every outcome has advice`() {
        let failures: [APNsFailure] = [
            .timedOut, .streamEnded(errorCode: 2), .goAway(.shutdown, errorCode: 0), .connection("refused"), .tooLate,
            .shuttingDown, .providerToken("no key"),
        ]
        for outcome in failures.flatMap({ [APNsOutcome.unknown($0), .neverSent($0)] }) {
            #expect(outcome.advice.meaning.hasSuffix(".") && outcome.advice.remedy.hasSuffix("."))
        }
        let refusal = APNsRejection(status: 410, reason: .unregistered)
        #expect(APNsOutcome.rejected(refusal).advice == APNsReason.unregistered.advice)
    }
}
