// The calls of Alamofire's guide "Usage" that need no type of Apple's alone, each form once.
#if TaskAlias
import Foundation
import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

private struct Answer: Decodable { let url: String }

private struct SignInParameters: Encodable { let email: String; let password: String }
private extension HTTPMethod { static let custom = HTTPMethod(rawValue: "CUSTOM") }
private func usageRequests() {
    AF.request("https://httpbin.org/get").response { response in debugPrint(response) }
    _ = AF.request("https://httpbin.org/post", method: .post)
    _ = AF.request("https://httpbin.org/put", method: .put)
    _ = AF.request("https://httpbin.org/delete", method: .delete)
    _ = AF.request("https://httpbin.org/headers", method: .custom)
    let login = SignInParameters(email: "test@test.test", password: "testPassword")
    AF.request("https://httpbin.org/post", method: .post, parameters: login, encoder: JSONParameterEncoder.default)
        .response { response in
            debugPrint(response)
        }
    AF.request("https://httpbin.org/get", requestModifier: { $0.timeoutInterval = 5 }).response { _ in }
    AF.request("https://httpbin.org/get") { urlRequest in
        urlRequest.timeoutInterval = 5
        urlRequest.allowsCellularAccess = false
    }
    .response { response in debugPrint(response) }
    let parameters = ["foo": "bar"]
    _ = AF.request("https://httpbin.org/get", parameters: parameters)
    _ = AF.request("https://httpbin.org/get", parameters: parameters, encoder: URLEncodedFormParameterEncoder.default)
    _ = AF.request(
        "https://httpbin.org/get", parameters: parameters,
        encoder: URLEncodedFormParameterEncoder(destination: .methodDependent))
    let lists: [String: [String]] = ["foo": ["bar"], "baz": ["a", "b"], "qux": ["x", "y", "z"]]
    _ = AF.request("https://httpbin.org/post", method: .post, parameters: lists)
    _ = AF.request(
        "https://httpbin.org/post", method: .post, parameters: lists, encoder: URLEncodedFormParameterEncoder.default)
    _ = AF.request(
        "https://httpbin.org/post", method: .post, parameters: lists,
        encoder: URLEncodedFormParameterEncoder(destination: .httpBody))
    _ = AF.request("https://httpbin.org/post", method: .post, parameters: lists, encoder: JSONParameterEncoder.default)
    _ = AF.request(
        "https://httpbin.org/post", method: .post, parameters: lists, encoder: JSONParameterEncoder.prettyPrinted)
    _ = AF.request(
        "https://httpbin.org/post", method: .post, parameters: lists, encoder: JSONParameterEncoder.sortedKeys)
    _ = AF.request("https://httpbin.org/post", method: .post, parameters: lists, encoder: .json)
    _ = AF.request("https://httpbin.org/post", method: .post, parameters: lists, encoder: .json(encoder: JSONEncoder()))
    _ = AF.request("https://httpbin.org/post", method: .post, parameters: lists, encoder: .urlEncodedForm)
    _ = AF.request(
        "https://httpbin.org/post", method: .post, parameters: lists,
        encoder: .urlEncodedForm(destination: .queryString))
    _ = AF.request(
        "https://httpbin.org/post", method: .post, parameters: lists,
        encoder: .urlEncodedForm(encoder: URLEncodedFormEncoder(), destination: .httpBody))
    _ = AF.request(
        "https://httpbin.org/post", method: .post, parameters: ["a": 1, "b": [1, 2]], encoding: JSONEncoding.default)
    _ = AF.request(
        "https://httpbin.org/post", method: .post, parameters: ["a": 1], encoding: JSONEncoding.prettyPrinted)
    _ = AF.request(
        "https://httpbin.org/post", method: .post, parameters: ["a": 1],
        encoding: URLEncoding(destination: .queryString, arrayEncoding: .noBrackets, boolEncoding: .literal))
    _ = AF.request("https://httpbin.org/post", method: .post, parameters: ["a": 1], encoding: URLEncoding.httpBody)
}
private func usageEncoders() throws {
    _ = URLEncodedFormEncoder(alphabetizeKeyValuePairs: false)
    _ = URLEncodedFormEncoder(arrayEncoding: .noBrackets)
    _ = URLEncodedFormEncoder(arrayEncoding: .indexInBrackets)
    _ = URLEncodedFormEncoder(arrayEncoding: .custom { key, index in "\(key).\(index)" })
    _ = URLEncodedFormEncoder(boolEncoding: .literal)
    _ = URLEncodedFormEncoder(dataEncoding: .deferredToData)
    _ = URLEncodedFormEncoder(dataEncoding: .custom { data in data.base64EncodedString() })
    _ = URLEncodedFormEncoder(dateEncoding: .iso8601)
    _ = URLEncodedFormEncoder(dateEncoding: .secondsSince1970)
    _ = URLEncodedFormEncoder(dateEncoding: .millisecondsSince1970)
    _ = URLEncodedFormEncoder(dateEncoding: .formatted(DateFormatter()))
    _ = URLEncodedFormEncoder(dateEncoding: .custom { date in "\(date)" })
    _ = URLEncodedFormEncoder(keyEncoding: .convertToSnakeCase)
    _ = URLEncodedFormEncoder(keyEncoding: .convertToKebabCase)
    _ = URLEncodedFormEncoder(keyEncoding: .capitalized)
    _ = URLEncodedFormEncoder(keyEncoding: .uppercased)
    _ = URLEncodedFormEncoder(keyEncoding: .lowercased)
    _ = URLEncodedFormEncoder(keyEncoding: .custom { $0 })
    _ = URLEncodedFormEncoder(keyPathEncoding: .dots)
    _ = URLEncodedFormEncoder(keyPathEncoding: .init { "-\($0)" })
    _ = URLEncodedFormEncoder(keyPathEncoding: URLEncodedFormEncoder.KeyPathEncoding(encoding: { "-\($0)" }))
    _ = URLEncodedFormEncoder(nilEncoding: .dropValue)
    _ = URLEncodedFormEncoder(nilEncoding: .null)
    _ = URLEncodedFormEncoder(nilEncoding: .init { "nil" })
    _ = URLEncodedFormEncoder(spaceEncoding: .plusReplaced)
    _ = URLEncodedFormEncoder(allowedCharacters: .alphanumerics)
    _ = URLEncodedFormParameterEncoder(
        encoder: URLEncodedFormEncoder(arrayEncoding: .noBrackets), destination: .queryString)
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.keyEncodingStrategy = .convertToSnakeCase
    _ = JSONParameterEncoder(encoder: encoder)
    let url = URL(string: "https://httpbin.org/get")!
    var urlRequest = URLRequest(url: url)
    let parameters = ["foo": "bar"]
    let encodedURLRequest = try URLEncodedFormParameterEncoder.default.encode(parameters, into: urlRequest)
    urlRequest = try JSONParameterEncoder.default.encode(parameters, into: urlRequest)
    let encoded = try URLEncoding.default.encode(urlRequest, with: parameters)
    let json = try JSONEncoding.default.encode(urlRequest, withJSONObject: ["a"])
    print(encodedURLRequest, encoded, json)
    let text: String = try URLEncodedFormEncoder().encode(parameters)
    let data: Data = try URLEncodedFormEncoder().encode(parameters)
    print(text, data)
    print(URLEncoding.default.queryComponents(fromKey: "a", value: [1, 2]), URLEncoding.default.escape("a b"))
}
private func usageHeaders() {
    let headers: HTTPHeaders = ["Authorization": "Basic VXNlcm5hbWU6UGFzc3dvcmQ=", "Accept": "application/json"]
    AF.request("https://httpbin.org/headers", headers: headers).responseDecodable(of: Answer.self) { response in
        debugPrint(response)
    }
    let other: HTTPHeaders = [.authorization(username: "Username", password: "Password"), .accept("application/json")]
    AF.request("https://httpbin.org/headers", headers: other).responseDecodable(of: Answer.self) { debugPrint($0) }
    var all = HTTPHeaders.default
    all.add(name: "X", value: "1"); all.update(name: "X", value: "2"); all.add(.userAgent("a"));
    all.update(.contentType("b"))
    all["X"] = nil; all.remove(name: "Y"); all.sort(); print(all.sorted().dictionary, all.value(for: "X") ?? "")
    for header in all { print(header.name, header.value) }
    _ = [
        HTTPHeader.defaultAcceptEncoding, .defaultAcceptLanguage, .defaultUserAgent, .acceptCharset("u"),
        .acceptLanguage("u"), .acceptEncoding("u"), .contentDisposition("u"), .contentEncoding("u"),
        .authorization(bearerToken: "t"), .authorization("x"),
    ]
    _ = HTTPHeaders([HTTPHeader(name: "a", value: "b")]); _ = HTTPHeaders(["a": "b"])
    let configuration = URLSessionConfiguration.af.default
    configuration.headers.add(.accept("x"))
    _ = URLSessionConfiguration.af.ephemeral
    var request = URLRequest(url: URL(string: "https://a")!)
    request.headers = all
    request.method = .put
    print(
        HTTPURLResponse(url: URL(string: "https://a")!, statusCode: 200, httpVersion: nil, headerFields: nil)?.headers
            as Any)
    _ = try? URLRequest(url: "https://a", method: .get, headers: ["a": "b"])
}
private func usageValidation() {
    AF.request("https://httpbin.org/get").validate().responseData { response in debugPrint(response) }
    _ = AF.request("https://httpbin.org/get")
        .validate(statusCode: 200..<300)
        .validate(contentType: ["application/json"])
        .responseData { response in
            switch response.result {
            case .success: print("Validation Successful")
            case let .failure(error): print(error)
            }
        }
    AF.request("https://httpbin.org/get").validate(statusCode: [200, 201]).validate { request, response, data in
        return .success(())
    }.response { _ in }
    AF.request("https://httpbin.org/get").validate { _, response, _ in
        if response.statusCode == 200 { return .success(()) } else { return .failure(URLError(.badURL)) }
    }.response { _ in }
    AF.download("https://httpbin.org/get").validate { request, response, fileURL in .success(()) }.response { _ in }
}
private func usageResponses() {
    AF.request("https://httpbin.org/get").responseString { response in
        print("Response String: \(String(describing: response.value))")
    }
    .responseDecodable(of: Answer.self) { response in print("Response Answer: \(String(describing: response.value))") }
    let utilityQueue = DispatchQueue.global(qos: .utility)
    AF.request("https://httpbin.org/get").responseDecodable(of: Answer.self, queue: utilityQueue) { response in
        debugPrint(response)
    }
    AF.request("https://httpbin.org/get").responseDecodable { (response: DataResponse<Answer, AFError>) in
        debugPrint(response)
    }
    AF.request("https://httpbin.org/get").responseDecodable { (response: AFDataResponse<Answer>) in
        debugPrint(response.result)
    }
    AF.request("https://httpbin.org/get").responseDecodable(of: Answer.self, decoder: JSONDecoder()) { _ in }
    AF.request("https://httpbin.org/get").responseDecodable(of: Answer.self, decoder: PropertyListDecoder()) { _ in }
    AF.request("https://httpbin.org/get").responseDecodable(of: Empty.self, emptyResponseCodes: [200]) { _ in }
    AF.request("https://httpbin.org/get").responseData(emptyResponseCodes: [200, 204, 205]) { _ in }
    AF.request("https://httpbin.org/get").responseString(encoding: .utf8) { _ in }
    AF.request("https://httpbin.org/get").response(responseSerializer: DecodableResponseSerializer<Answer>()) { _ in }
    AF.request("https://httpbin.org/get").response(queue: .main, responseSerializer: .string) { _ in }
    AF.request("https://httpbin.org/get").response(responseSerializer: .data) { _ in }
    AF.request("https://httpbin.org/get").response(responseSerializer: .decodable(of: Answer.self)) { _ in }
    AF.request("https://httpbin.org/get").response(
        responseSerializer: .decodable(of: Empty.self, decoder: JSONDecoder(), emptyResponseCodes: [200])
    ) { _ in }
    AF.request("https://httpbin.org/get").response(responseSerializer: .string(encoding: .utf8)) { _ in }
    AF.request("https://httpbin.org/get").responseData { response in
        print(
            response.request as Any, response.response as Any, response.data as Any, response.metrics as Any,
            response.serializationDuration, response.result, response.value as Any, response.error as Any)
        print(response.metrics as Any)
    }
}
private func usageAuthentication() {
    let user = "user", password = "password"
    _ = AF.request("https://httpbin.org/basic-auth/\(user)/\(password)").authenticate(
        username: user, password: password
    )
    .responseDecodable(of: Answer.self) { debugPrint($0) }
    let credential = URLCredential(user: user, password: password, persistence: .forSession)
    AF.request("https://httpbin.org/basic-auth/\(user)/\(password)").authenticate(with: credential).responseDecodable(
        of: Answer.self
    ) { debugPrint($0) }
    AF.request("https://x").authenticate(username: user, password: password, persistence: .none).response { _ in }
    let headers: HTTPHeaders = [.authorization(username: user, password: password)]
    AF.request("https://x", headers: headers).response { _ in }
}
private class Downloader {
    var resumeData: Data!
    func run() {
        AF.download("https://httpbin.org/image/png").responseURL { response in print(response.fileURL as Any) }
        AF.download("https://httpbin.org/image/png").responseData { response in
            if let data = response.value { print(data) }
        }
        let destination: DownloadRequest.Destination = { _, _ in
            let documentsURL = FileManager.default.urls(for: .documentDirectory, in: .userDomainMask)[0]
            let fileURL = documentsURL.appendingPathComponent("image.png")
            return (fileURL, [.removePreviousFile, .createIntermediateDirectories])
        }
        AF.download("https://httpbin.org/image/png", to: destination).response { response in
            debugPrint(response)
            if response.error == nil, let imagePath = response.fileURL?.path { print(imagePath) }
        }
        let suggested = DownloadRequest.suggestedDownloadDestination(for: .documentDirectory)
        _ = AF.download("https://httpbin.org/image/png", to: suggested)
        let bare = DownloadRequest.suggestedDownloadDestination()
        _ = AF.download(
            "https://httpbin.org/image/png", method: .get, parameters: ["a": "b"],
            encoder: JSONParameterEncoder.default, headers: [.accept("a")], to: bare)
        _ = AF.download(
            "https://httpbin.org/image/png", method: .get, parameters: ["a": 1], encoding: URLEncoding.default, to: bare
        )
        _ = AF.download(URLRequest(url: URL(string: "https://a")!), to: bare)
        AF.download("https://httpbin.org/image/png").downloadProgress { progress in
            print("Download Progress: \(progress.fractionCompleted)")
        }.responseData { _ in }
        let progressQueue = DispatchQueue(label: "com.alamofire.progressQueue", qos: .utility)
        AF.download("https://httpbin.org/image/png").downloadProgress(queue: progressQueue) { progress in
            print("Download Progress: \(progress.fractionCompleted)")
        }.responseData { _ in }
        let download = AF.download("https://httpbin.org/image/png").responseData { response in
            print(response.resumeData as Any)
        }
        download.cancel()
        download.cancel(producingResumeData: true)
        download.cancel { data in print(data as Any) }
        download.cancel(byProducingResumeData: { data in print(data as Any) })
        self.resumeData = download.resumeData
        AF.download(resumingWith: resumeData).responseData { _ in }
        AF.download(resumingWith: resumeData, to: destination).response { _ in }
        print(download.fileURL as Any)
    }
}
private func usageUploads() {
    let data = Data("data".utf8)
    AF.upload(data, to: "https://httpbin.org/post").responseDecodable(of: Answer.self) { debugPrint($0) }
    let fileURL = Bundle.main.url(forResource: "video", withExtension: "mov")!
    AF.upload(fileURL, to: "https://httpbin.org/post").responseDecodable(of: Answer.self) { debugPrint($0) }
    AF.upload(
        multipartFormData: { multipartFormData in
            multipartFormData.append(Data("one".utf8), withName: "one")
            multipartFormData.append(Data("two".utf8), withName: "two")
            multipartFormData.append(fileURL, withName: "file")
            multipartFormData.append(fileURL, withName: "file", fileName: "a", mimeType: "b/c")
            multipartFormData.append(InputStream(data: data), withLength: 4, name: "s", fileName: "f", mimeType: "a/b")
        }, to: "https://httpbin.org/post"
    ).responseDecodable(of: Answer.self) { debugPrint($0) }
    AF.upload(
        multipartFormData: { form in form.append(data, withName: "a", fileName: "f", mimeType: "x/y") },
        to: "https://x",
        usingThreshold: 1000, method: .put, headers: ["a": "b"], interceptor: nil
    ).uploadProgress { print($0) }.response { _ in }
    AF.upload(multipartFormData: { $0.append(data, withName: "a") }, with: URLRequest(url: URL(string: "https://a")!))
        .response { _ in }
    AF.upload(fileURL, to: "https://httpbin.org/post")
        .uploadProgress { progress in print("Upload Progress: \(progress.fractionCompleted)") }
        .downloadProgress { progress in print("Download Progress: \(progress.fractionCompleted)") }
        .responseDecodable(of: Answer.self) { debugPrint($0) }
    AF.upload(data, to: "https://a", method: .put, headers: [.contentType("a/b")]) { $0.timeoutInterval = 5 }.response {
        _ in
    }
    AF.upload(InputStream(data: data), to: "https://a").response { _ in }
    AF.upload(data, with: URLRequest(url: URL(string: "https://a")!)).response { _ in }
}
private func usageCURL() {
    AF.request("https://httpbin.org/get").cURLDescription { description in print(description) }
        .responseDecodable(of: Answer.self) { debugPrint($0.metrics as Any) }
    AF.request("https://httpbin.org/get").cURLDescription(on: .main) { print($0) }
    print(AF.request("https://a").cURLDescription())
}

