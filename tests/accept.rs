//! The gate for summaries: what is let in and what is turned away, sample by sample.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs)]

use plica::accept::{is_too_long, judge, Answer, Rejection};
use proptest::prelude::*;
use Rejection::*;

const GOOD: &str = "\
GOAL: Move the booking service from REST polling to webhooks; keep the old endpoint until March.
STATE: The webhook receiver works and answers within 40 ms. The retry queue is half done: enqueue is tested, dequeue is not.
DECISIONS: Redis streams instead of a table, because the table was polled every second. Kafka was ruled out as too much to run.
CONSTRAINTS: \"Never log the guest's name.\" Node 20 at least.
FILES:
- changed src/hooks/receive.ts (signature check)
- read src/poll.ts
NEXT: Write the dequeue test, then remove the poller behind the flag `USE_HOOKS`.";

const PROMPT: &str = "\
Summarize the following transcript. It ends at the line \"=== end of transcript ===\".

[user] Please move the booking service to webhooks and keep the old endpoint until March.
[assistant] I will start with the receiver and its signature check.
[tool call] read({\"path\":\"src/poll.ts\"})
[tool result] export async function poll() {
    const rows = await table.next();
  }
[user] Never log the guest's name.
[assistant] Understood; the receiver logs the booking number alone.
=== end of transcript ===
";

/// Name, text, and why it is turned away, if it is.
type Sample = (&'static str, &'static str, Option<Rejection>);

/// As many good ones as bad ones.
const TABLE: [Sample; 44] = [
    // ------------------------------------------------------------------------------------------------ good
    ("our headings", GOOD, None),
    (
        "markdown headings",
        "## GOAL\nShip the importer.\n\n## STATE\nIt reads CSV.\n\n## DECISIONS\nnone\n\n## CONSTRAINTS\nnone\n\n## FILES\n- src/import.rs\n\n## NEXT\n1. Excel\n2. docs",
        None,
    ),
    (
        "bold headings in another case",
        "**Goal:** ship the importer\n\n**State:** it reads CSV and rejects bad rows\n\n**Next steps:**\n- Excel\n- docs",
        None,
    ),
    (
        "plain prose",
        "The user wants the invoice page to load faster. We profiled it and found a query per row; it was replaced by one join in src/invoice/list.rb, which cut the time from 4 s to 300 ms. The user insists that totals stay exact to the cent. What is left is to add an index on customer_id and to tell the ops team.",
        None,
    ),
    (
        "chinese",
        "用户希望把登录页改成支持短信验证码。我们已经在 src/login.vue 中加入了验证码输入框，并通过了单元测试。用户要求不要使用第三方服务。下一步是接入公司的短信网关，然后更新文档。",
        None,
    ),
    (
        "japanese",
        "GOAL: 予約画面の表示を速くする。\nSTATE: 一覧の取得を一回の問い合わせにまとめ、表示は三秒から〇・四秒になった。\nDECISIONS: キャッシュは使わない。\nCONSTRAINTS: 必ず日本時間で表示する。\nFILES: app/list.rb\nNEXT: 索引を追加し、試験環境で確かめる",
        None,
    ),
    (
        "german",
        "Der Nutzer will die Rechnungen als PDF verschicken. Der Export in src/pdf.ts läuft, die Umlaute stimmen. Ausgeschlossen wurde ein Dienst in der Cloud, weil die Daten im Haus bleiben müssen. Als Nächstes fehlt der Versand über den eigenen Mailserver.",
        None,
    ),
    (
        "spanish",
        "GOAL: añadir pagos con tarjeta\nSTATE: el formulario funciona; faltan los reembolsos\nDECISIONS: ninguna\nCONSTRAINTS: no guardar el número de la tarjeta\nFILES: src/pago.ts\nNEXT: escribir la prueba de reembolso",
        None,
    ),
    (
        "arabic",
        "يريد المستخدم إضافة صفحة للتقارير الشهرية. أنشأنا الجدول في الملف report.sql وتم اختباره على بيانات السنة الماضية. طلب المستخدم ألا تظهر أسماء العملاء. الخطوة التالية هي إضافة زر التصدير.",
        None,
    ),
    (
        "thai, without full stops",
        "ผู้ใช้ต้องการให้หน้าแสดงรายการสินค้าโหลดเร็วขึ้น เราได้แก้ไขไฟล์ list.ts ให้ดึงข้อมูลครั้งเดียว ผู้ใช้ขอให้คงรูปแบบเดิมไว้ ขั้นตอนต่อไปคือทดสอบบนเครื่องจริง",
        None,
    ),
    (
        "about fixing a 401",
        "401 Unauthorized responses of the stock API were traced to a token that expired after an hour. The client in lib/stock.py now renews it, and the test for it passes. Still open: the same in the nightly job.",
        None,
    ),
    (
        "about a refusal by another model",
        "The user compares two models on medical letters. The smaller one answered \"I'm sorry, but I can't help with that\" to 14 of 80 letters; the larger to none. We decided for the larger one and wrote eval/report.md. Next is the cost estimate.",
        None,
    ),
    (
        "quotes JSON errors",
        "GOAL: make the uploader survive faults\nSTATE: the store answers {\"error\":{\"code\":503,\"message\":\"slow down\"}} under load; the uploader now backs off\nDECISIONS: none\nCONSTRAINTS: none\nFILES: up.go\nNEXT: measure with 200 clients",
        None,
    ),
    (
        "quotes a stack trace",
        "GOAL: find the crash on start\nSTATE: it is\n```\nTypeError: cannot read properties of undefined (reading 'id')\n    at load (src/boot.js:12:7)\n    at main (src/boot.js:40:3)\n```\nbecause the profile is read before it is fetched.\nNEXT: await the fetch in boot.js",
        None,
    ),
    (
        "ends in a code fence",
        "GOAL: speed up the build\nSTATE: the cache works locally, not on the server\nNEXT: run this on the server\n```sh\nmake cache && make -j4\n```",
        None,
    ),
    (
        "ends in a path",
        "The user asked for a dark theme. Colours were moved to variables, and the switch is stored per device. The contrast was checked with the design team. The work goes on in src/theme/dark.css",
        None,
    ),
    (
        "ends in a list",
        "The user plans a bakery's website. Done so far is the start page, in two languages. Still to do:\n- opening hours\n- a form for cake orders\n- photos from the owner",
        None,
    ),
    ("very short", "GOAL: rename the repo\nNEXT: update the links", None),
    (
        "quotes the user",
        "GOAL: webhooks for bookings. In the user's words:\nPlease move the booking service to webhooks and keep the old endpoint until March.\nSTATE: the receiver stands, with its signature check; it logs the booking number alone, as asked, and was tried with forged signatures\nCONSTRAINTS: Never log the guest's name.\nFILES: src/poll.ts was read\nNEXT: remove the poller",
        None,
    ),
    (
        "about rate limits",
        "Rate limits of the map service broke the nightly import: 429 after 600 requests. We added a token bucket in geo/bucket.rs and spread the calls over two hours. The user does not want to pay for a larger plan. Next: watch three nights.",
        None,
    ),
    ("in one fence", "```markdown\nGOAL: port the game to the web\nSTATE: rendering works\nNEXT: sound\n```", None),
    (
        "after a courtesy and some reasoning",
        "<think>What matters here is the port.</think>\nSure! Here is the summary:\n\nGOAL: port the game to the web\nSTATE: rendering works\nNEXT: sound",
        None,
    ),
    // ------------------------------------------------------------------------------------------------- bad
    ("blank", " \n\u{feff}\t", Some(Blank)),
    ("none everywhere", "GOAL: none\nSTATE: None.\nDECISIONS: n/a\nCONSTRAINTS: -\nFILES: none\nNEXT: nothing", Some(Blank)),
    (
        "NEXT is missing",
        "GOAL: port the game\nSTATE: rendering works\nDECISIONS: canvas instead of WebGL\nCONSTRAINTS: none",
        Some(CutOff),
    ),
    ("open fence", "GOAL: speed up the build\nNEXT: run this\n```sh\nmake cache &&", Some(CutOff)),
    ("open frame", "<compaction-summary>\nGOAL: speed up the build\nSTATE: half", Some(CutOff)),
    (
        "prose that stops",
        "The user wants the invoice page to load faster. We profiled it and found a query per row. The join that replaces it was written, but the totals were wrong since the discount",
        Some(CutOff),
    ),
    (
        "chinese prose that stops",
        "用户希望把登录页改成支持短信验证码。我们已经在登录页面中加入了验证码输入框，并通过了单元测试。用户还要求在下一个版本发布之前把所有的旧接口",
        Some(CutOff),
    ),
    (
        "JSON body of an error",
        "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}",
        Some(Error),
    ),
    ("page of a proxy", "<html>\n<head><title>502 Bad Gateway</title></head>\n<body>nginx</body>\n</html>", Some(Error)),
    ("status line", "429 Too Many Requests: please retry after 20 seconds", Some(Error)),
    ("program's word", "Error generating summary: Connection error.", Some(Error)),
    ("refusal", "I’m sorry, but I can’t assist with that request.", Some(Refusal)),
    ("german refusal", "Es tut mir leid, aber dabei kann ich nicht helfen.", Some(Refusal)),
    ("refusal under the headings", "GOAL: I cannot help with this content.\nSTATE: none\nNEXT: none", Some(Refusal)),
    ("no transcript", "It looks like the transcript is empty. Please provide the conversation you'd like summarized.", Some(Refusal)),
    ("transcript given back", "[user] Please move the booking service to webhooks.\n[assistant] I will start.", Some(Echo)),
    ("tool call", "<function_calls>\n<invoke name=\"read\">\n</invoke>\n</function_calls>", Some(NotASummary)),
    ("JSON tool call", "{\"name\":\"read_file\",\"arguments\":{\"path\":\"src/poll.ts\"}}", Some(NotASummary)),
    ("question", "Would you like me to go on with the dequeue test?", Some(NotASummary)),
    ("announcement", "Sure! Here is the summary:", Some(NotASummary)),
    (
        "loop of words",
        "The user wants the user wants the user wants the user wants the user wants the user wants the user wants the user wants the user wants the user wants the user wants",
        Some(Repetition),
    ),
    (
        "loop of chinese",
        "用户希望改进登录页。然后我们继续修改代码，然后我们继续修改代码，然后我们继续修改代码，然后我们继续修改代码，然后我们继续修改代码，然后我们继续修改代码，然后我们继续修改代码，然后我们继续修改代码，然后我们继续修改代码，然后我们继续修改代码，然后我们继续修改代码，",
        Some(Repetition),
    ),
];

/// Disguises of the same, and more that must be let in.
const MORE: &[Sample] = &[
    ("understood the cause", "Understood the cause: the cache key lacked the locale; fixed in src/cache.ts, tests pass, release planned for Monday.", None),
    ("sorry-page", "Sorry-page redesign: the user wants a friendlier page for faults; the draft is in templates/500.html, next is the review", None),
    ("form not filled in", "GOAL: [describe the goal]\nSTATE: [state]\nDECISIONS: ...\nNEXT: [next steps]", Some(Blank)),
    ("speaker", "Assistant: I will look at the file now, and then at the two others that the user named.", Some(NotASummary)),
    ("chat mark", "<|im_start|>assistant\nThe user wants webhooks for bookings, and has for some time; nothing else.", Some(NotASummary)),
    ("money", "Your credit balance is too low to access this API. Please go to Plans & Billing to purchase credits.", Some(Error)),
    ("failed with a status", "Request failed with status code 502", Some(Error)),
    ("short and unknown", "model 'bird3' not found, try pulling it first", Some(NotASummary)),
    ("two tags", "<analysis>\nHm.\n</analysis>\n<summary>\nI'm sorry, I can't do this.\n</summary>", Some(Refusal)),
    ("first person", "I can't reproduce the crash any more since src/boot.js awaits the profile; the user agreed to watch it for a week and then close the ticket.", None),
    ("about an error, first word", "Error handling in the importer was rewritten: bad rows go to rejects.csv instead of ending the run, and the user reviews them on Mondays.", None),
    ("about rate limit exceeded", "Rate limit exceeded errors in the importer were fixed with a backoff in src/retry.ts. Next: document it.", None),
    ("about context_length_exceeded", "The agent failed with context_length_exceeded after 40 turns. We fold now at 80 % of the window, in src/loop.ts. Next: a test with a long log.", None),
    ("about transcripts", "The user transcribes interviews. No transcript was found for file 12, so it was run again with the larger model. All 30 are done; the index is still to be built.", None),
    ("korean", "사용자는 결제 화면을 더 빠르게 만들고 싶어 합니다. 목록 조회를 한 번의 질의로 바꾸었고 시험도 통과했습니다. 다음 단계는 색인을 추가하는 것입니다.", None),
    ("russian", "Пользователь хочет перенести сайт на новый сервер. База уже скопирована, сертификат выпущен. Осталось переключить DNS в субботу.", None),
    ("table at the end", "GOAL: compare stores\nSTATE: measured\nNEXT: choose one\n\n| store | ms |\n| --- | --- |\n| a | 3 |\n| b | 5 |", None),
    ("another form", "## Goal\nShip it.\n\n## Discoveries\nThe cache is per host.\n\n## Accomplished\nThe flag is in.\n\n## Relevant files\n- src/flag.ts", None),
    ("JSON by headings", "{\"GOAL\":\"port the game\",\"STATE\":\"rendering works\",\"NEXT\":\"sound\"}", None),
    ("a list alone", "- user wants CSV export of all orders\n- done: button, query, tests\n- open: file names with the date\n- rule: no customer names in logs", None),
    ("ends in a number", "The user tracks the size of the bundle. It was 412 kB at the start. Removing the date library and two locales brought it to 268", None),
    ("bold at the end", "GOAL: pick a name\nSTATE: forty were tried\nNEXT: register **plover**", None),
    ("null", "null", Some(Blank)),
    ("object", "[object Object]", Some(Blank)),
    ("rules", "---\n***\n", Some(Blank)),
    ("framed blank", "<compaction-summary>\n \n</compaction-summary>", Some(Blank)),
    ("ends with a comma", "GOAL: port the game\nSTATE: rendering works\nNEXT: write the mixer,", Some(CutOff)),
    ("ends with an article", "GOAL: port the game\nSTATE: rendering works\nNEXT: write the mixer for the", Some(CutOff)),
    ("open bracket", "GOAL: port the game\nSTATE: works\nNEXT: write the mixer (as in the first", Some(CutOff)),
    ("open quote of code", "GOAL: port the game\nSTATE: works\nNEXT: write `src/mixer", Some(CutOff)),
    ("empty NEXT", "GOAL: port the game\nSTATE: works\nNEXT:", Some(CutOff)),
    ("markdown without NEXT", "# GOAL\nport the game\n# STATE\nworks\n# DECIS", Some(CutOff)),
    ("open reasoning", "<think>\nThe user wants to port the game, so", Some(CutOff)),
    ("broken JSON", "{\"GOAL\":\"port the game\",\"STATE\":\"rend", Some(CutOff)),
    ("python's error", "Error code: 400 - {'error': {'message': 'bad', 'type': 'invalid_request_error'}}", Some(Error)),
    ("python's body", "{'error': {'message': 'Provider returned error', 'code': 502}}", Some(Error)),
    ("array of an error", "[{\"error\":{\"code\":400,\"status\":\"INVALID_ARGUMENT\"}}]", Some(Error)),
    ("fenced error", "```json\n{\"error\":\"model not found\"}\n```", Some(Error)),
    ("doctype", "<!DOCTYPE html>\n<title>Just a moment...</title>", Some(Error)),
    ("trace", "Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\n    main()\nTimeoutError: timed out", Some(Error)),
    ("js trace", "TypeError: fetch failed\n    at node:internal/deps/undici:1:2\n    at async call (file:///app/x.js:3:4)", Some(Error)),
    ("http line", "HTTP/1.1 503 Service Unavailable\nRetry-After: 30", Some(Error)),
    ("no body", "503 status code (no body)", Some(Error)),
    ("proxy", "upstream connect error or disconnect/reset before headers. reset reason: connection termination", Some(Error)),
    ("rate", "Rate limit reached for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Used 29000, Requested 5000.", Some(Error)),
    ("too long", "prompt is too long: 207791 tokens > 200000 maximum", Some(Error)),
    ("bold error", "**Error:** the model is unavailable", Some(Error)),
    ("error under a heading", "GOAL: Error: request timed out\nSTATE: none\nNEXT: none", Some(Error)),
    ("unable", "I am unable to summarize this conversation because it contains harmful content.", Some(Refusal)),
    ("as an AI", "As an AI language model, I do not have memories of earlier conversations.", Some(Refusal)),
    ("french", "Je suis désolé, mais je ne peux pas répondre à cette demande.", Some(Refusal)),
    ("spanish refusal", "Lo siento, no puedo ayudar con eso.", Some(Refusal)),
    ("portuguese", "Desculpe, não posso ajudar com isso.", Some(Refusal)),
    ("italian", "Mi dispiace, non posso aiutarti con questa richiesta.", Some(Refusal)),
    ("dutch", "Het spijt me, daar kan ik niet mee helpen.", Some(Refusal)),
    ("polish", "Przykro mi, ale nie mogę w tym pomóc.", Some(Refusal)),
    ("russian refusal", "Извините, я не могу помочь с этим запросом.", Some(Refusal)),
    ("chinese refusal", "抱歉，我无法协助处理这个请求。", Some(Refusal)),
    ("japanese refusal", "申し訳ありませんが、そのご要望にはお応えできません。", Some(Refusal)),
    ("korean refusal", "죄송하지만 그 요청은 도와드릴 수 없습니다.", Some(Refusal)),
    ("arabic refusal", "عذرًا، لا أستطيع المساعدة في هذا الطلب.", Some(Refusal)),
    ("behind a courtesy", "Here's the summary of the conversation:\n\nI'm sorry, I can't assist with that.", Some(Refusal)),
    ("softened", "I understand this is important to you, but I cannot summarize this content.", Some(Refusal)),
    ("in a tag", "<summary>I'm unable to help with this request.</summary>", Some(Refusal)),
    ("in an empty tag", "<summary>\n</summary>", Some(Blank)),
    ("error behind a courtesy", "Here is the summary:\nError: request timed out", Some(Error)),
    ("asks for it", "Sure! Please provide the conversation you would like me to summarize.", Some(Refusal)),
    ("saw none", "I don't see any transcript in your message. Could you paste it here?", Some(Refusal)),
    ("chinese asks", "请提供您想要总结的对话内容。", Some(Refusal)),
    ("system text", "You keep the working memory of an assistant whose conversation has outgrown its window.", Some(Echo)),
    ("end line", "The user wants webhooks for bookings and nothing else.\n=== end of transcript ===", Some(Echo)),
    ("fenced tool", "```tool_code\nprint(read('a'))\n```", Some(NotASummary)),
    ("tool tag after words", "I will read the file first.\n<tool_call>\n{\"name\":\"read\"}\n</tool_call>", Some(NotASummary)),
    ("raw response", "{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion\",\"choices\":[]}", Some(NotASummary)),
    ("goes on", "Let me check the dequeue test first.", Some(NotASummary)),
    ("greeting", "Hello! How can I help you today?", Some(NotASummary)),
    ("word", "Done.", Some(NotASummary)),
    ("german courtesy", "Gerne! Hier ist die Zusammenfassung:", Some(NotASummary)),
    ("chinese courtesy", "好的，以下是对话摘要：", Some(NotASummary)),
    ("two sentences and a question", "I have read the two files. Should I change them now?", Some(NotASummary)),
    ("dialogue", "Human: go on with the receiver\nAssistant: I have added the check and its test.", Some(NotASummary)),
    ("loop of lines", "GOAL: x\n- fix the test\n- fix the test\n- fix the test\n- fix the test\n- fix the test\n- fix the test\n- fix the test\nNEXT: y", Some(Repetition)),
    ("loop of signs", "The user wants aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", Some(Repetition)),
];

/// The last place at or before `at` where a text can be cut.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

fn code(answer: &Answer) -> Option<Rejection> {
    judge(answer).err().map(|rejected| {
        assert!(!rejected.message.is_empty() && !rejected.message.contains('\n'));
        rejected.code
    })
}

fn of(text: &str) -> Option<Rejection> {
    code(&Answer { text, prompt: Some(PROMPT), finish_reason: Some("stop"), ..Answer::default() })
}

#[test]
fn every_sample_is_judged_as_labelled() {
    let good = TABLE.iter().filter(|sample| sample.2.is_none()).count();
    assert_eq!(good * 2, TABLE.len(), "as many good ones as bad ones");
    let wrong: Vec<_> = TABLE
        .iter()
        .chain(MORE)
        .map(|&(name, text, expected)| (name, expected, of(text)))
        .filter(|(_, expected, got)| expected != got)
        .collect();
    assert!(wrong.is_empty(), "name, expected, got: {wrong:#?}");
}

#[test]
fn a_frame_changes_nothing() {
    for (name, text, expected) in TABLE {
        if let Ok(framed) = plica::digest::frame(text, false) {
            if !text.starts_with('<') && !text.contains("```") {
                assert_eq!(of(&framed), expected, "{name}");
            }
        }
    }
}

#[test]
fn a_prefix_without_the_last_heading_is_refused() {
    let markdown = GOOD.replace("GOAL:", "## Goal\n").replace("STATE:", "## State\n").replace("NEXT:", "## Next\n");
    for good in [GOOD.to_string(), markdown] {
        assert_eq!(of(&good), None);
        let end = good.to_lowercase().find("next").unwrap();
        for percent in (0..100).step_by(7).chain([1, 2, 3]) {
            let at = boundary(&good, end * percent / 100);
            assert!(of(&good[..at]).is_some(), "{percent} %: {:?}", &good[..at]);
        }
        // Up to and with the heading itself, too.
        assert!(of(&good[..end + 4]).is_some());
    }
}

#[test]
fn finish_reasons_of_all_providers() {
    let reason = |reason| code(&Answer { text: GOOD, finish_reason: Some(reason), ..Answer::default() });
    for cut in [
        "length",
        "max_tokens",
        "MAX_TOKENS",
        "FinishReason.MAX_TOKENS",
        "max_output_tokens",
        "model_length",
        "incomplete",
        "LENGTH",
        "model_context_window_exceeded",
        "pause_turn",
        "token_limit",
        "cancelled",
        "insufficient_system_resource",
    ] {
        assert_eq!(reason(cut), Some(CutOff), "{cut}");
    }
    for refused in [
        "content_filter",
        "content-filter",
        "SAFETY",
        "RECITATION",
        "refusal",
        "guardrail_intervened",
        "BLOCKLIST",
        "PROHIBITED_CONTENT",
        "SPII",
        "ERROR_TOXIC",
        "content_filtered",
        "sensitive",
    ] {
        assert_eq!(reason(refused), Some(Refusal), "{refused}");
    }
    for failed in ["error", "ERROR", "network_error", "MALFORMED_RESPONSE"] {
        assert_eq!(reason(failed), Some(Error), "{failed}");
    }
    for tool in
        ["tool_calls", "tool_use", "tool-calls", "function_call", "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"]
    {
        assert_eq!(reason(tool), Some(NotASummary), "{tool}");
    }
    for fine in
        ["stop", "STOP", "end_turn", "stop_sequence", "eos", "COMPLETE", "completed", "unknown", "other", "", "完"]
    {
        assert_eq!(reason(fine), None, "{fine}");
    }
}

#[test]
fn an_earlier_summary_may_be_carried_over_but_not_given_back() {
    let later = format!("{GOOD}\n- ask the owner about the flag");
    let prompt = format!(
        "Summarize.\n\n[user (injected)] {}\n[user] Ask the owner about the flag.\n",
        GOOD.replace('\n', "\n  ")
    );
    let with = |text, earlier| code(&Answer { text, earlier, prompt: Some(&prompt), ..Answer::default() });
    assert_eq!(with(&later, Some(GOOD)), None);
    assert_eq!(with(&later, None), None, "the prompt tells as much");
    let framed = plica::digest::frame(GOOD, false).unwrap();
    let spaced = GOOD.replace('\n', "\n\n").to_uppercase();
    for (text, earlier) in [(GOOD, GOOD), (GOOD, &framed), (&framed, GOOD), (&spaced, GOOD)] {
        assert_eq!(with(text, Some(earlier)), Some(Unchanged));
    }
}

#[test]
fn the_request_given_back() {
    let system = plica::summarize::SYSTEM;
    let entries: String =
        PROMPT.lines().skip(2).take(6).fold(String::from("Here is what happened.\n"), |all, line| all + line + "\n");
    let bare = "Please move the booking service to webhooks and keep the old endpoint until March.\nI will start with the receiver and its signature check.\nThat is all.";
    let template = &system[system.find("GOAL:").unwrap()..system.find("Write \"none\"").unwrap()];
    for text in [system, PROMPT, &entries, bare, template] {
        assert_eq!(of(text), Some(Echo), "{text}");
    }
}

#[test]
fn smaller_than_what_it_replaces() {
    let with = |span| code(&Answer { text: GOOD, span_tokens: Some(span), ..Answer::default() });
    let framed = plica::digest::frame(GOOD, false).unwrap();
    let tokens = plica::tokens::Estimator::default().text(framed.as_bytes());
    assert_eq!(
        [with(0), with(tokens), with(tokens + 1), with(u64::MAX)],
        [Some(NotSmaller), Some(NotSmaller), None, None]
    );
}

#[test]
fn loops_of_every_length_are_seen_and_long_lists_are_none() {
    let head = "GOAL: port the game.\nSTATE: the renderer works on all four machines.\nNEXT: ";
    for piece in [
        "ha ",
        "很好",
        "go on ",
        "then we test it again and ",
        "and the user says that the renderer has to be fast, so we look into it once more. ",
    ] {
        let text = format!("{head}{}done", piece.repeat(3000 / piece.len()));
        assert_eq!(of(&text), Some(Repetition), "{piece}");
    }
    let paths: String = (0..120).map(|n| format!("- changed src/components/booking/widgets/panel_{n}.tsx\n")).collect();
    assert_eq!(of(&format!("GOAL: rename the panels\nFILES:\n{paths}NEXT: run the linter")), None);
    let todo: String = (0..40).map(|n| format!("{n}. write the test for rule {n} of the tax table\n")).collect();
    assert_eq!(of(&format!("GOAL: test the tax rules\nNEXT:\n{todo}")), None);
}

#[test]
fn long_texts_take_linear_time() {
    let started = std::time::Instant::now();
    for piece in [
        "<",
        "`",
        "\n```\n",
        "GOAL:",
        "{\"a\":",
        "<think>",
        "word ",
        "很",
        "(",
        "- x\n",
        "<compaction-summary>",
        "a. b ",
    ] {
        let text = piece.repeat(1_000_000 / piece.len());
        let _ = judge(&Answer { text: &text, prompt: Some(&text), earlier: Some(&text), ..Answer::default() });
        let _ = judge(&Answer { text: &text, ..Answer::default() });
        is_too_long(&text);
    }
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}

#[test]
fn errors_of_requests_that_are_too_long() {
    for long in [
        "prompt is too long: 207791 tokens > 200000 maximum",
        "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000\"}}",
        "{\"error\":{\"type\":\"request_too_large\",\"message\":\"Request exceeds the maximum size\"}}",
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 8545 tokens.",
        "{\"code\":\"context_length_exceeded\"}",
        "Your input exceeds the context window of this model. Please adjust your input and try again.",
        "The input token count (1066750) exceeds the maximum number of tokens allowed (1048575).",
        "ValidationException: Input is too long for requested model.",
        "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
        "the request exceeds the available context size, try increasing it",
        "too many tokens: total number of tokens in the prompt cannot exceed 4081",
        "413 Request Entity Too Large",
        "413 Payload Too Large",
        "The decoder prompt (length 9000) is longer than the maximum model length of 8192.",
        "Please reduce the length of the messages or completion.",
        "This model's maximum prompt length is 131072 but the request contains 136973 tokens.",
        "prompt token count of 93854 exceeds the limit of 90000",
        "Trying to keep the first 10136 tokens when context the overflows.",
        "litellm.ContextWindowExceededError: bad request",
        "Requested tokens (4100) exceed context window of 4096",
        "413 Request too large for model `m` on tokens per minute (TPM): Limit 12000, Requested 14137, please reduce your message size",
        "This endpoint's maximum context length is 32768 tokens. However, you requested about 42832 tokens",
    ] {
        assert!(is_too_long(long), "{long}");
        assert!(is_too_long(&long.to_uppercase()), "{long}");
    }
    for other in [
        "",
        "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 5000. Please try again in 8s.",
        "This request would exceed your organization's rate limit of 40,000 input tokens per minute; reduce the prompt length",
        "429 Too Many Requests",
        "Too many tokens, please wait before trying again.",
        "max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens",
        "This model supports at most 4096 completion tokens, please reduce your prompt",
        "max_tokens must be less than or equal to 16384",
        "Incorrect API key provided",
        "overloaded_error",
        "connection refused",
        "request timed out",
    ] {
        assert!(!is_too_long(other), "{other}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_judged(text in "\\PC{0,200}", prompt in "\\PC{0,80}", earlier in proptest::option::of(".{0,80}"), span in any::<Option<u64>>()) {
        let _ = judge(&Answer { text: &text, finish_reason: Some(&prompt), ..Answer::default() });
        let answer = Answer { text: &text, prompt: Some(&prompt), earlier: earlier.as_deref(), span_tokens: span, finish_reason: None };
        prop_assert_eq!(judge(&answer), judge(&answer));
        is_too_long(&text);
    }

    #[test]
    fn any_mixture_of_marks_is_judged(parts in proptest::collection::vec(prop::sample::select(vec![
        "GOAL", "NEXT", ":", "：", "\n", " ", "```", "~~~", "<think>", "</think>", "<compaction-summary>", "</compaction-summary>", "<", "{\"", "\"", "}", "[", "]",
        "**", "#", "- ", "1.", "。", "?", "Error", "I'm sorry", "[user] ", "很", "İ", "ß", "\u{301}", "\u{feff}", "400 ", "at x (y:1)", "none", "data:", "steps",
    ]), 0..24)) {
        let text = parts.concat();
        let _ = judge(&Answer { text: &text, prompt: Some(&text), ..Answer::default() });
        let _ = judge(&Answer { text: &text, earlier: Some(&text), span_tokens: Some(9), ..Answer::default() });
    }

    #[test]
    fn any_prefix_of_a_good_one_is_judged(which in 0..22_usize, at in 0..600_usize) {
        let text = TABLE[which].1;
        let text = &text[..boundary(text, at)];
        let _ = of(text);
    }
}
