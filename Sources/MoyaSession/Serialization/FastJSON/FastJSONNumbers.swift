#if FastJSON
import Foundation
import yyjson

extension FastJSONNode {
    /// The value as an integer, if it is a number of digits alone that fits.
    func shortInteger<T: FixedWidthInteger>(_ type: T.Type) -> T? {
        guard isNumber else { return nil }
        let text = text
        let isNegative = text[0] == UInt8(ascii: "-")
        let digits = text.dropFirst(isNegative ? 1 : 0)
        // More do not fit, and 19 do.
        guard digits.count <= 20, !isNegative || T.isSigned else { return nil }
        var magnitude: UInt64 = 0
        for character in digits.prefix(19) {
            let digit = character &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            magnitude = magnitude &* 10 &+ UInt64(digit)
        }
        if digits.count == 20, let character = digits.last {
            let digit = character &- UInt8(ascii: "0")
            let (product, isOver) = magnitude.multipliedReportingOverflow(by: 10)
            let (sum, isFar) = product.addingReportingOverflow(UInt64(digit))
            guard digit <= 9, !isOver, !isFar else { return nil }
            magnitude = sum
        }
        guard isNegative else { return T(exactly: magnitude) }
        // The least `Int64` is rare, and Foundation's.
        return Int64(exactly: magnitude).flatMap { T(exactly: -$0) }
    }

    /// The value as a floating-point value, if it is a number of few characters that is an integer exactly if the value
    /// is.
    var shortDouble: Double? {
        guard isNumber, text.count <= 15, let double = normalDouble, abs(double) < 0x1p53 else { return nil }
        return double
    }

    /// The value as a floating-point value, if it is a number that is neither too large nor too small.
    var normalDouble: Double? {
        guard isNumber else { return nil }
        var number = yyjson_val()
        guard yyjson_read_number(unsafe_yyjson_get_raw(self), &number, 0, nil, nil) != nil else { return nil }
        let value = yyjson_get_num(&number)
        // The sign of an integer 0 is lost.
        return value.isNormal || value == 0 && text.isZero && text[0] != UInt8(ascii: "-") ? value : nil
    }

    /// The value as a floating-point value, rounded once, if it is a number that is neither too large nor too small.
    var normalFloat: Float? {
        guard isNumber, let value = Float(string), value.isNormal || value == 0 && text.isZero else { return nil }
        return value
    }

    /// The value as a decimal, if it is a number whose digits all fit.
    var shortDecimal: Decimal? {
        isNumber && text.count <= 32 ? Decimal(string: string) : nil
    }

    /// The number as Foundation decodes it.
    func decodedByFoundation<T: Decodable>() throws -> T {
        try JSONDecoder().decode(T.self, from: Data(text))
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// `true` if the number has no digit but 0, and no exponent, with which Foundation refuses it.
    fileprivate var isZero: Bool {
        allSatisfy { $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") }
    }
}
#endif
