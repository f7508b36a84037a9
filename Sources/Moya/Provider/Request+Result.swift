import Foundation
import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension RequestOutcome {
    /// The end of a request as a provider's caller gets it.
    ///
    /// - Parameters:
    ///   - sample: The answer of a stub, when one answered.
    ///   - body: Gives the body of a response that is streamed.
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
        switch sample {
        case .response(let given):
            return Response(statusCode: head.status, data: data ?? Data(), sent: sent, response: given, body: body)
        case .networkResponse, .networkError:
            return Response(statusCode: head.status, data: data ?? Data(), sent: sent, response: nil, body: body)
        case nil:
            return Response(
                statusCode: head.status, data: data ?? Data(), sent: sent, head: head, url: location, body: body,
                trailers: trailers)
        }
    }
}
