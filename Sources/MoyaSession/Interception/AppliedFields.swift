import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// The names of the header fields that a closure of the app has ever set with a credential.
package final class AppliedFields: Sendable {
    private struct State {
        var names: Set<String> = []
        /// `true` once the closure had a request without fields.
        var isSearched = false
    }

    private let state = Lock(State())

    package init() {}

    /// Applies a credential to a request.
    ///
    /// A field that already has its value does not change. So the first request with fields that the closure does not
    /// change is applied twice, the second time as a copy without fields, which is not sent.
    ///
    /// - Returns: The names of the fields with a credential, also of earlier requests.
    package func apply(to request: inout URLRequest, _ apply: (inout URLRequest) -> Void) -> Set<String> {
        var bare = request
        apply(&request)
        let before = bare.allHTTPHeaderFields ?? [:]
        let after = request.allHTTPHeaderFields ?? [:]
        var names = Set(after.filter { before[$0.key] != $0.value }.keys)
        let mayHide = names.count < after.count && !state.withLock { $0.isSearched }
        if mayHide {
            bare.allHTTPHeaderFields = [:]
            apply(&bare)
            names.formUnion((bare.allHTTPHeaderFields ?? [:]).keys)
        }
        return state.withLock { [names] state in
            state.names.formUnion(names)
            // Not before: other requests rely on the names.
            if mayHide { state.isSearched = true }
            return state.names
        }
    }
}
