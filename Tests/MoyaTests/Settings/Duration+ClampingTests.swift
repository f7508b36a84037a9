import Moya
import Testing

@Suite struct DurationClampingTests {
    @Test func clampsToACentury() {
        for duration in Duration.extremes {
            #expect(duration.clamped >= .zero - .century && duration.clamped <= .century)
            #expect(duration.clamped == duration || abs(duration.seconds) == Duration.century.seconds)
        }
    }

    @Test func secondsAndBackAreTheSame() {
        for duration in Duration.extremes {
            let other = Duration(clampingSeconds: duration.seconds)
            #expect(abs(other.seconds - duration.seconds) <= abs(duration.seconds) * 1e-15)
        }
    }

    @Test func secondsThatAreNotANumberAreIgnored() { #expect(Duration(clampingSeconds: .nan) == .zero) }

    @Test func boundIsRoundedUp() {
        #expect(UInt64.nanoseconds(ofLimit: .leastNonzeroMagnitude) == 1)
        #expect(UInt64.nanoseconds(ofLimit: 0) == 0)
        #expect(UInt64.nanoseconds(ofLimit: 0.5) == 500_000_000)
    }

    @Test(arguments: [nil, -1, .infinity, -.infinity, .nan, -.leastNonzeroMagnitude] as [Double?])
    func absentBoundHasNoNanoseconds(_ seconds: Double?) { #expect(UInt64.nanoseconds(ofLimit: seconds) == nil) }

    @Test(arguments: [3_153_600_000, 1e18, 1e300, .greatestFiniteMagnitude])
    func boundIsAtMostACentury(_ seconds: Double) {
        #expect(UInt64.nanoseconds(ofLimit: seconds) == 3_153_600_000_000_000_000)
    }
}
