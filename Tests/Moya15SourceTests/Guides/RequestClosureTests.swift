// The samples stand as they do in the guides.
// swift-format-ignore-file
#if TaskAlias
import Foundation
import Moya
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Request closures in every spelling of the type of `done`.
@Suite struct RequestClosureTests {
    private func agent(_ provider: MoyaProvider<GitHub>) -> String? {
        var agent: String?
        provider.request(.zen) { agent = try? $0.get().request?.value(forHTTPHeaderField: "X-Agent") }
        return agent
    }

    @Test func aliasWithoutATargetCompiles() {
        let requestClosure = { (endpoint: Endpoint, done: MoyaProvider.RequestResultClosure) in
            do {
                var request = try endpoint.urlRequest()
                // Modify the request however you like.
                request.setValue("guide", forHTTPHeaderField: "X-Agent")
                done(.success(request))
            } catch {
                done(.failure(MoyaError.underlying(error, nil)))
            }
        }
        let provider = MoyaProvider<GitHub>(requestClosure: requestClosure, stubClosure: MoyaProvider.immediatelyStub)
        #expect(agent(provider) == "guide")
    }

    @Test func aliasWithATargetCompiles() {
        let requestClosure: MoyaProvider<GitHub>.RequestClosure = { endpoint, closure in
            var request = try! endpoint.urlRequest()
            request.setValue("alias", forHTTPHeaderField: "X-Agent")
            closure(.success(request))
        }
        let provider = MoyaProvider<GitHub>(requestClosure: requestClosure, stubClosure: MoyaProvider.immediatelyStub)
        #expect(agent(provider) == "alias")
    }

    @Test func explicitClosureTypeCompiles() {
        let requestClosure = { (endpoint: Endpoint, done: @escaping (Result<URLRequest, MoyaError>) -> Void) in
            do {
                var request = try endpoint.urlRequest()
                request.setValue("written out", forHTTPHeaderField: "X-Agent")
                request.timeoutInterval = 20
                done(.success(request))
            } catch MoyaError.requestMapping(let url) {
                done(.failure(MoyaError.requestMapping(url)))
            } catch MoyaError.parameterEncoding(let error) {
                done(.failure(MoyaError.parameterEncoding(error)))
            } catch {
                done(.failure(MoyaError.underlying(error, nil)))
            }
        }
        let provider = MoyaProvider<GitHub>(requestClosure: requestClosure, stubClosure: MoyaProvider.immediatelyStub)
        #expect(agent(provider) == "written out")
    }

    @Test func functionOfTheAppMakesTheRequest() {
        func sign(_ endpoint: Endpoint, closure: MoyaProvider<GitHub>.RequestResultClosure) {
            guard var request = try? endpoint.urlRequest() else { return }
            request.addValue("function", forHTTPHeaderField: "X-Agent")
            closure(.success(request))
        }
        let provider = MoyaProvider<GitHub>(requestClosure: sign, stubClosure: MoyaProvider.immediatelyStub)
        #expect(agent(provider) == "function")
    }

    @Test func failureReachesTheCaller() {
        let provider = MoyaProvider<GitHub>(
            requestClosure: { _, done in done(.failure(.requestMapping("nowhere"))) },
            stubClosure: MoyaProvider.immediatelyStub)
        var failure: MoyaError?
        provider.request(.zen) { if case .failure(let error) = $0 { failure = error } }
        guard case .requestMapping("nowhere")? = failure else { Issue.record("got \(String(describing: failure))"); return }
    }
}
#endif
