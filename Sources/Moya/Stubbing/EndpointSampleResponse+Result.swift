import Foundation
import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension EndpointSampleResponse {
    /// Makes a call's result from the sample, validated like a real response.
    func result(request: URLRequest, validation: ValidationType) -> Result<Response, MoyaError> {
        let response: Response
        switch self {
        case .networkError(let error): return .failure(.underlying(error, nil))
        case .networkResponse(let status, let data):
            response = Response(statusCode: status, data: data, request: request, response: nil)
        case .response(let given, let data):
            response = Response(statusCode: given.statusCode, data: data, request: request, response: given)
        }
        guard validation.acceptableStatusCodes?.contains(response.statusCode) ?? true else {
            let reason = SessionError.ResponseValidationFailureReason.unacceptableStatusCode(code: response.statusCode)
            return .failure(.underlying(SessionError.responseValidationFailed(reason: reason), response))
        }
        return .success(response)
    }
}
