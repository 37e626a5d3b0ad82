import COpenSSL
import Cryptography

/// An in-memory certificate authority for simulators and tests.
///
/// Keys are EC on P-256, signatures ECDSA with SHA-256. The authority's private key cannot be exported.
public struct CertificateAuthority: Sendable {
    /// The authority's own certificate, for clients that trust it.
    public let certificatePEM: String

    private let name: String
    private let keyPEM: String
    private let validDays: Int

    /// Creates an authority with a new key.
    /// - Parameters:
    ///   - name: the common name, 1 to 64 characters (RFC 5280, upper bound of `commonName`).
    ///   - validDays: the number of days for which its certificates are valid; the validity begins an hour ago.
    /// - Throws: `TransportError`, for example if the name is too long.
    public init(name: String, validDays: Int = 30) throws(TransportError) {
        let key = try PrivateKey.generateForCertificate()
        let draft = try CertificateDraft(subject: name, issuer: name, publicKey: key, validDays: validDays)
        try draft.add(NID_basic_constraints, "critical,CA:TRUE,pathlen:0")
        try draft.add(NID_key_usage, "critical,keyCertSign,cRLSign")
        try draft.add(NID_subject_key_identifier, "hash")
        self.certificatePEM = try draft.sign(with: key).pem
        self.name = name
        self.keyPEM = key.pem
        self.validDays = validDays
    }

    /// Issues a certificate with a new key for a server.
    /// - Parameter hosts: the DNS names and IP addresses of the server, at least one.
    /// - Returns: the identity; its chain does not include the authority's certificate, which clients have.
    /// - Throws: `TransportError` if a host is neither a DNS name nor an IP address.
    public func issueIdentity(for hosts: [String]) throws(TransportError) -> TLSIdentity {
        guard let first = hosts.first else {
            throw .unusableCertificate("A server's certificate needs a DNS name or an IP address")
        }
        let key = try PrivateKey.generateForCertificate()
        let draft = try CertificateDraft(
            subject: String(first.prefix(64)),
            issuer: name,
            publicKey: key,
            validDays: validDays
        )
        try draft.add(NID_basic_constraints, "critical,CA:FALSE")
        try draft.add(NID_key_usage, "critical,digitalSignature")
        try draft.add(NID_ext_key_usage, "serverAuth")
        try draft.add(NID_subject_alt_name, Self.alternativeNames(hosts))
        let certificate = try draft.sign(with: try PrivateKey.forCertificate(pem: keyPEM))
        return TLSIdentity(certificateChainPEM: certificate.pem, privateKeyPEM: key.pem)
    }

    /// Returns the hosts in the syntax of OpenSSL's configuration files, with commas between entries.
    ///
    /// - Throws: `TransportError` if a host is neither a DNS name nor an IP address.
    private static func alternativeNames(_ hosts: [String]) throws(TransportError) -> String {
        var names: [String] = []
        for host in hosts {
            guard !host.isEmpty, host.utf8.allSatisfy(isPartOfHost) else {
                throw .unusableCertificate("\"\(host)\" is neither a DNS name nor an IP address")
            }
            names.append(isAddress(host) ? "IP:\(host)" : "DNS:\(host)")
        }
        return names.joined(separator: ",")
    }

    private static func isPartOfHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: ":"),
            UInt8(ascii: "*"):
            true
        default: false
        }
    }

    private static func isAddress(_ host: String) -> Bool {
        guard let address = unsafe a2i_IPADDRESS(host) else {
            OpenSSLErrorQueue.drain()
            return false
        }
        unsafe ASN1_OCTET_STRING_free(address)
        return true
    }
}
