@testable import MoyaSession
@testable import MoyaTransport

/// Times of any length, as durations and as numbers: seconds, attoseconds, and the bits of two numbers.
@Sendable func checkDuration(_ bytes: [UInt8]) throws {
    var input = FuzzInput(bytes)
    func number() -> UInt64 { (0..<8).reduce(0) { number, _ in number << 8 | UInt64(input.byte()) } }
    let duration = Duration(
        secondsComponent: Int64(bitPattern: number()), attosecondsComponent: Int64(bitPattern: number()))
    let factor = Int(input.byte() % 8)
    let (one, other) = (Double(bitPattern: number()), Double(bitPattern: number()))

    let century = Duration.century
    for time in [duration, duration * factor] {
        let clamped = time.clamped
        try expect(clamped >= .zero - century && clamped <= century, "\(clamped)")
        try expect(clamped == time || (time > century) != (time < .zero - century), "\(clamped)")
        try expect(abs(time.seconds) <= 3_153_600_000, "\(time.seconds) seconds")
        let difference = Duration(clampingSeconds: time.seconds) - clamped
        try expect(abs(difference.seconds) < 1e-6, "\(clamped) comes back with \(difference) more")
    }
    for seconds in [one, other, duration.seconds] {
        let time = Duration(clampingSeconds: seconds)
        try expect(time >= .zero - century && time <= century, "\(seconds) is \(time)")
        let bound = UInt64.nanoseconds(ofLimit: seconds)
        try expect((bound == nil) == !(seconds >= 0 && seconds < .infinity), "\(seconds) is a bound of \(bound as Any)")
        try expect((bound ?? 0) <= 3_153_600_000_000_000_000, "\(seconds) is a bound of \(bound as Any)")
        let deadline = Deadline(in: seconds, from: 1)
        try expect((deadline == nil) == !(seconds > 0 && seconds < .infinity), "\(seconds) is \(deadline as Any)")
        guard let deadline else { continue }
        try expect(!deadline.isOver(at: 1) && deadline.secondsLeft(at: 1) > 0, "\(seconds) have passed at once")
        try expect(deadline.isOver(at: .max), "\(seconds) never pass")
    }
    if one <= other {
        try expect(Duration(clampingSeconds: one) <= Duration(clampingSeconds: other), "\(one) is more than \(other)")
    }
}
