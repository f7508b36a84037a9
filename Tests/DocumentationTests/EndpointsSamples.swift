import Foundation
import Moya
import Testing

/// The samples of the article Endpoints.
@Suite struct EndpointsSamples {
    @Test func anEndpointHasTheTargetsProperties() async throws {
        // snippet: default
        let endpointClosure = { @Sendable (target: Shop) -> Endpoint in
            Endpoint(
                url: URL(target: target).absoluteString,
                sampleResponseClosure: { .networkResponse(200, target.sampleData) },
                method: target.method,
                task: target.task,
                httpHeaderFields: target.headers)
        }
        let provider = MoyaProvider(endpointClosure: endpointClosure)
        // end
        #expect(provider.endpoint(.items) == MoyaProvider.defaultEndpointMapping(for: Shop.items))
    }

    @Test func aFieldIsAddedToEveryCall() async throws {
        // snippet: header
        let endpointClosure = { @Sendable (target: Shop) -> Endpoint in
            MoyaProvider.defaultEndpointMapping(for: target)
                .adding(newHTTPHeaderFields: ["X-Client": "shop-app"])
        }
        let provider = MoyaProvider(endpointClosure: endpointClosure)
        // end
        #expect(provider.endpoint(.items).httpHeaderFields == ["X-Client": "shop-app"])
    }

    @Test func aSampleMayBeAFailure() async throws {
        // snippet: sample
        let endpointClosure = { @Sendable (target: Shop) -> Endpoint in
            let sample: EndpointSampleResponse
            switch target {
            case .items: sample = .networkResponse(200, target.sampleData)
            case .item: sample = .networkResponse(404, Data())
            }
            return Endpoint(
                url: URL(target: target).absoluteString, sampleResponseClosure: { sample },
                method: target.method, task: target.task, httpHeaderFields: target.headers)
        }
        let provider = MoyaProvider(
            endpointClosure: endpointClosure, stubClosure: MoyaProvider.immediatelyStub)
        // end
        #expect(try await provider.request(.item(1)).statusCode == 404)
    }

    @Test func theRequestIsSigned() async throws {
        let signature = { @Sendable (_: URLRequest) async -> String in "signed" }
        // snippet: request closure
        let requestClosure = {
            @Sendable (endpoint: Endpoint, done: @escaping MoyaProvider<Shop>.RequestResultClosure) in
            do {
                let unsigned = try endpoint.urlRequest()
                _Concurrency.Task {
                    var request = unsigned
                    request.setValue(await signature(unsigned), forHTTPHeaderField: "X-Signature")
                    done(.success(request))
                }
            } catch let error as MoyaError {
                done(.failure(error))
            } catch {
                done(.failure(.underlying(error, nil)))
            }
        }
        let provider = MoyaProvider<Shop>(
            requestClosure: requestClosure, stubClosure: MoyaProvider.immediatelyStub)
        // end
        let response = try await provider.request(.items)
        #expect(response.request?.value(forHTTPHeaderField: "X-Signature") == "signed")
    }
}
