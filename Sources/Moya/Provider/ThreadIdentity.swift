import Foundation

/// The identity of the thread on which it is made.
///
/// `@unchecked`: the identifier, a pointer on Apple platforms, is only compared.
struct ThreadIdentity: @unchecked Sendable {
    private let thread = pthread_self()

    /// `true` on the same thread.
    var isCurrent: Bool { pthread_equal(thread, pthread_self()) != 0 }
}
