public import Foundation

/// The way a call is stubbed: at once, after a delay, or not at all.
public enum StubBehavior: Sendable, Hashable {
    /// Every call goes to the network.
    case never
    /// At once.
    case immediate
    /// After that many seconds: at once when they are not positive or no number, never when they are infinite.
    case delayed(seconds: TimeInterval)

    var isStub: Bool { self != .never }
    var isImmediate: Bool { self == .immediate }
}
