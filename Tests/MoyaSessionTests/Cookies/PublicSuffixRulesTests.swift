import Foundation
import Testing

@testable import MoyaSession

@Suite struct PublicSuffixRulesTests {
    private let suffixes = PublicSuffixes(
        rules: PublicSuffixRules(
            list: Data(
                """
                // a comment
                zz
                one.zz
                deep.two.zz with a remark

                *.wild.zz\r
                !free.wild.zz
                公司.zz
                *
                !
                """.utf8)))

    @Test(arguments: ["one.zz", "deep.two.zz", "any.wild.zz", "wild.zz", "xn--55qx5d.zz", "xn--any-hj5f.wild.zz"])
    func aDomainOfTheListIsASuffix(domain: String) {
        #expect(suffixes.isPublicSuffix(domain))
    }

    @Test(arguments: ["two.zz", "x.one.zz", "free.wild.zz", "x.any.wild.zz", "a.comment"])
    func otherDomainIsNotASuffix(domain: String) {
        #expect(!suffixes.isPublicSuffix(domain))
    }

    @Test func aFileThatIsNotAListHasNoRules() {
        #expect(PublicSuffixRules(list: Data()).isEmpty)
        #expect(PublicSuffixRules(list: Data([0xFF, 0xFE, 0x0A, 0x00])).isEmpty)
    }
}
