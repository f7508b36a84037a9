import Testing

@testable import MoyaSession

@Suite struct ByteRangeTests {
    @Test(
        arguments: [
            ("bytes=0-1", 0..<2), ("bytes=4-", 4..<10), ("bytes=-3", 7..<10), ("bytes=-99", 0..<10),
            ("bytes=9-99", 9..<10), ("BYTES=1-1", 1..<2),
        ] as [(String, Range<Int64>)])
    func selectsBytes(value: String, bytes: Range<Int64>) { #expect(ByteRange(value)?.bytes(of: 10) == bytes) }

    @Test(
        arguments: [
            "bytes=", "bytes=-", "bytes=2-1", "bytes=0-1,3-4", "lines=0-1", "bytes=a-b", "bytes=-0", "bytes=--1",
            "bytes=99999999999999999999-",
        ])
    func refusesAnythingButASingleRange(value: String) { #expect(ByteRange(value) == nil) }

    @Test func aRangeAfterTheEndSelectsNothing() {
        #expect(ByteRange("bytes=10-")?.bytes(of: 10) == nil)
        #expect(ByteRange("bytes=-1")?.bytes(of: 0) == nil)
    }

    @Test func aRangeUpToTheLargestNumberEndsAtTheEnd() {
        #expect(ByteRange("bytes=0-9223372036854775807")?.bytes(of: 10) == 0..<10)
    }

    @Test(
        arguments: [
            "bytes 0-4/*", "bytes 4-0/10", "bytes 0-10/10", "bytes */10", "0-4/10", "bytes -1-4/10", "bytes +0-4/10",
            "bytes 0-+4/10", "bytes 0-4/+10",
        ])
    func refusesAnInvalidPart(value: String) { #expect(ContentRange(value) == nil) }

    @Test func aContentRangeSurvivesARoundTrip() { #expect(ContentRange("bytes 2-4/10")?.fieldValue == "bytes 2-4/10") }
}
