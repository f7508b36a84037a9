import MoyaTesting

/// A time, a date, a count or a size that public API takes, and a use of it.
struct Setting: Sendable {
    /// The symbol as `Scripts/documentation/settings.py` spells it: `Type.member#parameter`, with the number of overloads
    /// where there are several.
    let name: String
    private let trials: [Trial]

    private struct Trial: Sendable {
        let value: String
        let run: @Sendable () async throws -> Void
    }

    /// Makes a setting that is used with every extreme value of its type.
    ///
    /// - Parameters:
    ///   - name: The symbol.
    ///   - use: Sets the value on the symbol and uses the result, within a second; a thrown error is an acceptable end.
    init<Value: ExtremeValue>(_ name: String, use: @escaping @Sendable (Value) async throws -> Void) {
        self.name = name
        trials = Value.extremes.map { value in
            Trial(value: Value.text(value)) { try await use(value) }
        }
    }

    /// Uses the setting with every value.
    ///
    /// - Parameter willUse: Called with each value before it is used.
    func tryAll(_ willUse: (String) -> Void) async {
        for trial in trials {
            willUse(trial.value)
            try? await trial.run()
        }
    }
}

/// A type of settings.
protocol ExtremeValue: Sendable {
    /// The smallest and the largest value, values around zero, values that are hard to convert, and random ones.
    static var extremes: [Self] { get }

    static func text(_ value: Self) -> String
}

extension ExtremeValue {
    static func text(_ value: Self) -> String { "\(value)" }
}

extension FixedWidthInteger where Self: ExtremeValue {
    static var extremes: [Self] {
        var generator = SeededGenerator(seed: 1)
        let edges: [Self] = [.min, .min + 1, 0, 1, 2, .max / 2, .max - 1, .max, Self(clamping: -1)]
        // One of every magnitude: half of all random numbers would be within a factor of two of the largest.
        return edges
            + stride(from: 4, to: bitWidth, by: 8).map { Self.random(in: .min ... .max, using: &generator) >> $0 }
    }
}

extension Int: ExtremeValue {}
extension Int64: ExtremeValue {}
extension UInt: ExtremeValue {}
extension UInt32: ExtremeValue {}
extension UInt64: ExtremeValue {}

extension Int32: ExtremeValue {}

extension Double: ExtremeValue {
    static var extremes: [Double] {
        var generator = SeededGenerator(seed: 2)
        let edges: [Double] = [
            0, .leastNonzeroMagnitude, 1e-9, 0.5, 1, 2_147_483.648, 1e9, 9.3e9, 0x1p63, 0x1p64, 1e21, 1e300,
            .greatestFiniteMagnitude, .infinity,
        ]
        let random = (0..<8).map { _ in
            Double(sign: .plus, exponent: .random(in: -70...1000, using: &generator), significand: 1.5)
        }
        return (edges + random).flatMap { [$0, -$0] } + [.nan, -.nan, .signalingNaN]
    }
}

extension Duration: ExtremeValue {
    static var extremes: [Duration] {
        var generator = SeededGenerator(seed: 3)
        let edges: [Duration] = [
            .zero, Duration(secondsComponent: 0, attosecondsComponent: 1), .nanoseconds(1), .milliseconds(1),
            .seconds(1),
            .seconds(2_147_483), .seconds(31_536_000), .seconds(1_000_000_000), .seconds(3_153_600_001),
            .seconds(9_223_372_037), .seconds(18_446_744_074), .seconds(Int64.max),
            // Beyond the range of its components, and the largest but one.
            .seconds(Int64.max) * 2, .seconds(Int64.max) * 18,
        ]
        let random = (0..<8).map { _ in
            Duration(
                secondsComponent: .random(in: 0 ... .max, using: &generator)
                    >> Int64.random(in: 0...62, using: &generator),
                attosecondsComponent: .random(in: 0..<1_000_000_000_000_000_000, using: &generator))
        }
        return (edges + random).flatMap { [$0, .zero - $0] }
    }
}
