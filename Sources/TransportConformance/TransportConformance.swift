import MoyaTesting
public import MoyaTransport

/// The required behaviours of every transport, as a list of tests for any transport.
///
/// ### Do I need this?
/// Only for your own transport. It shows whether sessions can rely on it as on the package's own transports.
///
/// ### Use
/// Run it in one test, with Swift Testing or XCTest. A server on the loopback interface plays the other side.
///
/// ```swift
/// @Test func myTransportConforms() async {
///     let report = await TransportConformance.report(on: "MyTransport") { MyTransport() }
///     print(report)                                        // a table by group, then what is off
///     #expect(report.isClean, "\(report)")                 // XCTAssertTrue(report.isClean, "\(report)")
/// }
/// ```
///
/// ### Behaviours that a transport cannot have
/// Declare them, each with its reason: they are still run and printed.
///
/// ```swift
/// TransportConformance.Exception(behavior: "zstd is removed", reason: "the platform has no decoder for it")
/// ```
///
/// A behaviour that would end the process is never run, and is printed as such:
///
/// ```swift
/// TransportConformance.Exception(behavior: "a method that is empty is refused unsent", notRun: "the library traps")
/// ```
public enum TransportConformance {
    /// One required behaviour of a transport.
    public struct Behavior: Sendable, CustomStringConvertible {
        /// A sentence that states the behaviour; unique.
        public let name: String
        /// The subject: `methods`, `timeouts`.
        public let group: String
        /// The reason that the behaviour does not apply to a transport; `nil` if it does.
        let obstacle: @Sendable (any Transport) -> String?
        let check: @Sendable (ConformanceScene) async throws -> Void

        /// Tests a transport, within a minute.
        ///
        /// Returns at once if the behaviour does not apply to it, which a report shows as ``Verdict/notRun(reason:)``.
        ///
        /// - Parameter transport: A transport for HTTP without TLS on the loopback interface, without a proxy. Other
        ///   exchanges may run on it.
        /// - Throws: ``Failure`` with the problem, `TestSupportError.timedOut(_:)` if an event did not occur.
        public func run(on transport: any Transport) async throws {
            guard obstacle(transport) == nil else { return }
            let check = check
            try await withTimeLimit(.seconds(60)) {
                .timedOut("a behaviour to show itself")
            } _: {
                try await check(ConformanceScene(transport: transport))
            }
        }

        /// The group and the name.
        public var description: String { "\(group): \(name)" }
    }

    /// A failed expectation.
    public struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        /// The expected and the actual value.
        public let message: String

        /// The message.
        public var description: String { message }
    }

    /// A behaviour that a transport cannot have, as declared by its author.
    public struct Exception: Sendable, Hashable {
        /// The behaviour's name.
        public let behavior: String
        /// The reason that the transport cannot have it.
        public let reason: String
        /// `true` if the transport is still tested for it, to see the result.
        public let isRun: Bool

        /// Declares an exception that is run, and counts as kept once the transport has the behaviour.
        public init(behavior: String, reason: String) {
            self.behavior = behavior
            self.reason = reason
            isRun = true
        }

        /// Declares an exception that must not be run, because it would end the process, or never end itself.
        public init(behavior: String, notRun reason: String) {
            self.behavior = behavior
            self.reason = reason
            isRun = false
        }
    }

    /// Every behaviour, in groups.
    public static let behaviors: [Behavior] = {
        var list = BehaviorList()
        addMethods(to: &list)
        addTargets(to: &list)
        addRequestFields(to: &list)
        addRequestBodies(to: &list)
        addUploads(to: &list)
        addExpectations(to: &list)
        addStatusLines(to: &list)
        addResponseFields(to: &list)
        addInterimResponses(to: &list)
        addResponseBodies(to: &list)
        addChunkedBodies(to: &list)
        addContentCodings(to: &list)
        addConnections(to: &list)
        addFailures(to: &list)
        addRefusals(to: &list)
        addTimeouts(to: &list)
        addCancellation(to: &list)
        addDemand(to: &list)
        addProgress(to: &list)
        addStreams(to: &list)
        addTrailers(to: &list)
        addMetrics(to: &list)
        addOrder(to: &list)
        return list.behaviors
    }()
}

/// The list of behaviours under construction.
struct BehaviorList {
    private(set) var behaviors: [TransportConformance.Behavior] = []
    private var group = ""

    /// Starts a group.
    mutating func startGroup(_ group: String) { self.group = group }

    /// Adds a behaviour.
    ///
    /// - Parameter obstacle: Returns the reason that the behaviour does not apply to a transport.
    mutating func add(
        _ name: String, obstacle: @escaping @Sendable (any Transport) -> String? = { _ in nil },
        _ check: @escaping @Sendable (ConformanceScene) async throws -> Void
    ) {
        behaviors.append(TransportConformance.Behavior(name: name, group: group, obstacle: obstacle, check: check))
    }
}
