import Foundation
import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension RequestOutcome {
    /// Returns the result of a request for the caller of a provider.
    ///
    /// - Parameters:
    ///   - sample: The answer of the stub; `nil` without a stub.
    ///   - body: Provides the body of a streamed response.
    func result(sample: StubTransport.Answer?, body: StreamHandle? = nil) -> Result<Response, MoyaError> {
        if case .networkError(let error) = sample, isTransportFailure { return .failure(.underlying(error, nil)) }
        let response = response(sample: sample, body: body)
        if let error { return .failure(.underlying(error, response)) }
        if let response { return .success(response) }
        return .failure(.underlying(NSError(domain: NSURLErrorDomain, code: NSURLErrorUnknown), nil))
    }

    private var isTransportFailure: Bool { if case .sessionTaskFailed = error { true } else { false } }

    private func response(sample: StubTransport.Answer?, body: StreamHandle?) -> Response? {
        guard let head else { return nil }
        guard let sample else {
            return Response(
                statusCode: head.status, data: data ?? Data(), sent: sent, source: .head(head, location), body: body,
                trailers: trailers, declaredCredentials: declaredCredentials)
        }
        let given: HTTPURLResponse? = if case .response(let given) = sample { given } else { nil }
        return Response(
            statusCode: head.status, data: data ?? Data(), sent: sent, source: .given(given), body: body,
            declaredCredentials: declaredCredentials)
    }
}
