import Foundation
import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Request.Guarded {
    /// The end of a request as a provider's caller gets it.
    ///
    /// - Parameter sample: What a stub answered, when one did.
    func result(sample: StubTransport.Answer?) -> Result<Response, MoyaError> {
        if case .networkError(let error) = sample, isTransportFailure { return .failure(.underlying(error, nil)) }
        let response = response(sample: sample)
        if let error { return .failure(.underlying(error, response)) }
        if let response { return .success(response) }
        return .failure(.underlying(NSError(domain: NSURLErrorDomain, code: NSURLErrorUnknown), nil))
    }

    private var isTransportFailure: Bool { if case .sessionTaskFailed = error { true } else { false } }

    private func response(sample: StubTransport.Answer?) -> Response? {
        guard let head else { return nil }
        switch sample {
        case .response(let given):
            return Response(statusCode: head.status, data: data ?? Data(), sent: sentRequest, response: given)
        case .networkResponse, .networkError:
            return Response(statusCode: head.status, data: data ?? Data(), sent: sentRequest, response: nil)
        case nil:
            return Response(
                statusCode: head.status, data: data ?? Data(), sent: sentRequest, head: head, url: exchangeURL)
        }
    }
}
