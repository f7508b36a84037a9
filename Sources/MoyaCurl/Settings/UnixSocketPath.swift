#if os(Linux)
import Glibc
import MoyaTransport

/// The path of a Unix domain socket.
enum UnixSocketPath {
    /// The maximum number of bytes of a socket address, without the terminating zero.
    static let mostBytes = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// The reason that a connection to a path failed, determined after the failure.
    static func failure(at path: String, code: Int) -> TransportFailure {
        TransportFailure(.connect, message: "unixSockets: \(path) \(problem(at: path))", code: code)
    }

    private static func problem(at path: String) -> String {
        var status = stat()
        guard stat(path, &status) == 0 else {
            return errno == ENOENT
                ? "does not exist. Is the server running?" : "cannot be reached: \(SystemError.text(of: errno))."
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else { return "is not a socket." }
        guard access(path, W_OK) == 0 else { return "may not be written to by this process." }
        return "takes no connection: no server listens there, or as many clients wait as it lets wait."
    }
}
#endif
