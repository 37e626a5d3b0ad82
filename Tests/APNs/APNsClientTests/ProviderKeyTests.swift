import APNsClient
import Cryptography
import Foundation
import HTTP2Transport
import Testing

struct ProviderKeyTests {
    /// An EC key on P-384 and an RSA key, made for this test by `openssl genpkey`.
    private static let p384 = """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDDzRy4Z8UzlQK4aiOwM
        fHdnH10EYejFlnYo1UO7UmLO0nAHF/YbfDP6uM2TWJEcVeGhZANiAARGEg+7ZrOv
        3OBxmH+lCOHISQsQ9wvS2bC9zYRFJ/oBhUTXaF23bZfR1I4LS5gM+5+d9LwFvRFy
        TPd9kKOv/zmdhvqX8X0zXYO/nSrgObWNznPy/E2jhXdtKVh1s6BoyzY=
        -----END PRIVATE KEY-----
        """

    private static let rsa = """
        -----BEGIN PRIVATE KEY-----
        MIICdwIBADANBgkqhkiG9w0BAQEFAASCAmEwggJdAgEAAoGBAMaA5l+AJPbbhshW
        xLsRopFwKP1A0M99gi67VPz3KMomsdU0G84h0D2NaDLUrC4NDauVTVLHD2JiMH6/
        +Fq+EgzOZlL/4xTcAXumwoeLHbAG/1raoikvyMre+65+jzTDQQN5xQElPPLnH79G
        Cyd64x46FuqT5G2jZ1+VtFAY/ISDAgMBAAECgYAqICjDk5pEmQndciyF1pQ9cSQB
        usOVhPkfmbnLhVgurk+HA2vzLtHWfi/iuadgjnycMS8bpgrpwhSwkWTPPQ7vMM5T
        Jh4Gt6XVdgMRQpSrpsd772iDbjC4AaX0HZnpqFAgxzByS3VL9t460pohWWmFaQdu
        mS8p+sltkRvOmmFlgQJBAPSffm38RqJi4wMpGJuuKx/WA++E+IN34eAMmkDJoPHX
        4HUA9cIMzpId0KV5kOLza7C024cB5279jUYsSZEJI3ECQQDPvE108dWOkxcPFaer
        z4+WxuyfMlelPsHuHGaQas8xm5/m7Ki6vNpoZ5RYeHuB3n2NV+e46wG25AkKz/bO
        7UUzAkEAoyTr8PZbNVm2BRmXa9yQrj7RiSCpjSSa5A4DoknWqPRMojvtq2lXK2Pv
        Dy0wT+wAWm2EK1o9u2wmmDJZLf1mQQJABaoRxp2NgCy8lTm277ViKe9UpmaeAzB5
        4z89ALUY3zZqHsbXNvhNUEl6vwrR+1GQxNjfxagKzOzc3kGbbjsEBwJBAKl8EjnM
        pB8BWesj5wQRTPaqxroMga2SQ6Chk+0J5wSQXL42D5xTjIzKo01/SannzwIzwghB
        QBscZwSRJGVq0J8=
        -----END PRIVATE KEY-----
        """

    private func error(_ pem: String, keyID: String = "ABC123DEFG", teamID: String = "DEF123GHIJ") -> ProviderKeyError?
    {
        do throws(ProviderKeyError) {
            _ = try ProviderKey(pem: pem, keyID: keyID, teamID: teamID)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a P-256 key is accepted with any text around it`() throws {
        let pem = try P256PrivateKey.generate().pem
        #expect(error(pem) == nil)
        #expect(error("\n" + pem.replacing("\n", with: "\r\n") + "\n\n") == nil)
    }

    @Test func `keys are equal whatever text is around them in their files`() throws {
        let pem = try P256PrivateKey.generate().pem
        let key = try ProviderKey(pem: pem, keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
        let commented = "\n# a comment\n" + pem + "\n\n"
        #expect(try ProviderKey(pem: commented, keyID: "ABC123DEFG", teamID: "DEF123GHIJ") == key)
        let other = try P256PrivateKey.generate().pem
        #expect(try ProviderKey(pem: other, keyID: "ABC123DEFG", teamID: "DEF123GHIJ") != key)
    }

    @Test(arguments: ["", "ABC123DEF", "ABC123DEFGH", "abc123defg", "ABC-23DEFG", "ABC123DEF\""])
    func `the error for a malformed identifier names it`(text: String) throws {
        let pem = try P256PrivateKey.generate().pem
        #expect(error(pem, keyID: text) == .malformedKeyID(text))
        #expect(error(pem, teamID: text) == .malformedTeamID(text))
    }

    @Test func `the error for another kind of key names the kind`() {
        #expect(error(Self.p384) == .notP256(found: "secp384r1"))
        #expect(error(Self.rsa) == .notP256(found: "RSA"))
    }

    @Test func `the error for an unreadable key describes the expected file`() throws {
        let certificate = try CertificateAuthority(name: "Test authority").certificatePEM
        let pem = try P256PrivateKey.generate().pem
        for text in ["", "hello", certificate, String(pem.prefix(pem.utf8.count / 2))] {
            guard case .unreadable = error(text) else {
                Issue.record("\(text.prefix(30)) was taken")
                continue
            }
            #expect(error(text)?.description.contains("-----BEGIN PRIVATE KEY-----") == true)
        }
    }

    @Test func `no description discloses the key`() throws {
        let pem = try P256PrivateKey.generate().pem
        let secret = try #require(pem.split(separator: "\n").dropFirst().first)
        let key = try ProviderKey(pem: pem, keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
        var dumped = ""
        dump(key, to: &dumped)
        for text in ["\(key)", String(reflecting: key), dumped] {
            #expect(!text.contains(secret))
            #expect(text.contains("ABC123DEFG"))
        }
        let broken = pem.replacing("-----END PRIVATE KEY-----", with: "")
        #expect(error(broken)?.description.contains(secret) == false)
    }
}