private func streaming() {
    AF.streamRequest("https://httpbin.org/stream/100").responseStream { stream in
        switch stream.event {
        case let .stream(result):
            switch result {
            case let .success(data): print(data)
            }
        case let .complete(completion): print(completion)
        }
    }
    AF.streamRequest("https://httpbin.org/stream/100").responseStreamString { stream in
        switch stream.event {
        case let .stream(result):
            switch result {
            case let .success(string): print(string)
            }
        case let .complete(completion):
            print(
                completion.response as Any, completion.error as Any, completion.request as Any,
                completion.metrics as Any)
        }
    }
    AF.streamRequest("https://httpbin.org/stream/100").responseStreamDecodable(of: Answer.self) { stream in
        switch stream.event {
        case let .stream(result):
            switch result {
            case let .success(value): print(value)
            case let .failure(error): print(error)
            }
        case let .complete(completion): print(completion)
        }
        stream.cancel()
    }
    AF.streamRequest(
        "https://a", method: .post, parameters: ["a": "b"], encoder: JSONParameterEncoder.default,
        headers: [.accept("a")], automaticallyCancelOnStreamError: true, interceptor: nil
    ) { $0.timeoutInterval = 5 }
    .validate().validate(statusCode: 200..<300)
    .responseStream(on: .main) { stream in
        print(stream.value as Any, stream.result as Any, stream.error as Any, stream.completion as Any);
        stream.token.cancel()
    }
    AF.streamRequest(URLRequest(url: URL(string: "https://a")!), automaticallyCancelOnStreamError: false).responseStream
    { _ in }
}
private func streamTasks() async {
    let streamTask = AF.streamRequest("https://a").streamTask()
    for await data in streamTask.streamingData() { print(data) }
    for await string in streamTask.streamingStrings() { print(string) }
    for await value in streamTask.streamingDecodables(Answer.self) { print(value) }
    for await data in streamTask.streamingData(bufferingPolicy: .bufferingOldest(10)) { print(data) }
    let policy = StreamOf<DataStreamRequest.Stream<String, Never>>.BufferingPolicy.unbounded
    for await string in streamTask.streamingStrings(bufferingPolicy: policy) { print(string) }
    streamTask.cancel(); streamTask.resume(); streamTask.suspend()
}

