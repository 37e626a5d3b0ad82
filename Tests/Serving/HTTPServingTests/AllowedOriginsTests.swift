import HTTPServing
import Testing

@Suite struct AllowedOriginsTests {
    @Test(arguments: [
        ("https://play.example.com", true), ("http://localhost:3000", true), ("https://[2001:db8::1]:8443", true),
        ("https://play.example.com/", false), ("https://Play.example.com", false), ("play.example.com", false),
        ("https://play.example.com:443", false), ("http://play.example.com:80", false), ("https://a:70000", false),
        ("null", false), ("", false), ("https://*.example.com", false), ("ftp://play.example.com", false),
    ])
    func `an origin has the form that browsers send`(text: String, isOrigin: Bool) {
        #expect(AllowedOrigins.isOrigin(text) == isOrigin)
    }
}
