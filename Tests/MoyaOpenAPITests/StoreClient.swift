#if OpenAPI
import Foundation
import HTTPTypes
import MoyaSession
@_spi(Generated) import OpenAPIRuntime

/// A client of a store of files, in the form in which swift-openapi-generator makes one.
struct StoreClient: Sendable {
    struct Output: Sendable {
        let response: HTTPTypes.HTTPResponse
        let body: HTTPBody?

        /// The whole body as text.
        func text() async throws -> String {
            guard let body else { return "" }
            return try await String(collecting: body, upTo: 1 << 20)
        }
    }

    private let client: UniversalClient

    init(serverURL: URL, transport: any ClientTransport) {
        client = UniversalClient(serverURL: serverURL, transport: transport)
    }

    func send(
        _ method: HTTPTypes.HTTPRequest.Method, _ path: String, _ fields: HTTPTypes.HTTPFields = [:],
        body: HTTPBody? = nil
    ) async throws -> Output {
        try await client.send(
            input: body, forOperation: "send",
            serializer: { body in
                let request = HTTPTypes.HTTPRequest(soar_path: path, method: method, headerFields: fields)
                return (request, body)
            },
            deserializer: { response, body in Output(response: response, body: body) })
    }
}
#endif
