import MoyaTransport

/// Holds back the requests of a session that a subclass's method starts, until the provider's call has joined its own.
///
/// A request that started earlier would be sent without the plugins, and a stub's to the network. The method cannot wait
/// for another request of its session, which starts once it has returned.
final class StartHold: Sendable {
    // Also of the tasks that the method starts, which may outlive it.
    @TaskLocal private static var current: StartHold?

    private let core: SessionCore
    /// `nil` once the method has returned.
    private let requests = Lock<[Request]?>([])

    private init(_ core: SessionCore) { self.core = core }

    /// Holds a request that the current method of its session starts; `false` if there is none.
    static func holds(_ request: Request) -> Bool { current?.hold(request) ?? false }

    private func hold(_ request: Request) -> Bool {
        guard request.core === core else { return false }
        return requests.withLock { $0?.append(request) } != nil
    }

    /// Releases a held request that is suspended again before its method has returned.
    static func release(_ request: Request) { current?.requests.withLock { $0?.removeAll { $0 === request } } }

    /// Runs a method that makes a request, and starts every other held request.
    static func run<Failure: Error>(
        in core: SessionCore, _ make: () throws(Failure) -> Request
    ) throws(Failure) -> Request {
        let hold = StartHold(core)
        let made = $current.withValue(hold) { Result { () throws(Failure) in try make() } }
        let own = try? made.get()
        for request in hold.requests.withLock({ $0.take() }) ?? [] where request !== own { request.resume() }
        return try made.get()
    }
}

extension Session {
    /// Makes a request of the session that is not started, even if a subclass's method resumes it.
    package func unstarted<Failure: Error>(
        _ make: (Session) throws(Failure) -> Request
    ) throws(Failure) -> Request {
        guard type(of: self) != Session.self else { return try make(self) }
        return try StartHold.run(in: core) { () throws(Failure) in try make(self) }
    }
}
