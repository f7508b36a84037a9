import Foundation
import FoundationNetworking
import Moya
import MoyaSession

extension AttackCommand {
    /// A short and stable description of an error: its kind, as in the tables of cases.
    static func words(_ error: any Error) -> String {
        switch error {
        case let error as MoyaError: words(error)
        case let error as SessionError: words(error)
        case let failure as TransportFailure: "error \(words(failure.kind))"
        case let error as URLError: "error URLError \(error.code.rawValue)"
        case let error as FileTokenStore.Failure: "error \(words(error))"
        case let error as SessionRefreshError: "error \(words(error))"
        default: "error \(type(of: error))"
        }
    }

    private static func words(_ error: MoyaError) -> String {
        switch error {
        case .underlying(let error, _), .encodableMapping(let error), .parameterEncoding(let error),
            .objectMapping(let error, _):
            words(error)
        case .statusCode(let response): "error status \(response.statusCode)"
        case .imageMapping: "error imageMapping"
        case .jsonMapping: "error jsonMapping"
        case .stringMapping: "error stringMapping"
        case .requestMapping: "error requestMapping"
        }
    }

    private static func words(_ error: SessionError) -> String {
        if let refusal = error.trustRefusal { return "refused \(refusal.reason.rawValue)" }
        if case .serverTrustEvaluationFailed(let reason) = error { return "refused \(words(reason))" }
        if let failure = error.transportFailure { return "error \(words(failure.kind))" }
        return switch error {
        case .urlRequestValidationFailed(let reason): "error \(words(reason))"
        case .multipartEncodingFailed(let reason): "error \(words(reason))"
        case .parameterEncodingFailed(.jsonEncodingFailed(let error)),
            .parameterEncodingFailed(.customEncodingFailed(let error)),
            .parameterEncoderFailed(.encoderFailed(let error)), .createUploadableFailed(let error),
            .createURLRequestFailed(let error), .sessionTaskFailed(let error), .requestAdaptationFailed(let error):
            words(error)
        case .downloadedFileMoveFailed: "error downloadedFileMoveFailed"
        case .explicitlyCancelled: "error explicitlyCancelled"
        case .invalidURL: "error invalidURL"
        case .responseTooLarge(let maximumBytes): "error responseTooLarge \(maximumBytes)"
        case .responseSerializationFailed(.decodingFailed): "error decodingFailed"
        case .requestRetryFailed: "error requestRetryFailed"
        case .responseValidationFailed: "error responseValidationFailed"
        default: "error SessionError"
        }
    }

    private static func words(_ reason: SessionError.URLRequestValidationFailureReason) -> String {
        switch reason {
        case .bodyDataInGETRequest: "bodyDataInGETRequest"
        case .missingHost: "missingHost"
        case .unsupportedScheme: "unsupportedScheme"
        case .invalidMethod: "invalidMethod"
        case .invalidHeaderField: "invalidHeaderField"
        case .invalidCredential: "invalidCredential"
        case .basicWithoutTLS: "basicWithoutTLS"
        case .uploadFileNotReadable: "uploadFileNotReadable"
        case .unsupportedSetting: "unsupportedSetting"
        }
    }

    private static func words(_ reason: SessionError.MultipartEncodingFailureReason) -> String {
        switch reason {
        case .bodyPartHeaderInvalid: "bodyPartHeaderInvalid"
        case .bodyPartFileIsDirectory: "bodyPartFileIsDirectory"
        case .bodyPartFileNotReachable, .bodyPartFileNotReachableWithError: "bodyPartFileNotReachable"
        case .bodyPartInputStreamCreationFailed: "bodyPartInputStreamCreationFailed"
        case .inputStreamReadFailed: "inputStreamReadFailed"
        case .outputStreamFileAlreadyExists: "outputStreamFileAlreadyExists"
        case .outputStreamCreationFailed: "outputStreamCreationFailed"
        default: "multipart"
        }
    }

    private static func words(_ reason: SessionError.ServerTrustFailureReason) -> String {
        switch reason {
        case .noRequiredEvaluator: "noRequiredEvaluator"
        case .noCertificatesFound: "noCertificatesFound"
        case .noPublicKeysFound: "noPublicKeysFound"
        case .revocationPolicyCreationFailed: "revocationPolicyCreationFailed"
        case .certificatePinningFailed: "certificatePinningFailed"
        case .publicKeyPinningFailed: "publicKeyPinningFailed"
        case .invalidEvaluator: "invalidEvaluator"
        case .customEvaluationFailed: "customEvaluationFailed"
        case .trustEvaluationFailed: "trustEvaluationFailed"
        }
    }

    private static func words(_ failure: FileTokenStore.Failure) -> String {
        switch failure {
        case .unreadable(_, let number): "unreadable \(number)"
        case .noTokens: "noTokens"
        case .unwritable(_, let number): "unwritable \(number)"
        }
    }

    private static func words(_ error: SessionRefreshError) -> String {
        String("\(error)".prefix { $0 != "(" }.prefix(40))
    }

    private static func words(_ kind: TransportFailure.Kind) -> String {
        switch kind {
        case .timeout(let bound): "timeout \(bound)"
        case .tls(let reason): "tls \(reason)"
        default: "\(kind)"
        }
    }
}
