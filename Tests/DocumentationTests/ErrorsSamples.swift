import Foundation
import Moya
// snippet: transport
import MoyaSession
// end
import Testing

/// The samples of the article Errors.
@Suite struct ErrorsSamples {
    private func cases(_ provider: MoyaProvider<Shop>) async -> [Item] {
        // snippet: cases
        do {
            return try await provider.request(.items, as: [Item].self)
        } catch .statusCode(let response) where response.statusCode == 401 {
            print("log in first")
        } catch .objectMapping(let decodingError, let response) {
            print("not what was expected:", decodingError, response.data.count)
        } catch .underlying(let cause, _) {
            print("no answer:", cause.localizedDescription)
        } catch {
            print(error.localizedDescription)
        }
        return []
        // end
    }

    private func transport(_ error: MoyaError) {
        // snippet: transport
        if case .underlying(let cause as SessionError, _) = error {
            switch cause.transportFailure?.kind {
            case .dns, .connect: print("no way to the server")
            case .timeout(let bound): print("took too long:", bound)
            case .tls(let reason): print("no trust:", reason)
            default: print(cause)
            }
        }
        // end
    }

    @Test func aCancelledCallThrowsTheCancelledError() async {
        let provider = MoyaProvider<Shop>(stubClosure: MoyaProvider.delayedStub(60))
        let task = _Concurrency.Task { () async throws(MoyaError) -> Response in
            try await provider.request(.items)
        }
        task.cancel()
        let error = await #expect(throws: MoyaError.self) { try await task.value }
        #expect(error.map(isCancelled) == true)
    }

    // snippet: cancelled
    func isCancelled(_ error: MoyaError) -> Bool {
        guard case .underlying(let cause, _) = error else { return false }
        return (cause as? SessionError)?.isExplicitlyCancelledError == true
    }
    // end

    @Test func aFilterThrowsTheResponse() {
        let response = Response(statusCode: 404, data: Data())
        // snippet: validation
        let error = #expect(throws: MoyaError.self) { try response.filterSuccessfulStatusCodes() }
        #expect(error?.response?.statusCode == 404)
        // end
    }
}
