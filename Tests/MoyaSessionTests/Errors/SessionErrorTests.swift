import Foundation
import MoyaSession

/// One error of each case, in the order of declaration.
enum SessionErrorSamples {
    struct Cause: Error, Equatable { var name: String }

    static let file = URL(fileURLWithPath: "/tmp/a.txt")
    static let cause = Cause(name: "cause")

    static let all: [SessionError] = [
        .createUploadableFailed(error: cause),
        .createURLRequestFailed(error: cause),
        .downloadedFileMoveFailed(error: cause, source: file, destination: URL(fileURLWithPath: "/tmp/b.txt")),
        .explicitlyCancelled,
        .invalidURL(url: "https://user:secret@exa mple.com"),
        .multipartEncodingFailed(reason: .bodyPartFileIsDirectory(at: file)),
        .parameterEncodingFailed(reason: .jsonEncodingFailed(error: cause)),
        .parameterEncoderFailed(reason: .encoderFailed(error: cause)),
        .requestAdaptationFailed(error: cause),
        .requestRetryFailed(retryError: cause, originalError: Cause(name: "original")),
        .responseValidationFailed(reason: .unacceptableStatusCode(code: 404)),
        .responseSerializationFailed(reason: .inputFileNil),
        .serverTrustEvaluationFailed(reason: .noRequiredEvaluator(host: "example.com")),
        .sessionDeinitialized,
        .sessionInvalidated(error: cause),
        .sessionTaskFailed(error: cause),
        .urlRequestValidationFailed(reason: .unsupportedScheme("gopher")),
        .responseTooLarge(maximumBytes: 1000),
    ]
}
