import Foundation

/// The kind of a parameter, by its dynamic type.
///
/// Casts cannot decide: on Apple platforms an `NSNumber` of 1 casts to `Bool` and a `Bool` to `NSNumber`. Dynamic types
/// give the same result on every platform.
enum ParameterValue {
    /// No value: `nil`.
    case none
    /// A boolean, never a number that happens to be 1 or 0.
    case bool(Bool)
    /// A single value, as text.
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
        if let usual = ParameterValue(usual: value) {
            self = usual
            return
        }
        switch value {
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

    /// Classifies a value of one of the most frequent types; `nil` for any other.
    ///
    /// Comparing types costs a fraction of a failed cast.
    init?(usual value: Any) {
        let type = type(of: value)
        if type == String.self, let string = value as? String {
            self = .text(string)
        } else if type == Int.self, let int = value as? Int {
            self = .text(String(int))
        } else if type == Bool.self, let bool = value as? Bool {
            self = .bool(bool)
        } else if type == Double.self, let double = value as? Double {
            self = .text(Self.text(double.description))
        } else {
            return nil
        }
    }

    private init(number: NSNumber) {
        if number.isBoolean {
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

    /// The text of a number without a zero fraction: 1.0 is `1`.
    private static func text(_ number: String) -> String {
        number.hasSuffix(".0") ? String(number.dropLast(2)) : number
    }
}

extension NSNumber {
    /// `true` for a boolean: its class differs from that of a number, on every platform.
    var isBoolean: Bool { type(of: self) == Self.booleanClass }

    private static let booleanClass: AnyClass = type(of: NSNumber(value: true))
}

private protocol OptionalParameter {
    var wrapped: Any? { get }
}

extension Optional: OptionalParameter {
    fileprivate var wrapped: Any? { map { $0 } }
}
