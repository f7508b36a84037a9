import Foundation

/// A loopback port that refuses every connection for as long as this value lives.
///
/// The port is taken, so no other process begins to listen there in the meantime.
public final class ClosedPort: Sendable {
    /// The port.
    public let port: Int
    private let number: Int32

    /// Takes a port.
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
