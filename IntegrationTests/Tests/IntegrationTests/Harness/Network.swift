import CallOrders
import Foundation
import Synchronization
import Testing

/// A separate network within this machine, as Servers/network.py makes it: a caller, name service, and a cable that can
/// be cut, with Servers/origin.py at its end.
final class Network: Sendable {
    /// The address of origin.py.
    static let address = "192.0.2.2"
    private static let port = 8080

    private let directory: URL
    private let conversation: Conversation
    private let count = Mutex(0)

    /// Makes the network; the cable neither delays nor loses anything, and name service does not answer.
    init() async throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("moya-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        conversation = try Conversation(Self.command(directory, caller: Self.caller.path))
        let answer = try await conversation.answer { _ in true }
        try #require(answer == "ready")
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    // MARK: Orders

    /// Changes the network: `cable 20 5`, `names fail`.
    func set(_ line: String) async throws {
        let answer = try await conversation.request(line)
        try #require(line.hasPrefix(answer), "\(answer)")
    }

    /// Has the caller call a path of origin.py, by its address or by a name.
    func start(
        _ path: String, at host: String = address, _ change: (inout CallOrder.Call) -> Void = { _ in }
    ) throws -> Int {
        let id = count.withLock { count in
            count += 1
            return count
        }
        var call = CallOrder.Call(id: id, url: try #require(URL(string: "http://\(host):\(Self.port)\(path)")))
        change(&call)
        try conversation.send("call \(try CallOrder.call(call).line())")
        return id
    }

    /// The end of a call, once it has ended.
    func outcome(of id: Int) async throws -> CallOutcome {
        let line = try await conversation.answer { line in
            (try? JSONDecoder().decode(CallOutcome.self, from: Data(line.utf8)))?.id == id
        }
        return try JSONDecoder().decode(CallOutcome.self, from: Data(line.utf8))
    }

    /// Has the caller call, and waits for the end.
    func call(
        _ path: String, at host: String = address, _ change: (inout CallOrder.Call) -> Void = { _ in }
    ) async throws -> CallOutcome {
        try await outcome(of: try start(path, at: host, change))
    }

    // MARK: What the machine allows

    /// The reason that no such network can be made here; `nil` when it can.
    static let obstacle: String? = obstacle(after: "")

    /// The reason that the kernel cannot delay packets itself; `nil` when it can.
    static let obstacleToNetem: String? = obstacle ?? obstacle(after: "netem 1 1\n")

    private static func obstacle(after lines: String) -> String? {
        guard FileManager.default.fileExists(atPath: caller.path) else { return "\(caller.path) is not built" }
        var said = ""
        do {
            try withTemporaryDirectory { directory in
                let process = try ChildProcess(command(directory, caller: "cat"), hasErrorsInOutput: true)
                try process.write(lines)
                process.endInput()
                said = try process.rest()
                process.wait()
            }
        } catch {
            return "\(error)"
        }
        let isMade = said.hasPrefix("ready\n") && !said.contains("impossible")
        return isMade ? nil : said.split(separator: "\n").last.map(String.init) ?? "nothing was said"
    }

    // MARK: Programs

    private static func command(_ directory: URL, caller: String) -> [String] {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Servers/network.py").standardized
        // Without root, a user is root in a namespace of users, if the kernel allows that.
        let user = geteuid() == 0 ? [] : ["--user", "--map-root-user"]
        return ["unshare"] + user + ["--net", "--mount", "python3", script.path, directory.path, caller]
    }

    /// The program that makes calls on command; it is beside the tests.
    static let caller = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("caller")
}

extension Trait where Self == ConditionTrait {
    /// Skips, with the reason, if the kernel does not allow creating a network.
    static var needsNetwork: Self {
        .enabled(if: Network.obstacle == nil, "no separate network here: \(Network.obstacle ?? "")")
    }

    /// Skips, with the reason, if the kernel cannot delay packets itself.
    static var needsNetem: Self {
        .enabled(if: Network.obstacleToNetem == nil, "no netem here: \(Network.obstacleToNetem ?? "")")
    }
}
