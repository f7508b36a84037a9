import Foundation
import Moya
import Testing

@Suite struct RetryAfterTests {
    private let now = Date(timeIntervalSince1970: 784_111_777)

    @Test(arguments: [
        ("0", 0.0), ("120", 120), (" 5 ", 5), ("Sun, 06 Nov 1994 08:49:47 GMT", 10),
        ("Sun, 06 Nov 1994 08:49:27 GMT", 0),
    ])
    func secondsAndDatesAreRead(_ value: String, _ seconds: Double) {
        #expect(RetryAfter.seconds(value, now: now) == seconds)
    }

    @Test(arguments: ["", " ", "soon", "-1", "1.5", "1e9", "0x10", "٣"])
    func anythingElseIsNothing(_ value: String) {
        #expect(RetryAfter.seconds(value, now: now) == nil)
    }

    @Test func numberBeyondAllBoundsIsInfinite() {
        #expect(RetryAfter.seconds(String(repeating: "9", count: 400), now: now) == .infinity)
    }
}
