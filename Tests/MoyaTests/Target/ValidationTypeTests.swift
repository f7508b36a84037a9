import Foundation
import Moya
import Testing

@Suite struct ValidationTypeTests {
    @Test func noValidationHasNoCodes() { #expect(ValidationType.none.statusCodes.isEmpty) }

    @Test func successCodesAre200To299() { #expect(ValidationType.successCodes.statusCodes == Array(200...299)) }

    @Test func successAndRedirectCodesAre200To399() {
        #expect(ValidationType.successAndRedirectCodes.statusCodes == Array(200...399))
    }

    @Test func customCodesAreExactlyThose() {
        #expect(ValidationType.customCodes([404, 200]).statusCodes == [404, 200])
    }

    @Test func customCodesAreEqualInOrder() {
        #expect(ValidationType.customCodes([1, 2]) == .customCodes([1, 2]))
        #expect(ValidationType.customCodes([1, 2]) != .customCodes([2, 1]))
    }

    @Test func differentKindsAreUnequal() { #expect(ValidationType.none != .customCodes([])) }

    @Test func targetsValidateNothingByDefault() { #expect(GitHub.zen.validationType == .none) }

    @Test func targetsHaveNoSampleDataByDefault() {
        #expect(AuthorizedAPI(authorizationType: nil).sampleData == Data())
    }
}
