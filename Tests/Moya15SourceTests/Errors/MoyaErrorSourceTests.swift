#if TaskAlias
import Foundation
import Moya
import Testing

/// An error of the app's, beside Moya's.
enum AppError: Error, LocalizedError {
    case network(MoyaError)
    case unauthorized
    case other(Swift.Error)

    init(_ error: Error) {
        switch error {
        case MoyaError.statusCode(let response) where response.statusCode == 401: self = .unauthorized
        case let error as MoyaError: self = .network(error)
        default: self = .other(error)
        }
    }
}

@Suite struct MoyaErrorSourceTests {
    private func name(_ error: MoyaError) -> String {
        switch error {
        case .imageMapping(let response): return "image \(response.statusCode)"
        case .jsonMapping(let response): return "json \(response.statusCode)"
        case .stringMapping(let response): return "string \(response.statusCode)"
        case .objectMapping(let error, let response): return "object \(error) \(response.statusCode)"
        case .encodableMapping(let error): return "encodable \(error)"
        case .statusCode(let response): return "status \(response.statusCode)"
        case .underlying(let error as NSError, let response):
            return "underlying \(error.code) \(response?.statusCode ?? 0)"
        case .requestMapping(let url): return "request \(url)"
        case .parameterEncoding(let error): return "parameters \(error)"
        }
    }

    private let response = Response(statusCode: 401, data: Data())

    @Test func everyCaseIsMatched() {
        let error = NSError(domain: "d", code: 3)
        #expect(name(.statusCode(response)) == "status 401")
        #expect(name(.underlying(error, response)) == "underlying 3 401")
        #expect(name(.underlying(error, nil)) == "underlying 3 0")
        #expect(name(.requestMapping("x")) == "request x")
        #expect(name(.jsonMapping(response)) == "json 401")
    }

    @Test func patternsMayOmitPayloads() {
        let error = MoyaError.underlying(NSError(domain: "d", code: 3), nil)
        if case .underlying = error {} else { Issue.record("no match") }
        if case let .underlying(cause, _) = error {
            #expect((cause as NSError).code == 3)
        } else {
            Issue.record("no match")
        }
        guard case MoyaError.underlying(_, nil) = error else { Issue.record("no match"); return }
    }

    @Test func errorsOfTheAppAreMadeFromMoyas() {
        guard case .unauthorized = AppError(MoyaError.statusCode(response)) else { Issue.record("no match"); return }
        guard case .network(.jsonMapping) = AppError(MoyaError.jsonMapping(response)) else {
            Issue.record("no match"); return
        }
        guard case .other = AppError(NSError(domain: "d", code: 1)) else { Issue.record("no match"); return }
    }

    @Test func resultIsMappedToTheAppsError() {
        let result: Result<Moya.Response, MoyaError> = .failure(.statusCode(response))
        let mapped = result.mapError(AppError.init).map { $0.statusCode }
        guard case .failure(.unauthorized) = mapped else { Issue.record("no match"); return }
    }

    @Test func responseAndDescriptionAreRead() {
        let error: Error = MoyaError.statusCode(response)
        #expect((error as? MoyaError)?.response === response)
        #expect(error.localizedDescription == "Status code didn't fall within the given range.")
        #expect((error as NSError).userInfo[NSLocalizedDescriptionKey] as? String == error.localizedDescription)
    }

    @Test func mappingErrorsAreCaught() {
        do {
            _ = try Response(statusCode: 200, data: Data("no json".utf8)).mapJSON()
            Issue.record("mapped")
        } catch MoyaError.jsonMapping(let response) {
            #expect(response.data == Data("no json".utf8))
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test func filtersAreChained() throws {
        let response = Response(statusCode: 200, data: Data("{\"user\": {\"login\": \"ash\"}}".utf8))
        let user = try response.filterSuccessfulStatusCodes().filter(statusCode: 200).filter(statusCodes: 200..<300)
            .map(User.self, atKeyPath: "user", using: JSONDecoder(), failsOnEmptyData: false)
        #expect(user.login == "ash")
        #expect(try response.mapString(atKeyPath: "user.login") == "ash")
    }

    @Test func cancellationIsRecognised() async {
        let provider = MoyaProvider<GitHub>(stubClosure: MoyaProvider.delayedStub(60))
        let isCancelled: Bool = await withCheckedContinuation { continuation in
            let token = provider.request(.zen) { result in
                if case let .failure(.underlying(error, _)) = result,
                    error.asAFError?.isExplicitlyCancelledError == true
                        || (error as NSError).code == NSURLErrorCancelled
                {
                    continuation.resume(returning: true)
                } else {
                    continuation.resume(returning: false)
                }
            }
            token.cancel()
        }
        #expect(isCancelled)
    }
}
#endif
