import Foundation

/// An answer of a server over HTTP/1.1, as far as a measurement needs to understand it.
struct ReceivedAnswer: Sendable, Hashable {
    let status: Int
    let headers: [Header]
    let body: [UInt8]

    struct Header: Codable, Sendable, Hashable {
        let name: String
        let value: String
    }
}

extension ReceivedAnswer {
    /// The end of a head.
    private static let blankLine = Array("\r\n\r\n".utf8)

    /// How many bytes the answer has that begins here; nil while its head is not there.
    ///
    /// Answers without `Content-Length` have no body: none that is measured comes in chunks.
    static func length(_ bytes: ArraySlice<UInt8>) -> (status: Int, whole: Int)? {
        guard let end = headEnd(of: bytes) else { return nil }
        let (status, headers) = head(bytes[..<end])
        let length = headers.first { $0.name.lowercased() == "content-length" }.flatMap { Int($0.value) }
        return (status, end - bytes.startIndex + blankLine.count + (length ?? 0))
    }

    /// A whole answer, nil when it is none.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard let end = Self.headEnd(of: bytes) else { return nil }
        (status, headers) = Self.head(bytes[..<end])
        body = Array(bytes[(end + Self.blankLine.count)...])
    }

    private static func headEnd(of bytes: ArraySlice<UInt8>) -> Int? {
        var index = bytes.startIndex
        while let end = bytes[index...].firstIndex(of: blankLine[0]), end + blankLine.count <= bytes.endIndex {
            if bytes[end..<end + blankLine.count].elementsEqual(blankLine) { return end }
            index = end + 1
        }
        return nil
    }

    private static func head(_ bytes: ArraySlice<UInt8>) -> (status: Int, headers: [Header]) {
        let lines = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ")
        let headers = lines.dropFirst().compactMap { line -> Header? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            return Header(name: String(line[..<colon]), value: value)
        }
        return (words.count > 1 ? Int(words[1]) ?? 0 : 0, headers)
    }
}
