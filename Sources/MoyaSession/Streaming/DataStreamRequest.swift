public import MoyaTransport

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// A request whose body is passed to closures as it arrives; ``Session/streamRequest(_:automaticallyCancelOnStreamError:interceptor:)``
/// and its forms make one.
///
/// ### Do I need this?
/// It is for code that was written for Alamofire. ``DataRequest/stream()`` reads a response with `for try await`, and a
/// provider's streams also give lines and events.
///
/// ### Memory
/// A slow closure slows the server down: once about 128 KiB wait for the closures, nothing more is read from the socket
/// until they catch up. The length of the response is not limited, unless ``Request/maximumResponseBytes(_:)`` limits it.
///
/// ### Errors
/// Interceptors, redirects, validation and time limits apply as for every request; validation runs after the last byte. A
/// retry after the first byte passes the body again, from its start.
public final class DataStreamRequest: Request, @unchecked Sendable {
    /// A closure that receives a body; an error that it throws ends the request.
    public typealias Handler<Success: Sendable, Failure: Error> =
        @Sendable (_ stream: Stream<Success, Failure>) throws -> Void

    /// A user's validation of a response; an error fails the request.
    public typealias Validation = @Sendable (URLRequest?, HTTPURLResponse) -> ValidationResult

    /// The source of the request's `URLRequest`.
    public var convertible: any URLRequestConvertible { source }

    /// `true` if the request is cancelled when a serializer fails.
    public let automaticallyCancelOnStreamError: Bool

    let delivery = ChunkDelivery()
    /// `true` if a part that could not be made has ended the request.
    let hasFailedPart = Lock(false)

    init(
        core: SessionCore, convertible: any URLRequestConvertible, interceptor: (any RequestInterceptor)?,
        cancelsOnError: Bool
    ) {
        automaticallyCancelOnStreamError = cancelsOnError
        super.init(core: core, convertible: convertible, interceptor: interceptor)
    }

    /// Adds a closure that validates each response after the earlier validations; it is skipped once one has failed.
    ///
    /// The closure runs after the last byte, on the session's root queue; with a transport whose
    /// `deliversWhereCodeMayBlock` is `true`, on the thread that ends the attempt.
    @discardableResult
    @preconcurrency
    public func validate(_ validation: @escaping Validation) -> Self {
        addValidator(
            .custom { input in
                guard let response = input.response else { return .success(()) }
                return validation(input.request, response)
            })
        return self
    }

    // MARK: Receiving

    override var expectsLargeResponse: Bool { true }

    override var passesBodyOn: Bool { true }

    override var hasReaderCaughtUp: Bool { delivery.hasCaughtUp }

    override func makeResponseBody() -> any ResponseBody { ForwardedBody(request: self) }
}

extension DataStreamRequest {
    /// A part of a body, or its end.
    public struct Stream<Success: Sendable, Failure: Error>: Sendable {
        /// The part or the end.
        public let event: Event<Success, Failure>
        /// Cancels the request.
        public let token: CancellationToken

        /// Cancels the request.
        public func cancel() { token.cancel() }

        /// The value or the error of the part; `nil` at the end.
        public var result: Result<Success, Failure>? { if case .stream(let result) = event { result } else { nil } }

        /// The value of the part; `nil` for an error and at the end.
        public var value: Success? { if case .success(let value)? = result { value } else { nil } }

        /// The error of the part; `nil` for a value and at the end.
        public var error: Failure? { if case .failure(let error)? = result { error } else { nil } }

        /// The end; `nil` before it.
        public var completion: Completion? { if case .complete(let completion) = event { completion } else { nil } }
    }

    /// A part of a body, or its end.
    public enum Event<Success: Sendable, Failure: Error>: Sendable {
        /// A part of the body.
        case stream(Result<Success, Failure>)
        /// The end of the request; no event follows it.
        case complete(Completion)
    }

    /// The end of a request whose body was passed on.
    public struct Completion: Sendable {
        /// The last request made.
        public let request: URLRequest?
        /// The response; `nil` if none has arrived.
        public let response: HTTPURLResponse?
        /// The transport's measurements.
        public let metrics: TransportMetrics?
        /// The error; `nil` if the body is complete and valid.
        public let error: SessionError?

        init(_ outcome: RequestOutcome) {
            request = outcome.request
            response = outcome.httpResponse
            metrics = outcome.metrics
            error = outcome.error
        }
    }

    /// Cancels a request without retaining it.
    public struct CancellationToken: Sendable {
        private weak var request: DataStreamRequest?

        init(_ request: DataStreamRequest) { self.request = request }

        /// Cancels the request.
        public func cancel() { request?.cancel() }
    }
}

extension DataStreamRequest.Stream where Failure == Never {
    /// The part, of a type whose parts can be errors.
    package var failable: DataStreamRequest.Stream<Success, SessionError> {
        let part: DataStreamRequest.Event<Success, SessionError> =
            switch event {
            case .stream(.success(let value)): .stream(.success(value))
            case .complete(let completion): .complete(completion)
            }
        return DataStreamRequest.Stream<Success, SessionError>(event: part, token: token)
    }
}

/// Passes the body of a response to the closures of its request.
private struct ForwardedBody: ResponseBody {
    let request: DataStreamRequest

    func receive(_ head: TransportResponseHead) -> Int64 {
        request.delivery.start()
        return 0
    }

    func append(_ bytes: UnsafeRawBufferPointer) { request.delivery.deliver(bytes, of: request) }

    var demand: TransportDemand { request.delivery.isHeld ? .wait : .more }
}
