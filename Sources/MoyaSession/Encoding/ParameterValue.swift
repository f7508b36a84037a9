import Foundation

/// The kind of a parameter, by its dynamic type.
///
/// Casting cannot decide: on Apple platforms an `NSNumber` of 1 casts to `Bool` and a `Bool` to `NSNumber`. A type does
/// not change by a cast, so the answer is the same on every platform.
enum ParameterValue {
    /// Nothing: a `nil`.
    case none
    /// A boolean, never a number that happens to be 1 or 0.
    case bool(Bool)
    /// Anything that is one value, as it prints.
    case text(String)
    /// A list of values.
    case array([Any])
    /// Values by name.
    case dictionary([String: Any])

    /// Classifies a value.
    init(_ value: Any) {
        var value = value
        while let wrapper = value as? any OptionalParameter {
            guard let wrapped = wrapper.wrapped else {
                self = .none
                return
            }
            value = wrapped
        }
        switch value {
        case let string as String where type(of: value) is String.Type: self = .text(string)
        case let int as Int where type(of: value) is Int.Type: self = .text(String(int))
        case let bool as Bool where type(of: value) is Bool.Type: self = .bool(bool)
        case let double as Double where type(of: value) is Double.Type: self = .text(Self.text(double.description))
        case let hashable as AnyHashable where type(of: value) is AnyHashable.Type: self.init(hashable.base)
        case let number as NSNumber where type(of: value) is NSNumber.Type: self.init(number: number)
        case let float as any BinaryFloatingPoint & CustomStringConvertible: self = .text(Self.text(float.description))
        case let entries as [String: Any]: self = .dictionary(entries)
        case let elements as [Any]: self = .array(elements)
        case let date as Date where date.timeIntervalSince1970.isNaN:
            // Foundation traps on Linux when it prints such a date.
            self = .text("nan")
        default: self = .text("\(value)")
        }
    }

    private init(number: NSNumber) {
        if type(of: number) == booleanNumber {
            self = .bool(number.boolValue)
        } else if number is NSDecimalNumber {
            self = .text("\(number)")
        } else {
            switch UInt8(bitPattern: number.objCType.pointee) {
            case UInt8(ascii: "d"): self = .text(Self.text(number.doubleValue.description))
            case UInt8(ascii: "f"): self = .text(Self.text(number.floatValue.description))
            default: self = .text("\(number)")
            }
        }
    }

    /// A number as it prints, a fraction of nothing left out: 1.0 is `1`.
    private static func text(_ number: String) -> String {
        number.hasSuffix(".0") ? String(number.dropLast(2)) : number
    }
}

/// The class of an `NSNumber` that holds a boolean; one that holds a number is of another, on every platform.
private let booleanNumber: AnyClass = type(of: NSNumber(value: true))

private protocol OptionalParameter {
    var wrapped: Any? { get }
}

extension Optional: OptionalParameter {
    fileprivate var wrapped: Any? { map { $0 } }
}
