#if HTTPTypes
import Foundation
import HTTPTypes
import MoyaHTTPTypes
import MoyaSession
import MoyaTransport
import Testing

@Suite struct HTTPFieldsTests {
    @Test func orderAndSpellingStay() throws {
        let lines = [("X-b", "1"), ("a", "2"), ("x-B", "3")].map { MoyaTransport.HTTPField(name: $0.0, value: $0.1) }
        #expect([MoyaTransport.HTTPField](try HTTPTypes.HTTPFields(lines)) == lines)
    }

    @Test(arguments: ["", "a b", ":path", "é", "a\n"])
    func nameThatIsNoTokenIsRefused(name: String) {
        #expect(throws: HTTPTypesConversionError.invalidFieldName(name)) {
            try HTTPTypes.HTTPFields([MoyaTransport.HTTPField(name: name, value: "1")])
        }
    }

    @Test(arguments: ["a\r\nb", "a\0", " a", "a "])
    func valueThatNoTransportSendsIsRefused(value: String) {
        #expect(throws: HTTPTypesConversionError.invalidFieldValue(name: "A")) {
            try HTTPTypes.HTTPFields([MoyaTransport.HTTPField(name: "A", value: value)])
        }
    }

    @Test func moreFieldsThanTheLimitAreRefused() {
        let lines = [MoyaTransport.HTTPField](repeating: .init(name: "a", value: "b"), count: 65_535)
        #expect(throws: HTTPTypesConversionError.tooManyFields(65_535)) { try HTTPTypes.HTTPFields(lines) }
    }

    @Test func asManyFieldsAsTheLimitAreTaken() throws {
        let lines = [MoyaTransport.HTTPField](repeating: .init(name: "a", value: "b"), count: 65_534)
        #expect(try HTTPTypes.HTTPFields(lines).count == 65_534)
    }

    @Test func valuesOfOneNameAreJoined() {
        var fields: HTTPTypes.HTTPFields = [:]
        for (name, value) in [(HTTPTypes.HTTPField.Name.accept, "a"), (.cookie, "b"), (.accept, "c"), (.cookie, "d")] {
            fields.append(HTTPTypes.HTTPField(name: name, value: value))
        }
        #expect(MoyaSession.HTTPHeaders(fields) == ["Accept": "a, c", "Cookie": "b; d"])
    }

    @Test func headersBecomeFields() throws {
        let fields = try HTTPTypes.HTTPFields(MoyaSession.HTTPHeaders([.accept("a"), .userAgent("b")]))
        #expect(fields == [.accept: "a", .userAgent: "b"])
    }

    @Test func errorNamesTheValueAndHidesASecret() {
        let error = HTTPTypesConversionError.invalidFieldValue(name: "Authorization")
        #expect(error.localizedDescription.contains("Authorization"))
        #expect(HTTPTypesConversionError.invalidStatus(1_000).localizedDescription.contains("1000"))
        #expect(HTTPTypesConversionError.invalidMethod("CONNECT").localizedDescription.contains("tunnel"))
    }
}
#endif
