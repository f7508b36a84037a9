import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The records of a request, and their lifetime.
@Suite struct RequestRecordTests {
    private static let url = "http://a.example/"
    private let transport = SteppedTransport()

    @Test func namesTheRequestAsItWasSentBeforeARedirect() async {
        let session = Session.over(transport)
        let request = session.request(URLRequest.to(Self.url)).resume()
        transport.exchanges[0].respond(302, [("Location", "/next")])
        transport.exchanges[1].respond()
        let response = await request.answered()
        #expect(response.request?.url?.absoluteString == Self.url)
        #expect(response.response?.url?.absoluteString == "http://a.example/next")
        #expect(request.requests.map { $0.url?.absoluteString } == [Self.url])
    }

    @Test func isReleasedWithItsHandlersWhenItIsNeverStarted() {
        let session = Session.over(transport)
        weak var weakData: DataRequest?
        weak var weakDownload: DownloadRequest?
        do {
            let data = session.request(URLRequest.to(Self.url)).response { _ in }.downloadProgress { _ in }
            let download = session.download(URLRequest.to(Self.url)).response { _ in }.cURLDescription { _ in }
            (weakData, weakDownload) = (data, download)
        }
        #expect(weakData == nil)
        #expect(weakDownload == nil)
    }

    #if os(Linux)
    @Test(arguments: [(nil, 10), (60, 60), (5, 5), (0, nil)] as [(Double?, Double?)])
    func limitsIdleTimeByAnExplicitDefaultInterval(set: Double?, expected: Double?) {
        let session = Session.over(transport, timeouts: Deadlines(idle: .seconds(10)))
        var urlRequest = URLRequest.to(Self.url)
        if let set { urlRequest.timeoutInterval = set }
        session.request(urlRequest).resume()
        #expect(transport.exchanges[0].request.timeouts.idle == expected)
        transport.exchanges[0].respond()
    }
    #endif

    @Test func mayReadItsBodyWhileAPartIsRead() async {
        let asked = Recorded<UploadRequest>()
        let form = RequestMultipartFormData(boundary: "B")
        let stream = AskingStream { _ = asked.all.first?.uploadable }
        form.append(stream, withLength: 3, name: "s", fileName: "f", mimeType: "a/b")
        let session = Session.over(StubbedTransport(.response(200)))
        let upload = session.upload(multipartFormData: form, with: URLRequest.to(Self.url, method: "POST"))
        asked.add(upload)
        #expect(await upload.outcome().error == nil)
        #expect(stream.wasRead)
    }
}

/// Three bytes, and a closure that runs as they are read.
private final class AskingStream: InputStream {
    private let ask: () -> Void
    private var isOver = false
    private(set) var wasRead = false

    init(_ ask: @escaping () -> Void) {
        self.ask = ask
        super.init(data: Data())
    }

    override var hasBytesAvailable: Bool { !isOver }
    override var streamStatus: Stream.Status { isOver ? .atEnd : .notOpen }
    override func open() {}
    override func close() {}

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
        guard !isOver, length >= 3 else { return 0 }
        ask()
        wasRead = true
        isOver = true
        for index in 0..<3 { buffer[index] = UInt8(ascii: "a") }
        return 3
    }
}
