public import Foundation

/// The behaviour of a stub: immediate, delayed, or none.
public enum StubBehavior: Sendable, Hashable {
    /// The call uses the network.
    case never
    /// The stub answers immediately.
    case immediate
    /// The stub answers after a number of seconds: immediately if it is not positive or NaN, never if it is infinite.
    case delayed(seconds: TimeInterval)

    var isStub: Bool { self != .never }
    var isImmediate: Bool { self == .immediate }
}
