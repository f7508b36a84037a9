#if canImport(Glibc)
import Foundation
import Glibc

/// A separate network within this machine, with a cable that can be pulled.
///
///     v0 (192.0.2.2/24) ----- v1
final class NetworkNamespace: Sendable {
    let name = "moya-\(getpid())-\(UInt32.random(in: 0 ... .max))"

    /// The reason that a namespace cannot be made here; `nil` when it can.
    static let obstacle: String? = {
        guard geteuid() == 0 else { return "making a network namespace needs root" }
        do {
            _ = try NetworkNamespace()
            return nil
        } catch {
            return "\(error)"
        }
    }()

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    init() throws {
        try Self.ip("netns", "add", name)
        try ip("link", "add", "v0", "type", "veth", "peer", "name", "v1")
        try ip("addr", "add", "192.0.2.2/24", "dev", "v0")
    }

    deinit { try? Self.ip("netns", "del", name) }

    /// Runs `ip` in the namespace.
    func ip(_ arguments: String...) throws { try Self.run(["-n", name] + arguments) }

    private static func ip(_ arguments: String...) throws { try run(arguments) }

    private static func run(_ arguments: [String]) throws {
        let arguments = arguments.joined(separator: " ")
        let command = try ShellCommand("PATH=/usr/sbin:/usr/bin:/sbin:/bin ip \(arguments) 2>&1")
        guard command.status == 0 else { throw Failure(description: "ip \(arguments): \(command.output)") }
    }

    /// Runs code on a thread that lives in the namespace and ends with it.
    func inside<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let path = "/var/run/netns/\(name)"
            Thread.detachNewThread {
                let descriptor = open(path, O_RDONLY | O_CLOEXEC)
                defer { close(descriptor) }
                typealias Setns = @convention(c) (Int32, Int32) -> Int32
                guard let symbol = dlsym(nil, "setns"),
                    unsafeBitCast(symbol, to: Setns.self)(descriptor, 0x4000_0000) == 0  // CLONE_NEWNET
                else {
                    continuation.resume(throwing: Failure(description: "setns: error \(errno)"))
                    return
                }
                continuation.resume(returning: body())
            }
        }
    }
}
#endif
