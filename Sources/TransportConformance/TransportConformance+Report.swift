import MoyaTesting
public import MoyaTransport

extension TransportConformance {
    /// The result of testing a behaviour.
    public enum Verdict: Sendable, Hashable {
        /// The transport has the behaviour.
        case kept
        /// The transport has the behaviour, although an exception was declared, which this version no longer needs.
        case keptDespiteException(reason: String)
        /// The transport lacks the behaviour, as declared.
        case excepted(reason: String, found: String)
        /// The transport was not tested for the behaviour, as declared, or because the behaviour does not apply to it.
        case notRun(reason: String)
        /// The transport lacks the behaviour.
        case broken(String)
    }

    /// The results of every behaviour on one transport; its description is the table.
    public struct Report: Sendable, CustomStringConvertible {
        /// A behaviour and its result.
        public struct Entry: Sendable {
            /// The behaviour.
            public let behavior: Behavior
            /// The result.
            public let verdict: Verdict
        }

        /// The transport's name.
        public let transport: String
        /// The behaviours in order.
        public let entries: [Entry]
        /// Exceptions that match no behaviour, such as a misspelled one.
        public let unknownExceptions: [Exception]

        /// Makes a report, mainly to print it.
        public init(transport: String, entries: [Entry], unknownExceptions: [Exception] = []) {
            self.transport = transport
            self.entries = entries
            self.unknownExceptions = unknownExceptions
        }

        /// `true` if the transport lacks only declared behaviours, and every exception matches one.
        public var isClean: Bool { broken.isEmpty && unknownExceptions.isEmpty }

        /// The behaviours that the transport should have but lacks.
        public var broken: [Entry] {
            entries.filter { if case .broken = $0.verdict { true } else { false } }
        }

        /// The number of behaviours that the transport has.
        public var keptCount: Int { entries.count - broken.count - exceptedCount - notRunCount }

        /// The number of behaviours declared as missing.
        public var exceptedCount: Int {
            entries.count { if case .excepted = $0.verdict { true } else { false } }
        }

        /// The number of behaviours that were not run.
        public var notRunCount: Int {
            entries.count { if case .notRun = $0.verdict { true } else { false } }
        }

        /// A table by group, then the exceptions with their reasons, then the problems.
        public var description: String {
            var lines = [
                "Transport conformance: \(transport)", row("group", ["kept", "excepted", "not run", "broken"]),
            ]
            var groups: [String] = []
            for entry in entries where groups.last != entry.behavior.group { groups.append(entry.behavior.group) }
            for group in groups {
                let part = Report(
                    transport: transport, entries: entries.filter { $0.behavior.group == group }, unknownExceptions: [])
                lines.append(row(group, part.counts))
            }
            lines.append(row("all \(entries.count)", counts))
            for entry in entries { lines += Self.remarks(on: entry) }
            for exception in unknownExceptions {
                lines.append("  BROKEN    an exception names no behaviour: \(exception.behavior)")
            }
            return lines.joined(separator: "\n")
        }

        private static func remarks(on entry: Entry) -> [String] {
            switch entry.verdict {
            case .kept: []
            case .keptDespiteException(let reason):
                ["  kept      \(entry.behavior)", "            though excepted: \(reason)"]
            case .excepted(let reason, let found):
                ["  excepted  \(entry.behavior)", "            because \(reason); found: \(found)"]
            case .notRun(let reason):
                ["  not run   \(entry.behavior)", "            because \(reason)"]
            case .broken(let found):
                ["  BROKEN    \(entry.behavior)", "            \(found)"]
            }
        }

        private var counts: [String] {
            [keptCount, exceptedCount, notRunCount, broken.count].map { "\($0)" }
        }

        private func row(_ group: String, _ cells: [String]) -> String {
            cells.reduce("  \(group)" + String(repeating: " ", count: max(0, 24 - group.count))) { row, cell in
                row + String(repeating: " ", count: max(0, 10 - cell.count)) + cell
            }
        }
    }

    /// Tests a transport for every behaviour, several at once, and reports each result.
    ///
    /// - Parameters:
    ///   - transport: The transport's name, for the table.
    ///   - behaviors: The behaviours to test, all by default; each of them once.
    ///   - exceptions: The behaviours that the transport lacks.
    ///   - concurrency: The number of concurrent tests, at least 1.
    ///   - makeTransport: Makes a transport for each behaviour; it may return the same one for all.
    public static func report(
        on transport: String, behaviors: [Behavior] = TransportConformance.behaviors, exceptions: [Exception] = [],
        concurrency: Int = 16,
        _ makeTransport: @escaping @Sendable () -> any Transport
    ) async -> Report {
        let declared = Dictionary(exceptions.map { ($0.behavior, $0) }) { first, _ in first }
        var verdicts: [Int: Verdict] = [:]
        await withTaskGroup(of: (Int, Verdict).self) { group in
            for (index, behavior) in behaviors.enumerated() {
                if index >= max(concurrency, 1), let (done, verdict) = await group.next() { verdicts[done] = verdict }
                group.addTask {
                    (index, await verdict(on: behavior, exception: declared[behavior.name], makeTransport))
                }
            }
            for await (done, verdict) in group { verdicts[done] = verdict }
        }
        let names = Set(Self.behaviors.map(\.name))
        return Report(
            transport: transport,
            entries: behaviors.enumerated().map { index, behavior in
                Report.Entry(behavior: behavior, verdict: verdicts[index] ?? .broken("it was not run"))
            },
            unknownExceptions: exceptions.filter { !names.contains($0.behavior) })
    }

    private static func verdict(
        on behavior: Behavior, exception: Exception?, _ makeTransport: @Sendable () -> any Transport
    ) async -> Verdict {
        if let exception, !exception.isRun { return .notRun(reason: exception.reason) }
        let transport = makeTransport()
        if let reason = behavior.obstacle(transport) { return .notRun(reason: reason) }
        do {
            try await behavior.run(on: transport)
            return exception.map { .keptDespiteException(reason: $0.reason) } ?? .kept
        } catch {
            return exception.map { .excepted(reason: $0.reason, found: "\(error)") } ?? .broken("\(error)")
        }
    }
}
