import Testing

@testable import MoyaTesting

@Suite struct ResponseFramingTests {
    private func answered(
        _ status: Int = 200, with fields: LoopbackFields, to method: String = "GET"
    ) -> ResponseFraming {
        var framing = ResponseFraming()
        framing.sentHead(status: status, fields, answering: method)
        return framing
    }

    @Test func withoutAnAnswerTheConnectionIsNotReusable() {
        #expect(!ResponseFraming().leavesConnectionUsable)
    }

    @Test func afterAShortBodyTheConnectionIsNotReusable() {
        var framing = answered(with: ["Content-Length": "3"])
        framing.sentBody(2)
        #expect(!framing.leavesConnectionUsable)
    }

    @Test func afterACompleteBodyTheConnectionIsReusable() {
        var framing = answered(with: ["Content-Length": "3"])
        framing.sentBody(2)
        framing.sentBody(1)
        #expect(framing.leavesConnectionUsable)
    }

    @Test func afterATooLongBodyTheConnectionIsReusable() {
        var framing = answered(with: ["Content-Length": "3"])
        framing.sentBody(4)
        #expect(framing.leavesConnectionUsable)
    }

    @Test func withinChunksTheConnectionIsNotReusable() {
        var framing = answered(with: ["transfer-encoding": "chunked"])
        #expect(!framing.leavesConnectionUsable)
        framing.sentEnd()
        #expect(framing.leavesConnectionUsable)
    }

    @Test func aBodyWithoutFramingEndsWithTheConnection() {
        #expect(!answered(with: [:]).leavesConnectionUsable)
    }

    @Test func answersWithoutABodyAreCompleteImmediately() {
        #expect(answered(204, with: [:]).leavesConnectionUsable)
        #expect(answered(304, with: ["Content-Length": "9"]).leavesConnectionUsable)
        #expect(answered(200, with: ["Content-Length": "9"], to: "HEAD").leavesConnectionUsable)
    }

    @Test func anInterimAnswerIsFollowedByAnother() {
        #expect(!answered(103, with: ["Content-Length": "0"]).leavesConnectionUsable)
    }

    @Test func afterAnAnnouncedCloseTheConnectionIsNotReusable() {
        #expect(!answered(with: ["Content-Length": "0", "Connection": "close"]).leavesConnectionUsable)
    }

    @Test func afterRawBytesTheConnectionIsReusable() {
        var framing = ResponseFraming()
        framing.sentEnd()
        #expect(framing.leavesConnectionUsable)
    }
}
