import Foundation

extension SocketDescriptor {
    /// A non-blocking Unix domain socket that child processes do not inherit.
    ///
    /// - Throws: ``LoopbackError/system(call:code:)``
    static func unixStream() throws -> SocketDescriptor { try stream(domain: AF_UNIX) }

    /// Binds the socket to an unused path.
    ///
    /// - Throws: ``LoopbackError/system(call:code:)``
    func bindToPath(_ path: String) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        // A path without a terminating zero would be read beyond its end.
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path), !bytes.contains(0) else {
            throw LoopbackError.system(call: "bind", code: ENAMETOOLONG)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let result = Self.withPointer(to: address) { bind(number, $0, $1) }
        guard result == 0 else { throw LoopbackError.system(call: "bind", code: errno) }
    }
}
