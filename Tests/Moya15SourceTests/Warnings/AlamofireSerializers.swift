// Routers, serializers and errors as Alamofire's guide "Advanced Usage" shows them, each form once.
#if TaskAlias
import Foundation
import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

private struct Answer: Decodable { let url: String }

private struct Baker: Codable { let username: String }
extension Baker: URLConvertible {
    static let baseURLString = "https://example.com"
    func asURL() throws -> URL {
        let urlString = Baker.baseURLString + "/users/\(username)/"
        return try urlString.asURL()
    }
}
private enum BakerRouter: URLRequestConvertible {
    case get([String: String]), post([String: String]), search(query: String, page: Int)
    var baseURL: URL { return URL(string: "https://httpbin.org")! }
    var method: HTTPMethod {
        switch self {
        case .get, .search: return .get
        case .post: return .post
        }
    }
    var path: String { return "get" }
    func asURLRequest() throws -> URLRequest {
        let url = baseURL.appendingPathComponent(path)
        var request = URLRequest(url: url)
        request.method = method
        switch self {
        case let .get(parameters): request = try URLEncodedFormParameterEncoder().encode(parameters, into: request)
        case let .post(parameters): request = try JSONParameterEncoder().encode(parameters, into: request)
        case let .search(query, page):
            let parameters: Parameters = ["q": query, "page": page]
            request = try URLEncoding.default.encode(request, with: parameters)
        }
        return request
    }
}
private func routers() {
    AF.request(BakerRouter.get(["a": "b"])).response { _ in }
    AF.request(Baker(username: "mattt")).response { _ in }
}
private struct APIError: Error, Decodable { let message: String }
private struct TwoDecodableResponseSerializer<T: Decodable>: ResponseSerializer {
    func serialize(request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: Error?) throws -> Result<
        T, APIError
    > {
        guard error == nil else { return .failure(APIError(message: "Unknown error")) }
        guard let response = response else { return .failure(APIError(message: "Empty response")) }
        do {
            if response.statusCode < 200 || response.statusCode >= 300 {
                let result = try DecodableResponseSerializer<APIError>(decoder: JSONDecoder()).serialize(
                    request: request, response: response, data: data, error: nil)
                return .failure(result)
            } else {
                let result = try DecodableResponseSerializer<T>(decoder: JSONDecoder()).serialize(
                    request: request, response: response, data: data, error: nil)
                return .success(result)
            }
        } catch {
            return .failure(APIError(message: "Could not serialize body"))
        }
    }
}
private extension DataRequest {
    @discardableResult func responseTwoDecodable<T: Decodable>(
        queue: DispatchQueue = DispatchQueue.global(qos: .userInitiated), of t: T.Type,
        completionHandler: @escaping (Result<T, APIError>) -> Void
    ) -> Self {
        return response(queue: .main, responseSerializer: TwoDecodableResponseSerializer<T>()) { response in
            switch response.result {
            case .success(let result): completionHandler(result)
            case .failure(let error): completionHandler(.failure(APIError(message: error.localizedDescription)))
            }
        }
    }
    @discardableResult func responseCustom(
        queue: DispatchQueue = .main, completionHandler: @escaping (AFDataResponse<String>) -> Void
    ) -> Self {
        response(queue: queue, responseSerializer: StringResponseSerializer(), completionHandler: completionHandler)
    }
}
private final class LazyDecoder<T: Decodable>: ResponseSerializer {
    lazy var decoder: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }()
    private lazy var successSerializer = DecodableResponseSerializer<T>(decoder: decoder)
    let dataPreprocessor: DataPreprocessor = PassthroughPreprocessor()
    let emptyResponseCodes: Set<Int> = [204]
    let emptyRequestMethods: Set<HTTPMethod> = [.head]
    func serialize(request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: Error?) throws -> T {
        try successSerializer.serialize(request: request, response: response, data: data, error: error)
    }
}
private struct P: DataPreprocessor { func preprocess(_ data: Data) throws -> Data { data.dropFirst(4) } }
private struct Nothing: Decodable, EmptyResponse { static func emptyValue() -> Nothing { Nothing() } }
private struct XMLDec: DataDecoder {
    func decode<D: Decodable>(_ type: D.Type, from data: Data) throws -> D {
        try JSONDecoder().decode(type, from: data)
    }
}
private func serializers() {
    AF.request("a").responseTwoDecodable(of: Answer.self) { _ in }
    AF.request("a").responseData(dataPreprocessor: P()) { _ in }
    AF.request("a").responseData(dataPreprocessor: .googleXSSI) { _ in }
    AF.request("a").responseDecodable(of: Nothing.self, decoder: XMLDec()) { _ in }
    AF.request("a").responseDecodable(
        of: Answer.self, dataPreprocessor: .passthrough, emptyResponseCodes: [201], emptyRequestMethods: [.post]
    ) { _ in }
    _ = Empty.value; _ = Empty.emptyValue(); _ = GoogleXSSIPreprocessor(); _ = URLResponseSerializer()
    _ = DataResponseSerializer(); _ = StringResponseSerializer(encoding: .utf8, emptyResponseCodes: [1])
    AF.request("a").responseDecodable(of: Answer.self) { response in
        _ = response.map { $0.url }; _ = response.tryMap { $0.url }; _ = response.mapError { $0 as NSError };
        _ = response.tryMapError { $0 }
    }
    AF.download("a").responseString { r in
        _ = r.map { $0.count }; _ = r.mapError { $0 as NSError };
        print(r.fileURL as Any, r.resumeData as Any, r.request as Any)
    }
    AF.download("a").responseDecodable(of: Answer.self) { (r: AFDownloadResponse<Answer>) in print(r.value as Any) }
    AF.download("a").response { (r: AFDownloadResponse<URL?>) in print(r) }
    AF.request("a").response { (r: AFDataResponse<Data?>) in
        let x: AFResult<Data?> = r.result; print(x)
    }
}
private func errors(_ error: Error, _ af: AFError) {
    print(
        error.asAFError as Any, error.asAFError(orFailWith: "x"), af.isSessionTaskError, af.isExplicitlyCancelledError,
        af.isInvalidURLError, af.isResponseSerializationError, af.isResponseValidationError,
        af.isServerTrustEvaluationError, af.isSessionDeinitializedError, af.isSessionInvalidatedError,
        af.isRequestAdaptationError, af.isRequestRetryError, af.isParameterEncodingError, af.isParameterEncoderError,
        af.isMultipartEncodingError, af.isCreateUploadableError, af.isCreateURLRequestError,
        af.isDownloadedFileMoveError)
    print(
        af.underlyingError as Any, af.url as Any, af.urlConvertible as Any, af.acceptableContentTypes as Any,
        af.responseContentType as Any, af.responseCode as Any, af.failedStringEncoding as Any, af.sourceURL as Any,
        af.destinationURL as Any, af.errorDescription as Any, af.localizedDescription)
    switch af {
    case .invalidURL(let url): print(url)
    case .parameterEncodingFailed(let reason): print(reason)
    case .multipartEncodingFailed(let reason):
        switch reason {
        case .bodyPartURLInvalid(let u): print(u)
        case .bodyPartFilenameInvalid(let u): print(u)
        case .bodyPartFileNotReachable(let u): print(u)
        case .bodyPartFileNotReachableWithError(let u, let e): print(u, e)
        case .bodyPartFileIsDirectory(let u): print(u)
        case .bodyPartFileSizeNotAvailable(let u): print(u)
        case .bodyPartFileSizeQueryFailedWithError(let u, let e): print(u, e)
        case .bodyPartInputStreamCreationFailed(let u): print(u)
        case .outputStreamCreationFailed(let u): print(u)
        case .outputStreamFileAlreadyExists(let u): print(u)
        case .outputStreamURLInvalid(let u): print(u)
        case .outputStreamWriteFailed(let e): print(e)
        case .inputStreamReadFailed(let e): print(e)
        default: break
        }
    case .responseValidationFailed(let reason):
        switch reason {
        case .dataFileNil, .dataFileReadFailed: print("Downloaded file could not be read")
        case .missingContentType(let acceptable): print(acceptable)
        case .unacceptableContentType(let acceptable, let response): print(acceptable, response)
        case .unacceptableStatusCode(let code): print(code)
        case .customValidationFailed(let error): print(error)
        }
    case .responseSerializationFailed(let reason):
        switch reason {
        case .inputDataNilOrZeroLength: break
        case .inputFileNil: break
        case .inputFileReadFailed(let at): print(at)
        case .stringSerializationFailed(let encoding): print(encoding)
        case .jsonSerializationFailed(let error): print(error)
        case .decodingFailed(let error): print(error)
        case .customSerializationFailed(let error): print(error)
        case .invalidEmptyResponse(let type): print(type)
        }
    case .parameterEncoderFailed(let reason):
        switch reason {
        case .missingRequiredComponent(.url): break
        case .missingRequiredComponent(.httpMethod(let raw)): print(raw)
        case .encoderFailed(let e): print(e)
        }
    case .serverTrustEvaluationFailed(let reason):
        switch reason {
        case .noRequiredEvaluator(let host): print(host)
        case .noCertificatesFound, .noPublicKeysFound, .revocationPolicyCreationFailed: break
        case .customEvaluationFailed(let e): print(e)
        default: break
        }
    case .urlRequestValidationFailed(.bodyDataInGETRequest(let data)): print(data)
    case .urlRequestValidationFailed: break
    case .explicitlyCancelled, .sessionDeinitialized: break
    case .sessionTaskFailed(let e), .createURLRequestFailed(let e), .createUploadableFailed(let e),
        .requestAdaptationFailed(let e):
        print(e)
    case .sessionInvalidated(let e): print(e as Any)
    case .downloadedFileMoveFailed(let e, let s, let d): print(e, s, d)
    case .requestRetryFailed(let r, let o): print(r, o)
    default: break
    }
}
#endif