private func concurrency() async throws {
    let value = try await AF.request("https://a").serializingDecodable(Answer.self).value
    let dataTask = AF.request("https://a").serializingDecodable(Answer.self)
    let response = await dataTask.response
    let result = await dataTask.result
    let v = try await dataTask.value
    print(value, response, result, v)
    let data = try await AF.request("https://a").serializingData().value
    let string = try await AF.request("https://a").serializingString().value
    let d: Answer = try await AF.request("https://a").serializingDecodable().value
    let custom = try await AF.request("https://a").serializingResponse(using: StringResponseSerializer()).value
    let unserialized = await AF.request("https://a").serializingData(automaticallyCancelling: true).response
    print(data, string, d, custom, unserialized)
    let fileURL = try await AF.download("https://a").serializingDownloadedFileURL().value
    let downloaded = try await AF.download("https://a").serializingDecodable(Answer.self).value
    let dt = AF.download("https://a").serializingData()
    let ds = try await AF.download("https://a").serializingString().value
    let dd = try await AF.download("https://a").serializingDownload(using: DecodableResponseSerializer<Answer>()).value
    dt.cancel(); dt.resume(); dt.suspend()
    _ = AF.download("https://a").serializingDecodable(
        Answer.self, automaticallyCancelling: true, dataPreprocessor: .passthrough, decoder: JSONDecoder(),
        emptyResponseCodes: [204], emptyRequestMethods: [.head])
    print(fileURL, downloaded, await dt.result, ds, dd)
    dataTask.cancel(); dataTask.resume(); dataTask.suspend()
}
private func streamsOf() async {
    let request = AF.request("https://a")
    for await progress in request.uploadProgress() { print(progress) }
    for await progress in request.downloadProgress() { print(progress) }
    for await urlRequest in request.urlRequests() { print(urlRequest) }
    for await text in request.cURLDescriptions() { print(text) }
    for await response in request.httpResponses() { print(response) }
    for await response in request.httpResponses(bufferingPolicy: .bufferingNewest(1)) { print(response) }
    for await task in request.urlSessionTasks() { print(task) }
    print(request.shouldAutomaticallyResume as Any)
    request.onHTTPResponse { response in print(response) }
    _ = await request.onHTTPResponse { response in print(response) }.onHTTPResponse { _ in await Task.yield() }
        .serializingData().response
}
private func show(_ response: HTTPURLResponse) async {}
private func decide(about response: HTTPURLResponse) async -> Request.ResponseDisposition { .allow }
private func hooks() {
    AF.request("https://a").onURLRequestCreation { request in print(request) }.response { _ in }
    AF.request("https://a").onURLRequestCreation(on: .main) { request in print(request) }.response { _ in }
    AF.request("https://a").onURLSessionTaskCreation { task in print(task) }.response { _ in }
    AF.request("https://a").onHTTPResponse { response in print(response) }.response { _ in }
    AF.request("https://a").onHTTPResponse { response, completionHandler in completionHandler(.allow) }.response { _ in
    }
    AF.request("https://a").onHTTPResponse { response in await show(response) }.response { _ in }
    AF.request("https://a").onHTTPResponse { response in
        await show(response)
        return response.statusCode == 200 ? .allow : .cancel
    }.response { _ in }
    AF.download("https://a").onHTTPResponse { _ in .allow }.response { _ in }
    AF.streamRequest("https://a").onHTTPResponse { await decide(about: $0) }.responseStream { _ in }
}
#endif
