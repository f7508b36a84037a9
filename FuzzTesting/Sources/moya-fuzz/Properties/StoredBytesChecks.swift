import Foundation

@testable import MoyaCurl
@testable import MoyaSession
@testable import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Resume data as returned by an app, after a line with the `Content-Range` of the following response.
@Sendable func checkResumeData(_ bytes: [UInt8]) throws {
    var input = FuzzInput(bytes)
    let range = input.text()
    let data = Data(input.rest)

    if let resumeData = try? ResumeData(data) {
        try expect(resumeData.length > 0, "a first part of \(resumeData.length) bytes")
        let directory = FileManager.default.temporaryDirectory.standardizedFileURL.path
        try expect(
            resumeData.file.standardizedFileURL.deletingLastPathComponent().path == directory,
            "\(resumeData.file.path) is elsewhere")
        guard let again = resumeData.data else { throw Violation(description: "\(resumeData) cannot be kept") }
        try expect(try ResumeData(again) == resumeData, "\(resumeData) changes when it is kept")
        var request = resumeData.urlRequest
        resumeData.requestRest(in: &request)
        let asked = request.value(forHTTPHeaderField: "Range")
        try expect(asked == "bytes=\(resumeData.length)-", "\(asked ?? "nothing") is asked for")
    }

    // The range, compared with a second parser.
    guard let known = try? ResumeData(Data(knownResumeData.utf8)) else {
        throw Violation(description: "the known data is refused")
    }
    let head = TransportResponseHead(
        status: 206, fields: [HTTPField(name: "ETag", value: "\"e\""), HTTPField(name: "Content-Range", value: range)])
    let isContinued = known.lastByte(continuedBy: head) != nil
    try expect(isContinued == continues(range, from: 5), "\(range): \(isContinued)")
}

private let knownResumeData = """
    {"fields":[],"fileName":"moya-download-x","length":5,"url":"https:\\/\\/example.com\\/","validator":"\\"e\\""}
    """

/// `bytes first-last/complete` (RFC 9110 section 14.4), to the end of the resource.
private func continues(_ range: String, from length: UInt64) -> Bool {
    let words = range.utf8.split(separator: 0x20, omittingEmptySubsequences: false)
    guard words.count == 2, String(decoding: words[0], as: UTF8.self).lowercased().utf8.elementsEqual("bytes".utf8)
    else { return false }
    let ends = words[1].split(separator: 0x2F, omittingEmptySubsequences: false)
    guard ends.count == 2 else { return false }
    let positions = ends[0].split(separator: 0x2D, omittingEmptySubsequences: false)
    func number(_ bytes: Substring.UTF8View.SubSequence) -> UInt64? {
        guard !bytes.isEmpty, bytes.allSatisfy(\.isDigit), let number = Int64(String(decoding: bytes, as: UTF8.self))
        else { return nil }
        return UInt64(number)
    }
    guard positions.count == 2, let first = number(positions[0]), let last = number(positions[1]), first == length,
        last >= first
    else { return false }
    return ends[1].elementsEqual([0x2A]) || number(ends[1]) == last + 1
}

/// Certificates, keys and revocation lists, in DER and PEM.
@Sendable func checkCertificate(_ bytes: [UInt8]) throws {
    let content = Data(bytes)
    // The position of the bytes does not matter.
    let slice = (Data([0]) + content).dropFirst()
    let certificates = CertificateForm.certificates(in: content)
    try expect(CertificateForm.certificates(in: slice) == certificates, "a slice holds other certificates")
    let keys = CertificateForm.publicKeys(in: content)
    try expect(CertificateForm.publicKeys(in: slice) == keys, "a slice holds other keys")
    _ = CertificateForm.revocationLists(in: content)
    for certificate in certificates ?? [] {
        let key = CertificateForm.publicKey(ofCertificate: certificate)
        try expect(key != nil, "a certificate without a key")
        if let key { try expect(certificate.range(of: key) != nil, "a key that is not in its certificate") }
    }
    try expect(keys?.isEmpty != true && certificates?.isEmpty != true, "an empty list instead of none")

    var rest = content
    var taken = Data()
    while let element = DERElement.take(from: &rest) {
        taken += element.bytes
        try expect(element.bytes.suffix(element.content.count) == element.content, "content is not at the end")
        if let elements = element.elements {
            try expect(elements.reduce(Data()) { $0 + $1.bytes } == element.content, "elements are not the content")
        }
    }
    try expect(taken + rest == content, "bytes are lost")

    let block =
        "text\n-----BEGIN X-----\n\(content.base64EncodedString(options: .lineLength64Characters))\n-----END X-----\n"
    let blocks = PEMBlock.all(in: Data(block.utf8))
    try expect(content.isEmpty ? blocks == nil : blocks?.map(\.bytes) == [content], "a block is read otherwise")
}

/// Trusted root certificates, as OpenSSL reads them.
@Sendable func checkAuthorities(_ bytes: [UInt8]) throws {
    #if os(Linux)
    let content = Data(bytes)
    func store() throws -> CertificateAuthorities.Store { try CertificateAuthorities.Store(in: nil, read: []) }
    let count = try store().add(content)
    try expect(count <= bytes.count / 2, "\(count) certificates in \(bytes.count) bytes")
    try expect(try store().add((Data([0]) + content).dropFirst()) == count, "a slice holds others")
    // A value that is malformed alone is also malformed after another.
    let both = try store()
    _ = both.add(content)
    try expect(both.add(content) == count, "a value that comes twice is read in two ways")
    #endif
}

/// Messages of the kernel about links, addresses and routes; they never come from the network, but are parsed too.
@Sendable func checkNetlink(_ bytes: [UInt8]) throws {
    #if os(Linux)
    var table = RoutingTable()
    // Bytes whose index does not begin at 0, as after removing a message.
    let messages = NetlinkMessage.messages(in: ([0] + bytes).dropFirst())
    try expect(messages.count * NetlinkMessage.headerLength <= bytes.count, "\(messages.count) messages")
    for message in messages {
        table.record(message)
        var length = 0
        message.forEachAttribute(after: 4) { attribute in
            length += 4 + attribute.value.count
            _ = attribute.nextHops
            _ = attribute.string
        }
        try expect(length <= message.payload.count, "attributes of \(length) bytes in \(message.payload.count)")
    }
    _ = table.state
    #endif
}
