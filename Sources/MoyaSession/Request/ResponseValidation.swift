import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Request {
    /// What a validation answers.
    public typealias ValidationResult = Result<Void, any Error>

    /// Accepts a response only when its status code is one of those given; none are when the list is empty.
    @discardableResult
    @preconcurrency
    public func validate<S: Sequence & Sendable>(statusCode acceptable: S) -> Self where S.Element == Int {
        addValidator(.statusCode { code in acceptable.contains(code) })
        return self
    }

    func addValidator(_ validator: ResponseValidator) {
        guarded.withLock { $0.validators.append(validator) }
    }
}

/// A condition on a response.
enum ResponseValidator: Sendable {
    /// Looks at the code alone, which is quick and runs anywhere.
    case statusCode(@Sendable (Int) -> Bool)
    /// Code of the user's.
    case custom(@Sendable (inout ValidationInput) -> Request.ValidationResult)

    var callsUserCode: Bool { if case .custom = self { true } else { false } }

    func validate(_ input: inout ValidationInput) throws(SessionError) {
        switch self {
        case .statusCode(let accepts):
            guard accepts(input.head.status) else {
                throw .responseValidationFailed(reason: .unacceptableStatusCode(code: input.head.status))
            }
        case .custom(let validation):
            guard case .failure(let error) = validation(&input) else { return }
            throw (error as? SessionError) ?? .responseValidationFailed(reason: .customValidationFailed(error: error))
        }
    }
}

/// What a validation looks at.
struct ValidationInput {
    let request: URLRequest?
    let head: TransportResponseHead
    let url: URL
    let data: Data?
    let fileURL: URL?

    /// Made when asked for: it is costly.
    lazy var response: HTTPURLResponse? = HTTPURLResponse(head: head, url: url)
}
