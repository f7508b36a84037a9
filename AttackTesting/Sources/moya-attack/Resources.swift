import Foundation
import Moya

extension AttackCommand {
    /// Opens every available descriptor, makes a call, closes them, and makes another call.
    @Sendable static func starve(_ order: Order) async throws -> String {
        let session = try (order.session ?? SessionOrder()).session()
        let calls = order.calls ?? []
        guard let first = calls.first, let last = calls.last else { return "no calls" }
        // Dispatch traps if it has no descriptor when it checks its threads, once a second from its start: the case runs
        // between two of these checks.
        try await _Concurrency.Task.sleep(for: .milliseconds(100))
        let before = order.name == "cold" ? "" : try await first.outcome(in: session) + "; "
        var held: [Int32] = []
        while case let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC), descriptor >= 0 { held.append(descriptor) }
        let (processor, started) = (clock(), ContinuousClock.now)
        let starved = try await outcomes(of: last, in: session)
        let isFast = ContinuousClock.now - started < .seconds(2)
        try await _Concurrency.Task.sleep(for: .milliseconds(200))
        let isIdle = Double(clock() - processor) / Double(CLOCKS_PER_SEC) < 0.15
        for descriptor in held { close(descriptor) }
        let after = try await last.outcome(in: session)
        withExtendedLifetime(session) {}
        return "\(before)\(starved), \(isFast ? "at once" : "late"), \(isIdle ? "idle" : "spinning"); \(after)"
    }

    /// Checks if a child process would inherit a descriptor of the package while it makes the calls, or runs the inner
    /// verb.
    ///
    /// The pairs of sockets of libcurl before 8.8 are watched only after the calls: until libcurl has returned from
    /// opening one, nobody can mark it.
    @Sendable static func inherit(_ order: Order) async throws -> String {
        let watchesPairs = order.name == "pairs"
        var sessions: [Session] = []
        func act() async throws -> String {
            if let inner = order.inner { return try await verbs[inner]?(order) ?? "no such verb" }
            var texts: Set<String> = []
            for _ in 0..<(order.count ?? 1) {
                let session = try (order.session ?? SessionOrder()).session()
                sessions.append(session)
                for call in order.calls ?? [] { texts.insert(try await outcomes(of: call, in: session)) }
            }
            return texts.sorted().joined(separator: ", ")
        }
        let inherited = Set(openDescriptors())
        let authorities = order.session?.authorities
        var text = watchesPairs ? try await act() : ""
        let watch = _Concurrency.Task.detached {
            var found: Set<String> = []
            while !_Concurrency.Task.isCancelled {
                // A folder of descriptors takes longer to read than a small file.
                for descriptor in Int32(0)..<128 where !inherited.contains(descriptor) {
                    let flags = fcntl(descriptor, F_GETFD)
                    guard flags >= 0, flags & FD_CLOEXEC == 0 else { continue }
                    found.insert(kind(of: descriptor, authorities: authorities))
                }
                await _Concurrency.Task.yield()
            }
            return found
        }
        if !watchesPairs { text = try await act() }
        try await _Concurrency.Task.sleep(for: .milliseconds(100))
        watch.cancel()
        let found = await watch.value.subtracting(watchesPairs ? [""] : ["", "a pair of sockets"])
        withExtendedLifetime(sessions) {}
        return text + (found.isEmpty ? "; none inherited" : "; inherited: \(found.sorted().joined(separator: " "))")
    }

    /// The type of a descriptor; empty for descriptors that do not belong to the package: system files, which libraries
    /// read when they start, and the file of the authorities, which OpenSSL opens by its name for each connection.
    private static func kind(of descriptor: Int32, authorities: String?) -> String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/fd/\(descriptor)", &path, path.count)
        let file = String(decoding: path.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard count > 0, file != authorities, !["/proc", "/etc", "/usr"].contains(where: file.hasPrefix) else {
            return ""
        }
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isSocket = withUnsafeMutablePointer(to: &address) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) == 0 }
        }
        guard isSocket else { return String(file.prefix { $0 != ":" }) }
        return address.ss_family == sa_family_t(AF_UNIX) ? "a pair of sockets" : "a socket"
    }
}
