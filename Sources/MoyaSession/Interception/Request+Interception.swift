import MoyaTransport

/// The state that an authentication interceptor stores with a request.
struct RequestAuthentication {
    /// The version of the credential that was applied.
    var version: Int
    /// `true` if a retry was made because the request did not seem to have that credential.
    var isDoubted = false
    /// The number of refreshes after a refusal of the request.
    var refreshes = 0
}

extension Request {
    /// `true` if the results of interceptors no longer matter.
    var isOver: Bool { mutableState.withLock { $0.machine.isOver } }

    /// The head of the response of the current attempt; unlike `response`, it is never that of an earlier one.
    var responseHead: TransportResponseHead? { mutableState.withLock { $0.head } }

    /// The location of that response.
    var responseLocation: ExchangeLocation? { mutableState.withLock { $0.location } }
}

extension MutableState {
    /// The state that an authentication interceptor stores with the request.
    func authentication(by interceptor: ObjectIdentifier) -> RequestAuthentication? {
        rare?.authentications[interceptor]
    }

    /// Records that a credential was applied.
    mutating func recordAuthentication(by interceptor: ObjectIdentifier, _ version: Int) {
        let rare = makeRare()
        // A doubt remains while the credential is the same.
        var known = rare.authentications[interceptor] ?? RequestAuthentication(version: version)
        if known.version != version { known.isDoubted = false }
        known.version = version
        rare.authentications[interceptor] = known
    }

    /// Records a refresh after a refusal of the request; returns the number of them.
    mutating func countRefresh(by interceptor: ObjectIdentifier) -> Int {
        let rare = makeRare()
        guard var known = rare.authentications[interceptor] else { return 0 }
        known.refreshes += 1
        rare.authentications[interceptor] = known
        return known.refreshes
    }

    /// Records that a request does not seem to have the applied credential.
    ///
    /// - Returns: `true` the first time.
    mutating func doubtAuthentication(by interceptor: ObjectIdentifier, _ version: Int) -> Bool {
        let rare = makeRare()
        var known = rare.authentications[interceptor] ?? RequestAuthentication(version: version)
        if known.version == version, known.isDoubted { return false }
        (known.version, known.isDoubted) = (version, true)
        rare.authentications[interceptor] = known
        return true
    }
}

extension Request {
    /// The names, in lower case, of the fields that are credentials because the app or an interceptor says so.
    package var declaredCredentials: Set<String> { mutableState.withLock { declaredCredentials($0) } }

    func declaredCredentials(_ state: borrowing MutableState) -> Set<String> {
        core.credentialFields.adding(state.rare?.credentialFields ?? []).names
    }

    /// Restricts header fields with a credential to their origin: a redirect to another origin drops them.
    package func keepFieldsAtOrigin(_ names: Set<String>) {
        guard !names.isEmpty else { return }
        let unknown = names.filter { !core.credentialFields.contains($0) }
        guard !unknown.isEmpty else { return }
        mutableState.withLock { $0.makeRare().credentialFields.formUnion(unknown) }
    }
}
