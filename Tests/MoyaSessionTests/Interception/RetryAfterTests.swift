import Foundation
import MoyaTransport
import Testing

@testable import MoyaSession

@Suite struct RetryAfterTests {
    private let now = Date(timeIntervalSince1970: 784_111_777)

    private func seconds(_ fields: [String: String]) -> TimeInterval? {
        let fields = fields.map { HTTPField(name: $0.key, value: $0.value) }
        return RetryAfter.seconds(in: TransportResponseHead(status: 503, fields: fields), now: now)
    }

    @Test(arguments: [("0", 0), ("1", 1), ("120", 120), ("007", 7), (" 5 ", 5), ("31536000000", 31_536_000_000)])
    func aNumberIsSeconds(value: String, expected: Double) {
        #expect(seconds(["retry-after": value]) == expected)
    }

    @Test func aNumberBeyondAllNumbersIsInfinite() {
        #expect(seconds(["Retry-After": String(repeating: "9", count: 400)]) == .infinity)
    }

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:50:37 GMT", 60.0), ("Sunday, 06-Nov-94 08:50:37 GMT", 60),
        ("Sun Nov  6 08:49:38 1994", 1), ("Sun, 06 Nov 1994 08:49:37 GMT", 0), ("Sun, 06 Nov 1994 08:00:00 GMT", 0),
        ("Fri, 31 Dec 2993 23:59:59 GMT", 31_530_265_822),
    ])
    func aDateIsTheTimeUntilThen(value: String, expected: Double) {
        #expect(seconds(["Retry-After": value]) == expected)
    }

    @Test func aDateIsRelativeToTheServersClock() {
        // Ours is an hour behind.
        let fields = ["Retry-After": "Sun, 06 Nov 1994 09:49:47 GMT", "Date": "Sun, 06 Nov 1994 09:49:37 GMT"]
        #expect(seconds(fields) == 10)
    }

    @Test(arguments: ["", "-1", "+1", "1.5", "soon", "1 s", "0x10", "\u{0661}", "1e3", "Sun, 06 Nov 1994"])
    func unreadableValueIsNoWait(value: String) {
        #expect(seconds(["Retry-After": value]) == nil)
    }

    @Test func responseWithoutRetryAfterHasNoWait() {
        #expect(seconds([:]) == nil)
    }
}
