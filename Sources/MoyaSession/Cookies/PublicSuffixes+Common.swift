extension PublicSuffixes {
    /// Suffixes of two labels and more that many sites live under.
    static let common: Set<String> = {
        var all: Set<String> = []
        for (parent, labels) in countries {
            for label in labels.split(separator: " ") { all.insert("\(label).\(parent)") }
        }
        for suffix in platforms.split(whereSeparator: \.isWhitespace) { all.insert(String(suffix)) }
        return all
    }()

    /// Domains right below which every name is a suffix.
    static let commonParents: Set<String> = [
        "bd", "er", "fk", "jm", "kh", "mm", "np", "pg", "compute.amazonaws.com", "compute-1.amazonaws.com",
        "elb.amazonaws.com", "compute.amazonaws.com.cn",
    ]

    /// What registries of countries usually offer to anybody, right below the country.
    static let usualSecondLevels: Set<String> = [
        "ac", "asso", "biz", "co", "com", "ed", "edu", "firm", "go", "gob", "gouv", "gov", "govt", "id", "info", "int",
        "ltd", "me", "mil", "muni", "name", "ne", "net", "nom", "or", "org", "plc", "press", "pro", "sch", "school",
        "tm",
        "web",
    ]

    private static let countries: [(parent: String, labels: String)] = [
        ("ae", "ac co gov mil net org sch"),
        ("ar", "com edu gob gov int mil net org tur"),
        ("at", "ac co gv or"),
        ("au", "asn com edu gov id net org"),
        ("bh", "com edu gov net org"),
        ("br", "adv art blog com eco edu eng gov ind jus leg med mil net nom org tv"),
        ("bw", "co org"),
        ("ci", "ac co com ed edu go gouv int net or org"),
        ("cl", "co gob gov mil"),
        ("cn", "ac com edu gov mil net org"),
        ("co", "com edu gov mil net nom org"),
        ("cr", "ac co ed fi go or sa"),
        ("cy", "ac biz com ekloges gov ltd mil net org press pro tm"),
        ("do", "art com edu gob gov mil net org sld web"),
        ("ec", "com edu fin gob gov info k12 med mil net org pro"),
        ("eg", "com edu eun gov mil name net org sci"),
        ("es", "com edu gob nom org"),
        ("fr", "asso com gouv nom prd tm"),
        ("gh", "com edu gov mil org"),
        ("gr", "com edu gov net org"),
        ("gt", "com edu gob ind mil net org"),
        ("hk", "com edu gov idv net org"),
        ("hu", "co info org priv sport tm"),
        ("id", "ac biz co desa go mil my net or ponpes sch web"),
        ("il", "ac co gov idf k12 muni net org"),
        ("im", "ac co com net org tt tv"),
        ("in", "ac co edu firm gen gov ind mil net nic org res"),
        ("ir", "ac co gov id net org sch"),
        ("it", "edu gov"),
        ("jp", "ac ad co ed go gr lg ne or"),
        ("ke", "ac co go info me mobi ne or sc"),
        ("kr", "ac co es go hs kg mil ms ne or pe re sc"),
        ("kw", "com edu emb gov ind net org"),
        ("lb", "com edu gov net org"),
        ("lk", "ac com edu gov net org sch"),
        ("ma", "ac co gov net org press"),
        ("mo", "com edu gov net org"),
        ("mt", "com edu net org"),
        ("mx", "com edu gob net org"),
        ("my", "biz com edu gov mil name net org"),
        ("mz", "ac adv co edu gov mil net org"),
        ("na", "co com org"),
        ("ng", "com edu gov i mil mobi name net org sch"),
        ("ni", "ac biz co com edu gob in info int mil net nom org web"),
        ("nz", "ac co cri geek gen govt health iwi kiwi maori mil net org parliament school"),
        ("om", "co com edu gov med museum net org pro"),
        ("pa", "abo ac com edu gob ing med net nom org sld"),
        ("pe", "com edu gob mil net nom org"),
        ("ph", "com edu gov i mil net ngo org"),
        ("pk", "biz com edu fam gob gok gon gop gos gov info net org web"),
        ("pl", "com edu gov info net org"),
        ("pt", "com edu gov int net nome org publ"),
        ("py", "com coop edu gov mil net org"),
        ("qa", "com edu gov mil name net org sch"),
        ("ro", "arts com firm info nom nt org rec store tm www"),
        ("rs", "ac co edu gov in org"),
        ("ru", "ac edu gov int mil msk spb com net org pp"),
        ("sa", "com edu gov med net org pub sch"),
        ("se", "ac org pp tm press parti"),
        ("sg", "com edu gov net org per"),
        ("sv", "com edu gob org red"),
        ("th", "ac co go in mi net or"),
        ("tn", "com ens fin gov ind info intl mincom nat net org perso tourism"),
        ("tr", "av bbs bel biz com dr edu gen gov info k12 kep mil name net org pol tel tsk tv web"),
        ("tw", "club com ebiz edu game gov idv mil net org"),
        ("tz", "ac co go hotel info me mil mobi ne or sc tv"),
        ("ua", "com edu gov in net org kiev kyiv lviv"),
        ("ug", "ac co com go ne or org sc"),
        ("uk", "ac co gov ltd me net nhs org plc police sch"),
        ("uy", "com edu gub mil net org"),
        ("uz", "co com net org"),
        ("ve", "co com e12 edu firm gob gov info int mil net nom org rec store tec web"),
        ("vn", "ac biz com edu gov health info int name net org pro"),
        ("za", "ac agric alt co edu gov grondar law mil net ngo nis nom org school tm web"),
        ("zm", "ac biz co com edu gov info mil net org sch"),
        ("zw", "ac co gov mil org"),
        ("com", "br cn de eu jpn kr no qc ru sa uk us za"),
        ("net", "gb hu in jp se uk"),
        ("org", "ae us"),
    ]

    /// Where anybody may have a site below the name of a company.
    private static let platforms = """
        github.io gitlab.io bitbucket.io githubusercontent.com codeberg.page
        blogspot.com appspot.com cloudfunctions.net run.app web.app firebaseapp.com withgoogle.com
        a.run.app translate.goog
        herokuapp.com herokussl.com netlify.app vercel.app now.sh onrender.com fly.dev
        pages.dev workers.dev trycloudflare.com cloudfront.net
        s3.amazonaws.com elasticbeanstalk.com awsapprunner.com amplifyapp.com
        azurewebsites.net azurestaticapps.net cloudapp.net cloudapp.azure.com azure-mobile.net trafficmanager.net
        blob.core.windows.net web.core.windows.net azurecontainerapps.dev azurefd.net
        ondigitalocean.app digitaloceanspaces.com myshopify.com wixsite.com
        readthedocs.io glitch.me repl.co replit.app replit.dev deno.dev ngrok.io ngrok.app
        ngrok-free.app ngrok-free.dev
        duckdns.org dyndns.org no-ip.org ddns.net hopto.org zapto.org sytes.net dynv6.net
        supabase.co streamlit.app hf.space webflow.io
        fastlylb.net akamaihd.net akamaized.net edgekey.net edgesuite.net azureedge.net
        altervista.org eu.org
        """
}
