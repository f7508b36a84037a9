import Foundation
import Moya
import Testing

@Suite struct ProgressResponseTests {
    private func progress(_ completed: Int64, of total: Int64) -> Progress {
        let progress = Progress(totalUnitCount: total)
        progress.completedUnitCount = completed
        return progress
    }

    @Test func isTheFractionCompleted() { #expect(ProgressResponse(progress: progress(1, of: 4)).progress == 0.25) }

    @Test func isZeroWithoutAProgressObject() { #expect(ProgressResponse().progress == 0) }

    @Test(arguments: [-1, 0]) func isZeroWhenTheTotalIsNotKnown(_ total: Int64) {
        #expect(ProgressResponse(progress: progress(10, of: total)).progress == 0)
    }

    @Test func isOneOnceTheResponseHasArrived() {
        let response = Response(statusCode: 200, data: Data())
        #expect(ProgressResponse(progress: progress(1, of: 4), response: response).progress == 1)
    }

    @Test func isCompletedWithAResponse() {
        #expect(ProgressResponse(response: Response(statusCode: 500, data: Data())).completed)
    }

    @Test func isNotCompletedWithoutAResponse() { #expect(!ProgressResponse(progress: progress(4, of: 4)).completed) }
}
