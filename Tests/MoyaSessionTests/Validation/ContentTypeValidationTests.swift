import Testing

@testable import MoyaSession

@Suite struct ContentTypeValidationTests {
    @Test func typeThatIsAcceptablePasses() throws {
        try ContentTypeValidation.validate("text/html; charset=utf-8", acceptable: ["text/html"])
    }

    @Test func mismatchNamesTheTypeAndTheRangesInOrder() {
        let reason = reason {
            try ContentTypeValidation.validate("text/html; charset=utf-8", acceptable: ["b/c", "a/*"])
        }
        guard case .unacceptableContentType(["a/*", "b/c"], "text/html") = reason else {
            Issue.record("\(String(describing: reason))")
            return
        }
    }

    @Test func noTypeNamesTheRangesInOrder() {
        let reason = reason { try ContentTypeValidation.validate(nil, acceptable: ["b/c", "a/*"]) }
        guard case .missingContentType(["a/*", "b/c"]) = reason else {
            Issue.record("\(String(describing: reason))")
            return
        }
    }

    @Test func noTypePassesWhereAnyIsAcceptable() throws {
        try ContentTypeValidation.validate(nil, acceptable: ["a/b", "*/*"])
    }

    @Test func typeThatCannotBeReadIsNamedAsItIs() {
        let reason = reason { try ContentTypeValidation.validate("text", acceptable: ["a/b"]) }
        guard case .unacceptableContentType(["a/b"], "text") = reason else {
            Issue.record("\(String(describing: reason))")
            return
        }
    }

    @Test func emptyListAcceptsNothing() {
        #expect(reason { try ContentTypeValidation.validate("a/b", acceptable: []) } != nil)
    }

    private func reason(_ validate: () throws -> Void) -> SessionError.ResponseValidationFailureReason? {
        do {
            try validate()
        } catch SessionError.responseValidationFailed(let reason) {
            return reason
        } catch {
            Issue.record(error)
        }
        return nil
    }
}
