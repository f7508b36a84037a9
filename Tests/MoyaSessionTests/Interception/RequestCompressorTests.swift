import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct RequestCompressorTests {
    private let transport = StubbedTransport(.response(200))
    private let session: Session
    init() { session = Session.over(transport) }

    private static let body = String(repeating: "hello ", count: 100)

    private func sent(_ interceptor: any RequestInterceptor, coding: String? = nil, body: String? = body) async -> (
        coding: String?, body: Data?, error: SessionError?
    ) {
        var urlRequest = URLRequest.to("http://a.example/", method: "POST", body: body)
        urlRequest.setValue(coding, forHTTPHeaderField: "Content-Encoding")
        let request = session.request(urlRequest, interceptor: interceptor)
        let error = await request.outcome().error
        let sent = transport.requests.last
        guard case .data(let body)? = sent?.body else { return (nil, nil, error) }
        return (sent?.fields.values(for: "content-encoding").first, body, error)
    }

    @Test func deflateIsCompressedAndDeclared() async {
        let sent = await sent(.deflateCompressor)
        #expect(sent.coding == "deflate" && sent.body == DeflateEncoder.zlib(Data(Self.body.utf8)))
    }

    @Test func gzipIsCompressedAndDeclared() async {
        let sent = await sent(.gzipCompressor)
        #expect(sent.coding == "gzip" && sent.body == DeflateEncoder.gzip(Data(Self.body.utf8)))
    }

    @Test func requestThatIsCodedIsAnErrorByDefault() async {
        let error = await sent(.deflateCompressor, coding: "br").error
        #expect(error?.underlyingError is DeflateRequestCompressor.DuplicateHeaderError)
        #expect(transport.requests.isEmpty)
    }

    @Test func requestThatIsCodedMayBeSkipped() async {
        let sent = await sent(.deflateCompressor(duplicateHeaderBehavior: .skip), coding: "br")
        #expect(sent.coding == "br" && sent.body == Data(Self.body.utf8))
    }

    @Test func fieldOfACodedRequestMayBeReplaced() async {
        let sent = await sent(.deflateCompressor(duplicateHeaderBehavior: .replace), coding: "identity")
        #expect(sent.coding == "deflate" && sent.body == DeflateEncoder.zlib(Data(Self.body.utf8)))
    }

    @Test func excludedBodyIsUnchanged() async {
        let sent = await sent(.deflateCompressor(shouldCompressBodyData: { $0.count > 1_000 }))
        #expect(sent.coding == nil && sent.body == Data(Self.body.utf8))
    }

    @Test func requestWithoutABodyIsUnchanged() async {
        #expect(await sent(.deflateCompressor, body: nil).coding == nil)
    }
}
