import Foundation

/// A program that this process has started, with its standard input and output.
///
/// Foundation's `Process` on Linux reads memory that is not its own when two start at once, and its `FileHandle` ends
/// this process when a signal interrupts a read.
final class ChildProcess: Sendable {
    private let identifier: pid_t
    private let input: Int32
    private let output: Int32

    /// Starts a program; its name is looked up in the path.
    ///
    /// - Parameter hasErrorsInOutput: `true` to merge its standard error with its output, `false` to pass it to this
    ///   process's.
    init(_ command: [String], hasErrorsInOutput: Bool = false) throws {
        let (input, output) = (try SocketPair(), try SocketPair())
        defer {
            close(input.theirs)
            close(output.theirs)
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, input.theirs, 0)
        posix_spawn_file_actions_adddup2(&actions, output.theirs, 1)
        if hasErrorsInOutput { posix_spawn_file_actions_adddup2(&actions, output.theirs, 2) }
        // The threads of a queue block signals, and their children would.
        var attributes = posix_spawnattr_t()
        var signals = sigset_t()
        posix_spawnattr_init(&attributes)
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var arguments = command.map { strdup($0) } + [nil]
        var environment = ProcessInfo.processInfo.environment.map { strdup("\($0)=\($1)") } + [nil]
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
            for text in arguments + environment { free(text) }
        }
        var identifier: pid_t = 0
        let code = posix_spawnp(&identifier, command.first ?? "", &actions, &attributes, &arguments, &environment)
        self.identifier = identifier
        self.input = input.ours
        self.output = output.ours
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
    }

    deinit {
        close(input)
        close(output)
    }

    /// Writes to its input.
    func write(_ text: String) throws {
        var rest = Data(text.utf8)
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(input, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count > 0 { rest.removeFirst(count) } else if errno != EINTR { throw Self.error }
        }
    }

    /// Ends its input.
    func endInput() { shutdown(input, Int32(SHUT_WR)) }

    /// Reads its output, or waits for it; empty once its output has ended.
    func nextPiece() throws -> Data {
        var piece = Data(count: 65536)
        while true {
            let count = piece.withUnsafeMutableBytes { recv(output, $0.baseAddress, $0.count, 0) }
            if count >= 0 { return piece.prefix(count) }
            guard errno == EINTR else { throw Self.error }
        }
    }

    /// Reads its output to the end.
    func rest() throws -> String {
        var rest = Data()
        while case let piece = try nextPiece(), !piece.isEmpty { rest.append(piece) }
        return String(decoding: rest, as: UTF8.self)
    }

    /// Waits until it has ended; called once.
    func wait() {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    }

    private static var error: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

    /// Two ends of a stream that no other child inherits; a pipe would raise a signal when its reader has closed.
    private struct SocketPair {
        let ours: Int32
        let theirs: Int32

        init() throws {
            var ends: [Int32] = [0, 0]
            guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
                throw ChildProcess.error
            }
            (ours, theirs) = (ends[0], ends[1])
        }
    }
}
