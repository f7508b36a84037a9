import Foundation
import Moya

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Runs the public suite of tests for caches against a session with an `HTTPCache`, and prints the result of each kind.
///
///     cache-tests SUITES BASE [ID]
///
/// SUITES is a file of the suite's definitions as JSON, BASE the URL of its server. With an ID that test alone runs. The
/// status is 1 if no test ran, the server refused one, or a required one fails that is not in `known`.
@main
enum CacheTests {
    /// The required tests that fail, with their reasons in `CacheTests.md`.
    private static let known: Set = [
        "cc-resp-immutable-stale", "stale-close-must-revalidate", "stale-close-no-cache", "headers-store-Set-Cookie",
        "headers-store-Set-Cookie2",
    ]

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else {
            print("usage: cache-tests SUITES BASE [ID]")
            exit(64)
        }
        let data = try Data(contentsOf: URL(fileURLWithPath: arguments[1]))
        let suites = try JSONDecoder().decode([JSONValue].self, from: data)
        var tests = suites.flatMap { $0["tests"].array }.map(SuiteTest.init).filter(\.isForPrivateCaches)
        if arguments.count > 3 { tests = tests.filter { $0.id == arguments[3] } }
        var results: [String: SuiteResult] = [:]
        // Their pauses take most of the time, so many run at once.
        await withTaskGroup(of: (String, SuiteResult).self) { group in
            var waiting = tests[...]
            func add() {
                guard let test = waiting.popFirst() else { return }
                group.addTask { (test.id, await SuiteRun(test, base: arguments[2]).result()) }
            }
            for _ in 0..<40 { add() }
            for await (id, result) in group {
                results[id] = result
                add()
            }
        }
        let problems = report(tests, results)
        for problem in problems { print("FAILED: \(problem)") }
        if !problems.isEmpty { exit(1) }
    }

    /// Prints the results of each kind, and returns the reasons to fail.
    private static func report(_ tests: [SuiteTest], _ results: [String: SuiteResult]) -> [String] {
        var problems = tests.isEmpty ? ["no test ran"] : []
        let byID = Dictionary(tests.map { ($0.id, $0) }) { one, _ in one }
        func passes(_ test: SuiteTest) -> Bool {
            guard case .passed? = results[test.id] else { return false }
            return test.dependencies.allSatisfy { id in byID[id].map(passes) ?? true }
        }
        for kind in ["required", "optimal", "check"] {
            let all = tests.filter { $0.kind == kind }
            let passed = all.filter(passes)
            print("\(kind): \(passed.count) of \(all.count)")
            guard kind != "check" else { continue }
            for test in all where !passes(test) {
                print("  \(test.id): \(results[test.id]?.description ?? "not run")")
            }
        }
        for test in tests where !passes(test) {
            if case .refused(let text)? = results[test.id] {
                problems.append("\(test.id): \(text)")
            } else if test.kind == "required", !known.contains(test.id) {
                problems.append(test.id)
            }
        }
        return problems
    }
}

/// The result of a test.
enum SuiteResult: Sendable, CustomStringConvertible {
    case passed
    /// The test is inconclusive, since its setup failed.
    case setup(String)
    /// The server did not take the test.
    case refused(String)
    case failed(String)

    var description: String {
        switch self {
        case .passed: "passed, but a test that it depends on did not"
        case .setup(let text): "set up wrongly: \(text)"
        case .refused(let text): "refused: \(text)"
        case .failed(let text): text
        }
    }
}
