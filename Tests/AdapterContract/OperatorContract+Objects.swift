import Foundation
import Moya

private struct Issue: Decodable, Equatable {
    var title: String?
    var createdAt: Date?
}

extension OperatorContract {
    private static var json: String { #"{"title":"Hello","createdAt":"1970-01-01T00:01:00Z"}"# }
    private static var issue: Issue { Issue(title: "Hello", createdAt: Date(timeIntervalSince1970: 60)) }

    private var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }

    func object() throws { try require(Self.json, gives: Self.issue) }

    func array() throws { try require("[\(Self.json),\(Self.json)]", gives: [Self.issue, Self.issue]) }

    func emptyObject() throws {
        for keyPath in [nil, "issue"] {
            try require("", atKeyPath: keyPath, failsOnEmptyData: false, gives: Issue())
        }
    }

    func emptyArray() throws {
        for keyPath in [nil, "issue"] {
            try require("", atKeyPath: keyPath, failsOnEmptyData: false, gives: [Issue()])
        }
    }

    func objectAtAKeyPath() throws { try require(#"{"issue":\#(Self.json)}"#, atKeyPath: "issue", gives: Self.issue) }

    func arrayAtAKeyPath() throws {
        try require(#"{"page":{"issues":[\#(Self.json)]}}"#, atKeyPath: "page.issues", gives: [Self.issue])
    }

    func scalarsAtAKeyPath() throws {
        try require(#"{"count":1}"#, atKeyPath: "count", gives: 1)
        try require(#"{"isNew":true}"#, atKeyPath: "isNew", gives: true)
        try require(#"{"title":"Hello"}"#, atKeyPath: "title", gives: "Hello")
        try require(
            #"{"url":"http://www.example.com"}"#, atKeyPath: "url", gives: URL(string: "http://www.example.com"))
    }

    func scalarsOfAnotherType() throws {
        try require(Bool.self, isNoneOf: #"{"count":1}"#, atKeyPath: "count")
        try require(Int.self, isNoneOf: #"{"id":"123"}"#, atKeyPath: "id")
        try require(String.self, isNoneOf: #"{"titles":["a"]}"#, atKeyPath: "titles")
        try require([String].self, isNoneOf: #"{"title":"a"}"#, atKeyPath: "title")
    }

    func undecodableBody() throws {
        try require(adapter.map(response(200, #"{"title":1}"#), Issue.self), failsWith: "objectMapping") {
            if case .objectMapping(let error, _) = $0 { error is DecodingError } else { false }
        }
    }

    private func require<D: Decodable & Equatable>(
        _ body: String, atKeyPath keyPath: String? = nil, failsOnEmptyData: Bool = true, gives expected: D
    ) throws {
        let value = try value(
            of: adapter.map(
                response(200, body), D.self, atKeyPath: keyPath, using: decoder, failsOnEmptyData: failsOnEmptyData))
        guard value == expected else { throw Violation("\(value) instead of \(expected)") }
    }

    private func require<D: Decodable>(_ type: D.Type, isNoneOf body: String, atKeyPath keyPath: String) throws {
        let stream = adapter.map(
            response(200, body), type, atKeyPath: keyPath, using: decoder, failsOnEmptyData: true)
        try require(stream, failsWith: "objectMapping") { if case .objectMapping = $0 { true } else { false } }
    }
}
