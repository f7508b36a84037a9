import Foundation

/// A loopback port that refuses every connection during the lifetime of this value.
///
/// The port is bound, so no other process can listen on it meanwhile.
public final class ClosedPort: Sendable {
    /// The port.
    public let port: Int
    private let descriptor: SocketDescriptor

    /// Binds a port.
    ///
    /// - Throws: ``TestSupportError/system(call:code:)``
    public init(_ family: LoopbackServer.AddressFamily = .ipv4) throws {
        descriptor = try SocketDescriptor.stream(family)
        do {
            port = try descriptor.bindToLoopback(family)
        } catch {
            descriptor.shut()
            throw error
        }
    }

    deinit { descriptor.shut() }
}
