import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Request {
    /// The result of a validation.
    public typealias ValidationResult = Result<Void, any Error>

    /// Accepts only responses with one of the given status codes; none if the list is empty.
    @discardableResult
    @preconcurrency
    public func validate<S: Sequence & Sendable>(statusCode acceptable: S) -> Self where S.Element == Int {
        // As a sequence it has no end to search for a lower code.
        let range = acceptable as? PartialRangeFrom<Int>
        // These types of the standard library call no user code.
        let isKnown =
            acceptable is Range<Int> || acceptable is ClosedRange<Int> || acceptable is [Int] || acceptable is Set<Int>
            || range != nil
        addValidator(
            .statusCodes(callsUserCode: !isKnown) { code in range?.contains(code) ?? acceptable.contains(code) })
        return self
    }

    /// Accepts only responses with one of the given status codes.
    package func validate(_ acceptable: StatusCodes) { addValidator(.statusCode(acceptable)) }

    /// Accepts only responses whose `Content-Type` is within one of the given types or ranges (`text/*`, `*/*`).
    ///
    /// Parameters are ignored, and an empty response is accepted. Without a `Content-Type`, only `*/*` accepts the
    /// response.
    ///
    /// - Parameter acceptable: Evaluated when a response has arrived.
    @discardableResult
    @preconcurrency
    public func validate<S: Sequence & Sendable>(
        contentType acceptable: @escaping @Sendable @autoclosure () -> S
    ) -> Self where S.Element == String {
        addValidator(.contentType(callsUserCode: true) { _ in Array(acceptable()) })
        return self
    }

    /// Accepts only responses with a status code from 200 to 299 and a `Content-Type` in the request's `Accept` field.
    @discardableResult
    public func validate() -> Self {
        validate(.range(200..<300))
        addValidator(
            .contentType(callsUserCode: false) { request in
                MIMETypePattern.ranges(inAccept: request?.value(forHTTPHeaderField: "Accept") ?? "")
            })
        return self
    }

    func addValidator(_ validator: ResponseValidator) {
        // A request that is over would keep a validation that it never calls.
        mutableState.withLock { if !$0.isComplete { $0.validators.append(validator) } }
    }
}

/// A condition on a response.
enum ResponseValidator: Sendable {
    /// A check of the code alone, which is quick and can run anywhere.
    case statusCode(StatusCodes)
    /// A check of the code against a sequence.
    case statusCodes(callsUserCode: Bool, @Sendable (Int) -> Bool)
    /// A check of the type, and whether there is a body.
    case contentType(callsUserCode: Bool, @Sendable (URLRequest?) -> [String])
    /// User code.
    case custom(@Sendable (inout ValidationInput) -> Request.ValidationResult)

    /// `true` if the check must not run on a transport's thread.
    var callsUserCode: Bool {
        switch self {
        case .statusCode: false
        case .statusCodes(let callsUserCode, _), .contentType(let callsUserCode, _): callsUserCode
        case .custom: true
        }
    }

    private static func unacceptable(_ code: Int) -> SessionError {
        .responseValidationFailed(reason: .unacceptableStatusCode(code: code))
    }

    /// The verdict on a status code; `nil` if the code alone does not decide.
    func verdict(on code: Int) -> StatusVerdict? {
        guard case .statusCode(let acceptable) = self else { return nil }
        return StatusVerdict(error: acceptable.contains(code) ? nil : Self.unacceptable(code))
    }

    func validate(_ input: inout ValidationInput) throws(SessionError) {
        switch self {
        case .statusCode(let acceptable):
            guard acceptable.contains(input.head.status) else { throw Self.unacceptable(input.head.status) }
        case .statusCodes(_, let accepts):
            guard accepts(input.head.status) else { throw Self.unacceptable(input.head.status) }
        case .contentType(_, let acceptable):
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
    /// The downloaded file; contains `nil` for a download without a file.
    let file: URL??
    /// `true` if there is a body that is passed on, and so neither in memory nor in a file.
    var isPassedOn = false

    /// Created on demand, since it is costly.
    lazy var response: HTTPURLResponse? = HTTPURLResponse(head: head, url: url)

    var fileURL: URL? { file ?? nil }

    fileprivate func hasBody() throws(SessionError) -> Bool {
        guard let file else { return isPassedOn || data?.isEmpty == false }
        guard let file else { throw .responseValidationFailed(reason: .dataFileNil) }
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: file.path),
            let size = attributes[.size] as? NSNumber
        else { throw .responseValidationFailed(reason: .dataFileReadFailed(at: file)) }
        return size.int64Value > 0
    }
}
