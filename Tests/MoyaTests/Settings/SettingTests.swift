#if os(Linux) || os(macOS)
import Foundation
import Testing

/// Every setting with every extreme value, in separate processes: a trap ends one of them, and names the setting.
@Suite struct SettingTests {
    private static let groups: [String: [Setting]] = [
        "calls": Setting.calls, "retry": Setting.retry, "tokens": Setting.tokens, "session": Setting.session,
        "transport": Setting.transport, "streams": Setting.streams, "testing": Setting.testing,
        "values": Setting.values, "serialization": Setting.serialization, "cache": Setting.cache,
    ]

    @Test(arguments: groups.keys.sorted()) func extremeValuesDoNotTrap(group: String) async throws {
        let log = FileManager.default.temporaryDirectory.appendingPathComponent("moya-settings-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: log) }
        var skipped: [String] = []
        while true {
            await Self.tryAll(of: group, skipping: skipped, loggingTo: log.path)
            let last = try String(contentsOf: log, encoding: .utf8).split(separator: "\n").last ?? ""
            if last == Self.end { return }
            Issue.record("\(last) stops the program")
            guard let name = last.split(separator: " = ").first.map(String.init), !skipped.contains(name) else {
                return
            }
            // The others of the group are tried without it.
            skipped.append(name)
        }
    }

    @Test func isNamedOnce() {
        let names = Self.groups.values.joined().map(\.name)
        #expect(Set(names).count == names.count)
    }

    private static let end = "end"

    /// Tries the settings of a group in a separate process, which records its present one.
    private static func tryAll(of group: String, skipping skipped: [String], loggingTo path: String) async {
        await withKnownIssue(isIntermittent: true) {
            _ = await #expect(processExitsWith: .success) { [group, skipped, path] in
                // A setting that waits for ever stops the program too.
                alarm(60)
                guard FileManager.default.createFile(atPath: path, contents: nil),
                    let log = FileHandle(forWritingAtPath: path)
                else { return }
                for setting in SettingTests.groups[group] ?? [] where !skipped.contains(setting.name) {
                    await setting.tryAll { value in
                        try? log.write(contentsOf: Data("\(setting.name) = \(value)\n".utf8))
                    }
                }
                try? log.write(contentsOf: Data(SettingTests.end.utf8))
            }
        }
    }
}
#endif
