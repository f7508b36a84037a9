import Foundation

/// A loopback port that refuses every connection during the lifetime of this value.
///
/// The port is bound, so no other process can listen on it meanwhile.
public final class ClosedPort: Sendable {
    /// The port.
    public let port: Int
    private let number: Int32

    /// Binds a port.
    ///
    /// - Throws: ``LoopbackError/system(call:code:)``
    public init(_ family: LoopbackServer.AddressFamily = .ipv4) throws {
        let descriptor = try SocketDescriptor.stream(family)
        number = descriptor.number
        do {
            port = try descriptor.bindToLoopback(family)
        } catch {
            descriptor.shut()
            throw error
        }
    }

    deinit { SocketDescriptor(number: number).shut() }
}
