import Encodings
import Testing

@testable import APNsClient

struct HTTPDateTests {
    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ])
    func `the RFC's example is read in each form`(text: String) {
        #expect(HTTPDate(text)?.epochSeconds == 784_111_777)
    }

    @Test(
        arguments: [
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Tue, 29 Feb 2000 23:59:59 GMT", 951_868_799),
            ("Wed, 01 Mar 2000 00:00:00 GMT", 951_868_800),
            ("Thu, 28 Feb 2100 00:00:00 GMT", 4_107_456_000),
            ("Mon, 01 Mar 2100 00:00:00 GMT", 4_107_542_400),
            ("Saturday, 21-Nov-26 12:00:00 GMT", 1_795_262_400),
            ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
        ] as [(String, Int64)]
    )
    func `dates follow the Gregorian calendar with leap years`(text: String, epochSeconds: Int64) {
        #expect(HTTPDate(text)?.epochSeconds == epochSeconds)
    }

    @Test(arguments: [
        "", "soon", "17", "Sun, 06 Nov 1994", "Sun, 06 Now 1994 08:49:37 GMT", "Sun, 32 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 99999 08:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37", "Sun, ٠٦ Nov 1994 08:49:37 GMT",
    ])
    func `any other text is not a date`(text: String) {
        #expect(HTTPDate(text) == nil)
    }
}
