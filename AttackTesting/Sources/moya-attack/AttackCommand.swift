import Foundation
import Moya

/// Runs one case of `make attack`, and prints its outcome in one line.
///
/// The case is a line of JSON on standard input, from a row of a table of the driver. The driver compares the printed
/// line; a trap shows as a process that ended with a signal.
@main
struct AttackCommand {
    /// The kinds of cases.
    static let verbs: [String: @Sendable (Order) async throws -> String] = [
        "call": calls, "starve": starve, "inherit": inherit, "nest": nest, "set": set, "mask": mask, "print": printed,
        "file": file, "cache": cache,
    ]

    static func main() async {
        guard let line = readLine(), let order = try? JSONDecoder().decode(Order.self, from: Data(line.utf8)),
            let run = verbs[order.verb]
        else {
            write("moya-attack: this is no order")
            exit(64)
        }
        if let count = order.limits?.openFiles { limitOpenFiles(count) }
        let before = ProcessFigures()
        var text: String
        do {
            text = try await run(order)
        } catch {
            text = words(error)
        }
        text += ProcessFigures().excess(since: before, over: order.limits)
        write(
            text.unicodeScalars.map { "\n\r\0".unicodeScalars.contains($0) ? $0.escaped(asASCII: true) : "\($0)" }
                .joined())
        // Deep values are not deallocated, since that would recurse outside the package's code.
        _exit(0)
    }

    private static func write(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

    /// Limits the number of descriptors of the process.
    static func limitOpenFiles(_ count: Int) {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = rlim_t(count)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}

/// The use of resources by the process.
struct ProcessFigures {
    let peak = Self.kibibytes(of: "VmHWM:")
    let resident = Self.kibibytes(of: "VmRSS:")
    let processor = Double(clock()) / Double(CLOCKS_PER_SEC)
    let descriptors = openDescriptors().count

    /// The exceeded limits, each with its figure; empty if there are none.
    func excess(since before: ProcessFigures, over limits: Order.Limits?) -> String {
        guard let limits else { return "" }
        var text = ""
        let grown = Double(peak - before.resident) / 1024
        if let most = limits.memory, grown > most { text += "; memory grew by \(Int(grown)) MiB" }
        let used = processor - before.processor
        if let most = limits.processor, used > most { text += "; \(used) s of processor time" }
        let added = descriptors - before.descriptors
        if let most = limits.descriptors, added > most { text += "; \(added) more descriptors" }
        return text
    }

    private static func kibibytes(of name: String) -> Int {
        guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name) })
        else { return 0 }
        return line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) } ?? 0
    }
}

/// The descriptors that are open now.
func openDescriptors() -> [Int32] {
    // The folder is read through a descriptor, which is already closed when fcntl checks it.
    ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []).compactMap { Int32($0) }
        .filter { fcntl($0, F_GETFD) >= 0 }
}
