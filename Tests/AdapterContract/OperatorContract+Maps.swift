import Foundation
import Moya

#if canImport(UIKit)
import UIKit
#elseif canImport(AppKit)
import AppKit
#endif

extension OperatorContract {
    func image() throws {
        // The smallest GIF, whose header states 3 by 2.
        let gif = "R0lGODdhAwACAIAAAP///wAAACwAAAAAAwACAAACAoRfADs="
        guard let data = Data(base64Encoded: gif) else { throw Violation("no image") }
        let image = try value(of: adapter.mapImage(Response(statusCode: 200, data: data)))
        guard image.size.width == 3, image.size.height == 2 else { throw Violation("an image of \(image.size)") }
    }

    func emptyImage() throws {
        try require(adapter.mapImage(response()), failsWith: "imageMapping") {
            if case .imageMapping = $0 { true } else { false }
        }
    }

    func json() throws {
        let json = try value(of: adapter.mapJSON(response(200, #"{"login":"octocat"}"#)))
        guard (json as? [String: Any])?["login"] as? String == "octocat" else { throw Violation("gave \(json)") }
    }

    func malformedJSON() throws {
        try require(adapter.mapJSON(response(200, #"{ "login": }"#)), failsWith: "jsonMapping") {
            if case .jsonMapping = $0 { true } else { false }
        }
    }

    func emptyJSON() throws {
        try require(adapter.mapJSON(response()), failsWith: "jsonMapping") {
            if case .jsonMapping = $0 { true } else { false }
        }
        let json = try value(of: adapter.mapJSON(response(), failsOnEmptyData: false))
        guard json is NSNull else { throw Violation("gave \(json)") }
    }

    func string() throws {
        guard try value(of: adapter.mapString(response(200, "grüß dich"))) == "grüß dich" else {
            throw Violation("another string")
        }
    }

    func stringAtAKeyPath() throws {
        let response = response(200, #"{"words":{"first":"hello"}}"#)
        guard try value(of: adapter.mapString(response, atKeyPath: "words.first")) == "hello" else {
            throw Violation("another string")
        }
    }

    func invalidUTF8() throws {
        let response = Response(statusCode: 200, data: Data([0xFF, 0xFE, 0x11]))
        try require(adapter.mapString(response), failsWith: "stringMapping") {
            if case .stringMapping = $0 { true } else { false }
        }
    }
}
