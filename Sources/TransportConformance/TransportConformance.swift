import MoyaTesting
public import MoyaTransport

/// The behaviours required of every transport, as a list that any transport can be tested with.
///
/// ### Do I need this?
/// Only with a transport of your own. It shows whether sessions can rely on it as they do on the ones that come along.
///
/// ### Use
/// In one test, of Swift Testing or of XCTest. A server on the loopback interface plays the other side.
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
/// Declare them, each with its reason: they are run and shown all the same.
///
/// ```swift
/// TransportConformance.Exception(behavior: "zstd is removed", reason: "the platform has no decoder for it")
/// ```
///
/// One that would end the process is never run, and is shown as such:
///
/// ```swift
/// TransportConformance.Exception(behavior: "a method that is empty is refused unsent", notRun: "the library traps")
/// ```
public enum TransportConformance {
    /// One thing that a transport does.
    public struct Behavior: Sendable, CustomStringConvertible {
        /// A sentence that says what the transport does; no two behaviours share one.
        public let name: String
        /// The subject: `methods`, `timeouts`.
        public let group: String
        let check: @Sendable (ConformanceScene) async throws -> Void

        /// Puts a transport to the test, within a minute.
        ///
        /// - Parameter transport: Fit for HTTP without TLS on the loopback interface, with no proxy. Other exchanges may be
        ///   under way on it.
        /// - Throws: ``Failure`` that says what was off, `LoopbackError.timedOut(_:)` when something did not come.
        public func run(on transport: any Transport) async throws {
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

    /// A behaviour that a transport cannot have, as its maker says.
    public struct Exception: Sendable, Hashable {
        /// The behaviour's name.
        public let behavior: String
        /// The reason that the transport cannot have it.
        public let reason: String
        /// `true` if the transport is tested for it all the same, to see the result.
        public let isRun: Bool

        /// Declares an exception that is run, and counts as kept once the transport has the behaviour.
        public init(behavior: String, reason: String) {
            self.behavior = behavior
            self.reason = reason
            isRun = true
        }

        /// Declares an exception that must not be run: it would end the process, or never end itself.
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

/// Behaviours as they are written down.
struct BehaviorList {
    private(set) var behaviors: [TransportConformance.Behavior] = []
    private var group = ""

    /// Begins a group.
    mutating func begin(_ group: String) { self.group = group }

    mutating func add(_ name: String, _ check: @escaping @Sendable (ConformanceScene) async throws -> Void) {
        behaviors.append(TransportConformance.Behavior(name: name, group: group, check: check))
    }
}
