public import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A request whose response is collected in memory.
public class DataRequest: Request, @unchecked Sendable {
    /// Validates a response; an error fails the request.
    public typealias Validation = @Sendable (URLRequest?, HTTPURLResponse, Data?) -> ValidationResult

    /// The source of the request's `URLRequest`.
    public var convertible: any URLRequestConvertible { source }

    /// The received body, set at the end of the attempt's exchange; `nil` before, if it is empty, or after a
    /// cancellation.
    public var data: Data? { mutableState.withLock { $0.lastResponse.data } }

    /// Adds a closure that validates each response after the earlier validations; it is skipped once one has failed.
    ///
    /// The closure runs on the session's root queue; with a transport whose `deliversWhereCodeMayBlock` is
    /// `true`, such as a stub, on the thread that ends the attempt.
    @discardableResult
    @preconcurrency
    public func validate(_ validation: @escaping Validation) -> Self {
        addValidator(
            .custom { input in
                guard let response = input.response else { return .success(()) }
                return validation(input.request, response, input.data)
            })
        return self
    }

    /// Calls a handler on a queue once the request is over, and starts the request if its session starts requests
    /// automatically.
    @discardableResult
    @preconcurrency
    public func response(
        queue: DispatchQueue = .main, completionHandler: @escaping @Sendable (AFDataResponse<Data?>) -> Void
    ) -> Self {
        addResponseHandler(on: queue) { request, outcome in
            let response = AFDataResponse(
                outcome, serializationDuration: 0,
                result: outcome.error.map { Result<Data?, SessionError>.failure($0) } ?? .success(outcome.data))
            request.report(.didParseDataResponse(response))
            completionHandler(response)
        }
        return self
    }
}
