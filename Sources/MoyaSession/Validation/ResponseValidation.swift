import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Request {
    /// The result of a validation.
    public typealias ValidationResult = Result<Void, any Error>

    /// Accepts a response only when its status code is one of those given; none are when the list is empty.
    @discardableResult
    @preconcurrency
    public func validate<S: Sequence & Sendable>(statusCode acceptable: S) -> Self where S.Element == Int {
        addValidator(.statusCodes { code in acceptable.contains(code) })
        return self
    }

    /// Accepts a response only when its status code is one of those given.
    package func validate(_ acceptable: StatusCodes) { addValidator(.statusCode(acceptable)) }

    /// Accepts a response only when its `Content-Type` is within one of the types or ranges given (`text/*`, `*/*`).
    ///
    /// Parameters are ignored, and a response of no bytes is accepted. Without a `Content-Type` only `*/*` accepts.
    ///
    /// - Parameter acceptable: Evaluated when a response has arrived.
    @discardableResult
    @preconcurrency
    public func validate<S: Sequence & Sendable>(
        contentType acceptable: @escaping @Sendable @autoclosure () -> S
    ) -> Self where S.Element == String {
        addValidator(.contentType { _ in Array(acceptable()) })
        return self
    }

    /// Accepts a response only when its status code is from 200 to 299 and its `Content-Type` is one that the request
    /// accepts, by its `Accept` field.
    @discardableResult
    public func validate() -> Self {
        validate(.range(200..<300))
        addValidator(
            .contentType { request in
                MIMETypePattern.ranges(inAccept: request?.value(forHTTPHeaderField: "Accept") ?? "")
            })
        return self
    }

    func addValidator(_ validator: ResponseValidator) {
        mutableState.withLock { $0.validators.append(validator) }
    }
}

/// A condition on a response.
enum ResponseValidator: Sendable {
    /// Looks at the code alone, which is quick and runs anywhere.
    case statusCode(StatusCodes)
    /// The same for a sequence of any kind.
    case statusCodes(@Sendable (Int) -> Bool)
    /// Looks at the type, and whether there is a body.
    case contentType(@Sendable (URLRequest?) -> [String])
    /// User code.
    case custom(@Sendable (inout ValidationInput) -> Request.ValidationResult)

    var callsUserCode: Bool { if case .custom = self { true } else { false } }

    private static func unacceptable(_ code: Int) -> SessionError {
        .responseValidationFailed(reason: .unacceptableStatusCode(code: code))
    }

    /// The verdict on a response with that status code; `nil` where the code alone does not decide.
    func verdict(on code: Int) -> StatusVerdict? {
        guard case .statusCode(let acceptable) = self else { return nil }
        return StatusVerdict(error: acceptable.contains(code) ? nil : Self.unacceptable(code))
    }

    func validate(_ input: inout ValidationInput) throws(SessionError) {
        switch self {
        case .statusCode(let acceptable):
            guard acceptable.contains(input.head.status) else { throw Self.unacceptable(input.head.status) }
        case .statusCodes(let accepts):
            guard accepts(input.head.status) else { throw Self.unacceptable(input.head.status) }
        case .contentType(let acceptable):
            guard try input.hasBody() else { return }
            try ContentTypeValidation.validate(
                input.head.value(for: "content-type"), acceptable: acceptable(input.request))
        case .custom(let validation):
            guard case .failure(let error) = validation(&input) else { return }
            throw (error as? SessionError) ?? .responseValidationFailed(reason: .customValidationFailed(error: error))
        }
    }
}

/// The input of a validation.
struct ValidationInput {
    let request: URLRequest?
    let head: TransportResponseHead
    let url: URL
    let data: Data?
    /// The downloaded file; `nil` within for a download that has no file.
    let file: URL??

    /// Made on demand: it is costly.
    lazy var response: HTTPURLResponse? = HTTPURLResponse(head: head, url: url)

    var fileURL: URL? { file ?? nil }

    fileprivate func hasBody() throws(SessionError) -> Bool {
        guard let file else { return data?.isEmpty == false }
        guard let file else { throw .responseValidationFailed(reason: .dataFileNil) }
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: file.path),
            let size = attributes[.size] as? NSNumber
        else { throw .responseValidationFailed(reason: .dataFileReadFailed(at: file)) }
        return size.int64Value > 0
    }
}
