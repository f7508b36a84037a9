import Foundation
import Moya
import MoyaSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Setting {
    static let values: [Setting] = [
        Setting("EndpointSampleResponse.networkResponse") { (status: Int) in
            for validation in [ValidationType.none, .successCodes, .customCodes([status])] {
                let provider = MoyaProvider<API>(
                    endpointClosure: {
                        Endpoint(
                            url: $0.baseURL.absoluteString, sampleResponseClosure: { .networkResponse(status, Data()) },
                            method: .get, task: .requestPlain, httpHeaderFields: nil)
                    }, stubClosure: MoyaProvider.immediatelyStub)
                var api = API()
                api.validationType = validation
                let target = api
                await finish { _ = try? await provider.request(target) }
            }
        },
        Setting("ValidationType.customCodes") { (status: Int) in
            var api = API()
            api.validationType = .customCodes([status])
            let target = api
            let provider = MoyaProvider<API>(stubClosure: MoyaProvider.immediatelyStub)
            await finish { _ = try? await provider.request(target) }
        },
        Setting("Response.init#statusCode") { (status: Int) in
            let response = Response(statusCode: status, data: Data())
            _ = response.description + response.debugDescription
            _ = try? response.filterSuccessfulStatusAndRedirectCodes()
            _ = MoyaError.statusCode(response).localizedDescription
            _ = MoyaError.statusCode(response).errorCode
        },
        Setting("Response.filter#statusCode") { (status: Int) in
            _ = try? Response(statusCode: 200, data: Data()).filter(statusCode: status)
        },
        Setting("FileTokenStore.Failure.unreadable") { (number: Int32) in
            _ = FileTokenStore.Failure.unreadable(path: "p", errorNumber: number).localizedDescription
        },
        Setting("FileTokenStore.Failure.unwritable") { (number: Int32) in
            _ = FileTokenStore.Failure.unwritable(path: "p", errorNumber: number).localizedDescription
        },
        Setting("NetworkLoggerPlugin.Configuration.LogOptions.init#rawValue") { (bits: Int) in
            let plugin = NetworkLoggerPlugin(
                configuration: .init(output: { _, _ in }, logOptions: .init(rawValue: bits)))
            let provider = MoyaProvider<API>(stubClosure: MoyaProvider.immediatelyStub, plugins: [plugin])
            await finish { _ = try? await provider.request(API()) }
        },
        Setting("RequestTask.requestParameters") { (date: Date) in
            for encoding in [URLEncoding.default as any ParameterEncoding, JSONEncoding.default] {
                await send(
                    .requestParameters(parameters: ["a": date, "b": [date]], encoding: encoding))
            }
        },
        Setting("RequestTask.requestParameters.number") { (number: Double) in
            for encoding in [URLEncoding.default as any ParameterEncoding, JSONEncoding.default] {
                await send(
                    .requestParameters(parameters: ["a": number, "b": [NSNumber(value: number)]], encoding: encoding))
            }
        },
        Setting("RequestTask.requestJSONEncodable") { (date: Date) in await send(.requestJSONEncodable([date])) },
        Setting("URLEncodedFormEncoder.DateEncoding") { (date: Date) in
            let encodings: [URLEncodedFormEncoder.DateEncoding] = [
                .deferredToDate, .secondsSince1970, .millisecondsSince1970, .iso8601, .formatted(DateFormatter()),
            ]
            for encoding in encodings {
                let encoder = URLEncodedFormEncoder(dateEncoding: encoding)
                _ = try? encoder.encode(["a": date]) as String
                _ = try? encoder.encode(["a": date.timeIntervalSince1970]) as String
            }
        },
    ]

    private static func send(_ task: RequestTask) async {
        var api = API()
        api.task = task
        let target = api
        let provider = MoyaProvider<API>(stubClosure: MoyaProvider.immediatelyStub)
        await finish { _ = try? await provider.request(target) }
    }
}
