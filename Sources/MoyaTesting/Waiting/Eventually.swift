/// Waits until a condition is met that no event announces, such as the end of an object.
///
/// - Parameter limit: The time limit for a condition that is never met; it delays nothing else.
/// - Throws: ``TestSupportError/timedOut(_:)``, `CancellationError`, the condition's error.
package func eventually(
    within limit: Duration = .seconds(30), isolation: isolated (any Actor)? = #isolation,
    _ isMet: () throws -> Bool
) async throws {
    let end = ContinuousClock.now + limit
    while try !isMet() {
        guard ContinuousClock.now < end else { throw TestSupportError.timedOut("a condition") }
        try await Task.sleep(for: .milliseconds(1))
    }
}
