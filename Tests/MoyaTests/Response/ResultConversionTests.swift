import Foundation
import Moya
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct ResultConversionTests {
    private let http = HTTPURLResponse(
        url: URL(string: "https://example.com")!, statusCode: 418, httpVersion: nil, headerFields: nil)!
    private let request = URLRequest(url: URL(string: "https://example.com")!)
    private let failure = NSError(domain: "test", code: 7)

    @Test func responseWithoutErrorIsASuccess() throws {
        let response = try convertResponseToResult(http, request: request, data: Data("a".utf8), error: nil).get()
        #expect(response.statusCode == 418)
        #expect(response.data == Data("a".utf8))
        #expect(response.response === http)
        #expect(response.request == request)
    }

    @Test func noDataIsEmptyData() throws {
        #expect(try convertResponseToResult(http, request: nil, data: nil, error: nil).get().data == Data())
    }

    @Test func errorTakesPrecedenceOverAResponseAndContainsIt() {
        let result = convertResponseToResult(http, request: request, data: Data("a".utf8), error: failure)
        guard case .failure(.underlying(let error, let response?)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(error as NSError == failure)
        #expect(response.statusCode == 418 && response.data == Data("a".utf8))
    }

    @Test func errorWithoutAResponseHasNone() {
        let result = convertResponseToResult(nil, request: request, data: nil, error: failure)
        guard case .failure(.underlying(let error, nil)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(error as NSError == failure)
    }

    @Test func missingResponseAndErrorIsAnUnknownError() {
        let result = convertResponseToResult(nil, request: request, data: nil, error: nil)
        guard case .failure(.underlying(let error, nil)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect((error as NSError).domain == NSURLErrorDomain && (error as NSError).code == NSURLErrorUnknown)
    }
}
