import Foundation
import Testing

@testable import MoyaSession

@Suite struct HTTPHeaderDefaultsTests {
    let version = OperatingSystemVersion(majorVersion: 6, minorVersion: 1, patchVersion: 2)

    @Test func defaultsAreThreeInThisOrder() {
        #expect(HTTPHeaders.default.map(\.name) == ["Accept-Encoding", "Accept-Language", "User-Agent"])
    }

    @Test func offersThreeContentCodings() {
        #expect(HTTPHeaders.default["accept-encoding"] == "br;q=1.0, gzip;q=0.9, deflate;q=0.8")
    }

    @Test func firstSixLanguagesAreWeighted() {
        #expect(
            HTTPHeader.weighted(["a", "b", "c", "d", "e", "f", "g"])
                == "a;q=1.0, b;q=0.9, c;q=0.8, d;q=0.7, e;q=0.6, f;q=0.5")
    }

    @Test func noPreferredLanguageMeansAny() {
        #expect(HTTPHeader.weighted([]) == "*")
    }

    @Test func userAgentNamesAppBuildSystemAndLibrary() {
        let text = HTTPHeader.userAgentText(
            information: [
                "CFBundleExecutable": "App", "CFBundleShortVersionString": "1.2",
                "CFBundleIdentifier": "com.example.app",
                "CFBundleVersion": "7",
            ], arguments: ["/usr/bin/other"], version: version)
        #expect(text.hasPrefix("App/1.2 (com.example.app; build:7; "))
        #expect(text.hasSuffix(" 6.1.2) Moya/\(MoyaVersion.current)"))
    }

    @Test func userAgentWithoutABundleTakesTheNameOfTheProgram() {
        let text = HTTPHeader.userAgentText(information: [:], arguments: ["/usr/bin/tool"], version: version)
        #expect(text.hasPrefix("tool/Unknown (Unknown; build:Unknown; "))
    }

    @Test func userAgentHoldsNoLineBreak() {
        let text = HTTPHeader.userAgentText(information: [:], arguments: ["/x/a\r\nX-Evil: 1\u{e9}"], version: version)
        #expect(text.hasPrefix("a__X-Evil: 1_/Unknown"))
    }
}
