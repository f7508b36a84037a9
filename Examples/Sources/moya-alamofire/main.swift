import Alamofire
import Moya

enum GitHub: TargetType {
    case zen

    var baseURL: URL { URL(string: "https://api.github.com")! }
    var path: String { "/zen" }
    var method: Moya.Method { .get }
    var task: RequestTask { .requestPlain }
    var headers: [String: String]? { nil }
    var sampleData: Data { Data("Half measures are as bad as nothing at all.".utf8) }
}

let retrier: any Alamofire.RequestInterceptor = RetryPolicy()
let session = Alamofire.Session(startRequestsImmediately: false, interceptor: retrier)
let form = Alamofire.MultipartFormData()
form.append(Data("Kettle".utf8), withName: "name")
let provider = MoyaProvider<GitHub>(stubClosure: MoyaProvider.immediatelyStub, session: session)
do {
    print(form.contentType)
    print(try await provider.request(.zen).mapString())
} catch .underlying(let error as AFError, _) {
    print("The session failed:", error.localizedDescription)
} catch {
    print(error.localizedDescription)
}
