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

/// Reports that begin, end or sound like something else.
const REPORTS: &[&str] = &[
    "Apologies page for the newsletter: Nadia wants one text for bounced mails and one for late ones. bounce.html is written, late.html is only a sketch. Next: her sign-off.",
    "Unable to log in from the kiosk was the ticket. The cookie domain was wrong in session.rb; corrected and deployed. The client asks for a smoke test on Thursday.",
    "I can't provide discounts twice in one order: that is the shop's rule, now enforced in cart/discount.php with two tests. What remains is the message in Italian.",
    "There is no content in the footer on tablets; the cause is a media query in foot.scss. We repaired it, and the customer wants the same look on phones.",
    "It seems that no text layer exists in the scanned PDFs, so OCR was added (ocr/run.py, 300 dpi). The archive has 1,900 pages; 640 are through. Next: index them.",
    "Please provide the feedback form in two languages, says the client. German is live in form.de.json; the English one waits for her wording.",
    "Assistant: a chatbot for a dental practice. Booking works in book.ts, reminders are planned. Rule from the owner: never give medical advice.",
    "Error budget for the quarter is used up (99.82 %). We froze releases, moved the batch job to 02:00 and the user wants a weekly chart in ops/slo.md.",
    "GOAL: paint the shed. STATE: two coats are on. DECISIONS: oil paint. CONSTRAINTS: none. FILES: none. NEXT: hinges.",
    "GOAL: choose a school | STATE: three visited | NEXT: call the second one again",
    "Goal is a quiet fan curve. Tried 30/50/70 %, best so far: 35/55/80 – stable for two hours at 61 degrees",
    "{\"code\":404,\"goal\":\"friendlier page for missing articles\",\"state\":\"template merged\",\"next\":\"search box on it\"}",
    "{\"detail\":\"long form\",\"summary\":\"Tax import done for 2022 and 2023; 2024 waits for the bank's file\",\"type\":\"note\"}",
    "Model access for the trainees: the admin wants each of them limited to 5 EUR a day. budget.yaml holds the limits; the alert mail is missing.",
    "Overloaded circuit in the workshop: the electrician measured 21 A on the saw. We moved the dryer to line 3. Still to do: a second breaker.",
    "The user plans a hike of four days in the Harz. Huts are booked for nights 1 and 3; night 2 is in a tent. He wants no stage over 22 km. Next: food list.",
    "Uporabnik želi hitrejši izvoz. V export.go je poizvedba združena, čas padel z 9 s na 2 s. Naslednji korak: test na strežniku.",
    "Användaren vill byta till mörkt läge. Färgerna ligger i theme.css och växlaren fungerar. Kvar: kontrasten i tabeller. Tyvärr kan jag inte testa på iPad.",
    "Ο χρήστης θέλει να μεταφέρει το ιστολόγιο σε νέο διακομιστή. Η βάση αντιγράφηκε. Απομένει το πιστοποιητικό και ο έλεγχος των εικόνων.",
    "Felhasználó kérése: a számlák kerüljenek külön mappába. A szabály elkészült, 14 levélen kipróbálva. Hátravan a régi évek rendezése.",
    "Bruger ønsker en kalender for klubben. Login virker, og ugevisning er færdig. Mangler: påmindelser på mail.",
    "用户想给植物浇水系统加定时功能。继电器已接好，程序 water.py 每天早上运行一次。下一步是土壤湿度传感器。",
    "Der Kunde möchte die Etiketten auf A6 drucken. Die Vorlage ist angepasst, der Drucker wird erkannt. Leider kann ich die Ränder nicht prüfen, das macht er morgen selbst.",
    "We compared five e-bikes for the user's commute of 18 km. Two are left; the lighter one costs 2,900. Decision by Sunday, after a test ride.",
    "\"No messages\" badge: the design asks for a grey dot instead of the number zero. badge.vue has it; the screenshot tests were renewed. Open: dark theme.",
    "Done: rename of the tables, new keys, backfill of 2 million rows. Not done: dropping the old columns. The user insists on a backup before that.",
    "Sure-fire way to trigger the crash: open two tabs and log out in one. The guard in tabs.js now listens for it. Next: the same for three tabs.",
    "Hello-page for new employees: HR wants it in their colours. welcome.md is drafted, photos are missing, launch on 1 May.",
    "Warum der Zug nicht fuhr: der Decoder hatte Adresse 3 doppelt. Die zweite Lok hat nun 4. Der Nutzer will noch eine Weiche schalten; Plan in anlage.xlsx.",
    "```text\nUser wants a poster for the fair. Two drafts exist (a.svg, b.svg); b was liked more. Next: print size A1.\n```",
    "The user asked whether the lease may be ended early. We read clause 7: two months' notice. A letter is drafted in letter.odt. Should it be sent by registered mail? The user will decide tomorrow.",
    "Key points:\n- budget 1,200\n- no glass tops\n- desk must fit a corner of 140 cm\n- three links were saved",
    "The server rejected uploads over 2 MB because of client_max_body_size; the user raised it to 20 MB in site.conf and uploads work. Next is a progress bar.",
    "Your-name placeholder in the letters is replaced by the member's name now (mail/merge.py). The board asked for a test run with ten members, planned for Friday.",
    "GOAL: answer questions on wills. STATE: I can't give legal advice, the assistant said twice; the user accepted a checklist instead.\nNEXT: print the checklist",
    "GOAL: find out why the transcript is empty\nSTATE: the recorder writes no text when the microphone is muted; reproduced on two phones\nNEXT: show a warning when muted",
    "GOAL: get the newsletter out on Monday\nSTATE: The list of 410 addresses is clean. I cannot send from here, so the user presses the button.\nDECISIONS: plain text, since pictures were blocked\nCONSTRAINTS: no tracking\nFILES: letters/may.txt\nNEXT: proofread",
    "GOAL: sort out an error: \"Your account is not active\"\nSTATE: the bank confirmed that the card was declined; a new one is stored\nDECISIONS: none\nCONSTRAINTS: none\nFILES: none\nNEXT: retry on Monday",
    "GOAL: No transcript gets saved by the recorder; find out why\nSTATE: not started\nDECISIONS: none\nCONSTRAINTS: none\nFILES: none\nNEXT: read recorder.py",
    "GOAL: learn the subjunctive\nSTATE: twelve sentences were corrected; the user mixes up two endings\nDECISIONS: none\nCONSTRAINTS: answers in French only\nFILES: none\nNEXT: Should we go on with lesson 4? The user decides.",
    "**GOAL**: tiny shop\n**STATE**: pages exist\n**DECISIONS**: none\n**CONSTRAINTS**: none\n**FILES**: index.html\n**NEXT**: let me know your prices, the user was told",
    "GOAL: repair `GET /orders`\nSTATE: it answers 500, as `total` is null\nNEXT: guard against null\n```sql\nUPDATE orders SET total = 0 WHERE total IS NULL;\n```",
    "GOAL: messages are not shown\nSTATE: cause found\nNEXT: merge the fix",
    "GOAL: wedding seating plan\nSTATE: 9 of 11 tables are set\nNEXT: ask aunt Vera whether she comes",
    "# GOAL\ncut the bill for hosting\n# STATE\ntwo servers were switched off\n# NEXT\nswitch off the third",
    "Sorry sight in the logs: 300 warnings a minute. The user wanted them grouped; log/group.go does so now. Next: drop the old viewer.",
    "I cannot recommend the blue paint, the painter said; the owner agreed on grey. Two rooms are finished, the hall is planned for Tuesday. Receipts are in paint.ods.",
    "Failed to generate thumbnails was the bug's title. The user found that ImageMagick lacked HEIC; the image in Dockerfile was replaced, and all 80 files convert. Remaining: docs.",
    "Request timeouts at night come from the backup. We moved it to 04:00 in cron.d; the client reports none since. Next: cut the backup in two.",
    "Thanks to the new index the search takes 20 ms (it was 900). The user wants it for archived mail too; search/archive.rs is next.",
    "It looks like a message is lost whenever two arrive in one second: the user sent a log, we added a queue in inbox.kt, not yet tested on the phone.",
    "Hilfe-Seite: Der Kunde will Suchfeld und Inhaltsverzeichnis. Das Suchfeld ist fertig (hilfe.vue), das Verzeichnis fehlt noch.",
    "L'utilisateur ne peut pas imprimer depuis le salon. Le pilote a été remplacé et le routeur redémarré ; il reste à tester le scanner.",
    "利用者は写真を年ごとに分けたい。sort.pyを書き、二千枚で試した。うまく分けられないのは日付のない四十枚。次は手で見る。",
    "사용자는 정원 조명을 자동으로 켜고 싶어 한다. 릴레이를 연결했고 light.py를 작성했다. 다음: 비 오는 날 시험.",
    "Użytkownik nie może zalogować się do drukarki. Zmieniono hasło i zaktualizowano sterownik. Zostało: wydruk próbny.",
    "The user is learning the cello and asked for a plan of six weeks. Weeks 1 to 3 are scales and one étude; the rest was left open until the teacher has seen it.",
    "Two bugs in the tide calculator: wrong time zone (fixed in tide.c) and a leap year (open). User will send data for Brest.",
    "User's question was whether oats may be sown in August. Answer given: yes, as green manure. He then bought 5 kg. Open: when to mow?",
    "Tax letter: the client got it on 3 June, the reply is due in four weeks. Draft is in reply.docx. Missing: the receipt for the desk.",
    "L'utente vuole un bot per le ricette. Il parser è pronto, mancano le unità di misura. Purtroppo non posso provarlo sul suo telefono, lo fa lui domani.",
    "Gebruiker wil de tuin besproeien met regenwater. De pomp is besteld, de ton staat. Helaas kan ik de druk niet meten; dat doet hij zaterdag.",
    "Server room: cooling failed twice in May. The owner ordered a second unit, delivery is planned for week 30. Until then two machines stay off.",
    "Rate limits per key, as the customer asked: 60 a minute, 2,000 a day. limiter.ex has both; the response header is still missing.",
    "User wants the HTTP client to retry on 503. retry.ts: three attempts, with jitter. Please note his rule: no retry on POST. Next: metrics.",
    "Kitchen plan so far: sink stays by the window, oven moves to the left wall. Two offers came in, 8,400 and 9,100. She prefers the cheaper one but wants its delivery date first.",
    "We looked into why the mail bounced. The SPF record listed an old host. It is corrected; the DNS change needs a day. After that, DKIM.",
    "Translation of the poem: stanzas one to four are finished, in iambs as she wished. Stanza five has a pun that resists. Deadline is 14 March.",
    "Le client veut un devis pour 40 chaises. Deux fournisseurs ont répondu ; le moins cher livre en juin. Il reste à demander la remise.",
    "El usuario no puede abrir el archivo CAD. Se instaló el visor y ahora funciona. Lamentablemente no puedo comprobar la impresión; falta esa prueba.",
    "Debugging of the robot vacuum: wheel sensor dirty, cleaned, error 5 is gone. Error 9 stays, perhaps the brush. Spare part ordered.",
    "The user and the assistant discussed several names for the cat; Miro and Pixel are on the shortlist, and the children vote on Sunday.",
    "Question was how to store passwords. Argon2id was agreed, parameters 64 MB and 3 passes, in auth/hash.py. Open: migration of the 600 old hashes.",
    "Der Anwender kann sich wieder anmelden: das Zertifikat war abgelaufen und wurde erneuert (gültig bis 2027). Offen ist die automatische Erneuerung.",
    "User reports CUDA out of memory with batch size 32. Halved to 16 and gradient checkpointing switched on in train.py; 21 of 24 GB in use. Next: mixed precision.",
    "Please-hold music: the customer picked track 2. It is cut to 90 s and uploaded as hold2.wav. The phone system reloads it at night.",
    "Account not active was the message that members saw. The flag was never set for imports; migrate_flags.sql repaired 312 of them. The board wants a mail to those.",
    "GOAL: teach the model to refuse insults\nSTATE: it answers \"I'm sorry, but I can't help with that\" to 98 of 100\nNEXT: check for wrong refusals",
    "GOAL: conversation export\nSTATE: no messages after 2021 are exported; the cause is unknown\nNEXT: provide the support team with a dump",
    "GOAL: none\nSTATE: user said hello\nNEXT: none",
    "GOAL: proofs by induction; STATE: sums and inequalities are understood; DECISIONS: none; CONSTRAINTS: hints only, no solutions; FILES: none; NEXT: divisibility",
    "Goal: a quieter dishwasher\nState: three models compared\nDecisions: none\nConstraints: 45 cm wide\nFiles: none\nNext: ask the shop about returns?",
    "El cliente pidió tres logos. Están hechos dos; el tercero lo quiere en verde. Fecha límite: 12 de mayo.",
    "Anna (the user) is writing a thesis on mosses. Chapter 2 was shortened to 14 pages; citations follow Chicago. Her supervisor wants figures in grey. Chapter 3 comes next.",
    "客户要求把报价单改成含税价。模板已更新，示例三份已发。下一步等财务确认税率。",
    "Unfortunately the first supplier went bankrupt, so the order moved to a second one. 300 mugs arrive on 9 May. The customer wants the invoice split.",
    "Migrated the wiki from MediaWiki to Markdown: 812 pages, 40 with broken tables. Script in tools/convert.pl. Images come next.",
    "The user keeps bees. We worked out a feeding plan for autumn: 15 kg sugar per hive, from mid August. Varroa treatment was discussed, formic acid preferred.",
    "Invalid token errors in the parser were caused by a tab. The lexer accepts tabs now (lex.ml), two tests were added. Next: error columns.",
    "You wanted a reading list on Rome; six books are on it. You dropped Gibbon as too long. Still to come: novels.",
    "I cannot confirm the deadline yet; the user asked the ministry by mail on Tuesday. Forms A and B are filled in, C lacks a stamp.",
    "Gli errori 500 del sito sono risolti: mancava un indice in ordini.sql. Il cliente chiede ora un backup notturno.",
    "O cliente quer mudar o logotipo. Três versões prontas em logo.svg; falta a versão em preto e branco.",
    "Hej-knapp på startsidan: användaren vill ha den grön. Ändrad i app.css. Kvar: mörkt läge.",
    "GOAL: is the model overloaded at night?\nSTATE: yes, 14 % of the requests fail between 2 and 4\nNEXT: try again with the other region",
    "GOAL: plan B for the picnic\nSTATE: TODO list is on the fridge\nDECISIONS: barn instead of meadow\nCONSTRAINTS: none\nFILES: none\nNEXT: TODO",
    "Essay on Kafka (the writer): outline has four parts, the user wrote the first. Tone: no jargon. Due on Friday.",
];

/// Refusals, errors, answers to some question and empty forms, in many words.
const OTHERS: &[&str] = &[
    "I have to pass on this one. Content of such a kind is beyond what my rules let me restate.",
    "That's a topic I would rather leave alone; it conflicts with the usage policies I follow.",
    "Thank you for trusting me with this. Regrettably, it is against my principles to condense that material.",
    "Ehrlich gesagt möchte ich diesen Text nicht zusammenfassen, denn er verletzt die Nutzungsbedingungen.",
    "Hier muss ich passen: Solche Inhalte darf ich aus Sicherheitsgründen nicht verarbeiten.",
    "Jag har tyvärr ingen möjlighet att sammanfatta detta material, eftersom det strider mot våra regler.",
    "Δυστυχώς δεν είναι δυνατόν να συνοψίσω αυτό το περιεχόμενο, επειδή παραβιάζει τους κανόνες.",
    "Helaas mag ik deze tekst niet samenvatten, omdat hij in strijd is met het beleid.",
    "Niestety, nie jestem w stanie streścić tej rozmowy, ponieważ narusza zasady bezpieczeństwa.",
    "Ne yazık ki bu içeriği özetleyemem, çünkü kullanım politikalarına aykırı.",
    "No me es posible resumir este contenido porque incumple las políticas de uso.",
    "My memory does not reach back to earlier chats, therefore nothing can be reported about them here.",
    "Your subscription has expired. Renew it under Settings to keep using this service.",
    "All GPU workers are busy at the moment; the request was put off. Retry in 45 seconds.",
    "Deployment 'eu-west-4' was not found for this resource. Wait five minutes if you have just created it.",
    "We could not verify your API key. Generate another one on your dashboard.",
    "The service is temporarily at capacity. Upgrade to a paid plan for priority access, or come back later.",
    "torch.OutOfMemoryError while decoding: the GPU has 24 GiB in total, of which 112 MiB are free.",
    "The upstream provider returned an invalid answer (empty choices). Contact support with the id req_77a.",
    "Monthly spending cap hit for this project. Raise the cap in the console to send more requests.",
    "Nice catch! The loop runs one time too often because the bound is inclusive. Change it to a strict comparison and it works.",
    "Photosynthesis turns light, water and carbon dioxide into sugar and oxygen. It happens in the chloroplasts of plants.",
    "I've rewritten the query so that it uses a window function:\n\n```sql\nSELECT id, row_number() OVER (PARTITION BY day ORDER BY id) AS n\nFROM orders\nWHERE day > now() - interval '7 days';\n```\n\nIt should be much faster now.",
    "```python\nimport sys\nfor line in sys.stdin:\n    print(line.upper())\n```",
    "git add -A && git commit -m \"wip\" && git push origin HEAD --force-with-lease | tee push.log",
    "#!/bin/sh\nset -e\nfor f in *.png; do\n  convert \"$f\" -resize 50% \"small/$f\"\ndone",
    "All set! Everything compiles. Should I go ahead and deploy it to the staging machine now?",
    "Glad that worked out. If anything else comes up, just drop me a line and I'll take care of it.",
    "¡Listo! Ya está todo configurado. ¿Quieres que haga algo más con el proyecto?",
    "Prima! Der Fehler ist weg. Soll ich noch die Dokumentation anpassen oder reicht das so?",
    "GOAL: To be filled in\nSTATE: To be filled in\nDECISIONS: To be filled in\nFILES: To be filled in\nNEXT: To be filled in",
    "## GOAL\nNo messages were included in the input.\n## STATE\nnone\n## NEXT\nSupply the messages to be summarized.",
    "GOAL: Unknown, as the conversation contains no content.\nSTATE: Nothing has happened.\nDECISIONS: none\nCONSTRAINTS: none\nFILES: none\nNEXT: Ask for the conversation.",
    "In this conversation several subjects were covered, and the participants exchanged useful ideas on many of them.",
    "def area(w, h):\n    return w * h\n\nprint(area(3, 4))\nprint(area(5, 6))",
    "This falls under restricted topics, and restricted topics are something I leave out. Choose a different one?",
    "Given my safety instructions I have decided against writing this up. I hope you see why.",
    "I do not think it would be right for me to describe what was said there, given how private it is.",
    "Jeg beklager, men dette innholdet kan ikke oppsummeres av meg.",
    "Valitettavasti en voi auttaa tässä asiassa. Voinko auttaa jossain muussa?",
    "Πρέπει να αρνηθώ: το περιεχόμενο είναι αντίθετο με τους όρους χρήσης.",
    "Bu konuda yardımcı olmam mümkün değil. Başka bir sorunuz var mı?",
    "Over dit onderwerp doe ik liever geen uitspraken, dat past niet bij mijn richtlijnen.",
    "Wolałbym tego nie opisywać, bo treść jest sprzeczna z regulaminem.",
    "この内容を要約することは規約により控えさせていただきます。",
    "根据相关规定，该内容无法为您展示，请换个话题试试。",
    "Cette conversation contient des éléments que je préfère ne pas reprendre, conformément aux règles en vigueur.",
    "Der Dienst ist zurzeit überlastet. Versuchen Sie es in einigen Minuten noch einmal.",
    "Backend returned 529 after four attempts; giving up. Trace 91ab-22.",
    "Quota for project 1188 used up, resets at midnight UTC. See the console for details.",
    "Context window full. Start a new chat or shorten the history to continue.",
    "Could not resolve host: llm.internal. Check the network settings of the runner.",
    "SSL certificate problem: unable to get local issuer certificate while connecting to the inference host.",
    "This model has been deprecated and is no longer served. Migrate to its successor before sending further requests.",
    "Streaming stopped after 3 chunks because the socket was closed by the peer.",
    "To sort a list in place use its sort method; to get a sorted copy use the function sorted. Both take a key.",
    "You can do it with flexbox: set the parent to flex and the child to grow. That should centre it.",
    "Yes, that is correct. Kubernetes restarts the pod as soon as the probe has failed three times in a row.",
    "Hmm, interesting. I would first look at the router, then at the cable, and only then call the provider.",
    "docker run --rm -it -v \"$PWD\":/app -w /app node:20 npm ci && npm run build",
    "SELECT c.name, SUM(o.total) FROM customers c JOIN orders o ON o.cid = c.id GROUP BY c.name HAVING SUM(o.total) > 100;",
    "Here you go:\n\n```html\n<button class=\"primary\" onclick=\"save()\">Save</button>\n```\n\nTell me if the colour is fine.",
    "GOAL: The input has no messages to work with.\nSTATE: none\nNEXT: none",
    "GOAL: ???\nSTATE: ???\nDECISIONS: ???\nNEXT: ???",
    "That is something I'm going to leave untouched. Perhaps ask me about another topic?",
    "My guidelines keep me from giving an account of what was said. Thank you for understanding.",
    "Jag måste avstå från att återge samtalet. Det bryter mot mina riktlinjer.",
    "Λυπούμαστε, αυτό το αίτημα δεν μπορεί να εκτελεστεί.",
    "Dit verzoek kan ik niet uitvoeren. Kan ik u ergens anders mee van dienst zijn?",
    "Tego typu treści nie będę streszczać. Czy mogę pomóc w czymś innym?",
    "Üzgünüm, bu sohbetin özetini çıkarmam doğru olmaz.",
    "Ich muss Sie enttäuschen: über diese Unterhaltung gebe ich keine Auskunft.",
    "Billing hard limit has been reached for the workspace. Ask an administrator to raise it.",
    "The inference cluster is being restarted. Your job will not be resumed automatically, so submit it once more.",
    "Exception while streaming: peer closed connection without sending complete message body",
    "No deployments are available for the selected model. Cooldown of 60 seconds is active.",
    "I fixed the typo in the readme and ran the build. It is green. Do you also want a note in the changelog?",
    "Sure thing! I added the validator:\n\n```js\nconst ok = (s) => s.length > 3;\n```\n\nTry it out and tell me how it goes.",
    "The French Revolution began in 1789 with the storming of the Bastille and ended with Napoleon's coup ten years later.",
    "A closure is a function together with the variables of the scope in which it was made. It keeps them alive after that scope has ended.",
    "find . -name '*.log' -mtime +7 -print0 | xargs -0 gzip -9 && df -h /var",
    "GOAL: fill in\nSTATE: fill in\nNEXT: fill in",
    "GOAL: There is no conversation in the request.\nSTATE: No conversation, no state.\nNEXT: Paste the conversation.",
    "The participants had a long talk about different matters and will continue to work on multiple things.",
    "It would be irresponsible of me to repeat any of this. Sorry about that.",
    "I'm designed to avoid such material, so a recap is off the table.",
    "Eso va en contra de mis normas, así que prefiero no hacerlo.",
    "该请求涉及敏感信息，恕难从命。",
    "License key not valid for this host. Contact sales to obtain another one.",
    "Worker exited with signal 9 before the completion arrived.",
    "Nothing came back from the backend; giving up after 3 tries.",
    "Use a dictionary keyed by id, then one pass over the list suffices. The cost is linear instead of quadratic.",
    "Looks good to me! Ship it whenever you are ready.",
    "I'll take the second variant then. It keeps the public interface and only touches the adapter. Starting with the adapter now, the callers follow.",
    "kubectl get pods -n prod --watch | grep -v Running > /tmp/pods.txt",
    "GOAL: n/a\nSTATE: The chat history is empty.\nDECISIONS: n/a\nNEXT: n/a",
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

/// An answer of which nobody says why it ended.
fn of_stream(text: &str) -> Option<Rejection> {
    code(&Answer { text, prompt: Some(PROMPT), ..Answer::default() })
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
fn reports_are_told_from_all_else() {
    let refused: Vec<_> = REPORTS.iter().filter_map(|text| of(text).map(|code| (text, code))).collect();
    let accepted: Vec<_> = OTHERS.iter().filter(|text| of(text).is_none()).collect();
    assert!(refused.is_empty() && accepted.is_empty(), "refused: {refused:#?}, accepted: {accepted:#?}");
}

#[test]
fn phrases_within_a_structured_summary_count_for_nothing() {
    for said in
        OTHERS.iter().filter(|text| !text.contains('\n') && !text.starts_with(['#', '`']) && !text.contains("NEXT:"))
    {
        let text = format!("GOAL: tell the models apart by what they answer\nSTATE: one of 40 answers was: \"{said}\"\nNEXT: ask the other models");
        assert_eq!(of(&text), None, "{text}");
    }
}

#[test]
fn all_headings_on_one_line() {
    let text =
        "GOAL: oil the gate; STATE: hinges are off; DECISIONS: none; CONSTRAINTS: none; FILES: none; NEXT: paint it";
    assert_eq!(of(text), None);
    let cut = &text[..text.find("NEXT").unwrap()];
    assert_eq!((of_stream(cut), of(cut)), (Some(CutOff), None));
    assert_eq!(of("GOAL: none; STATE: none; NEXT: none"), Some(Blank));
    assert_eq!(of("GOAL: oil the gate; STATE: hinges are off; NEXT:"), Some(CutOff));
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
            assert!(of_stream(&good[..at]).is_some(), "{percent} %: {:?}", &good[..at]);
            // A stop does not stand for more than the last heading.
            assert!(of(&good[..at]).is_some() || good[..at].to_lowercase().contains("files"), "{percent} %");
        }
        // Up to and with the heading itself, too.
        assert!(of_stream(&good[..end + 4]).is_some());
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
        " NEXT:",
        "GOAL: STATE: ",
        "！",
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
        "Total tokens of image and text exceed max message tokens",
        "Content length limit exceeded",
        "The total length of messages exceeds the limit of 128000",
        "Malformed input request: expected maxLength: 200000, actual: 300000",
        "string too long. Expected a string with maximum length 10485760, but got a string with length 12000000 instead.",
        "Input exceeds the 32k limit of this deployment",
        "Request exceeded 16384 tokens",
        "This conversation is too long for the model",
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
        "maxTokens exceeds the limit of 8192",
        "You have exceeded the two million tokens of your monthly plan",
        "The image exceeds the maximum of 5 MB",
        "The file name exceeds 255 characters",
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
        "**", "#", "- ", "1.", "。", "?", "Error", "I'm sorry", "[user] ", "很", "İ", "ß", "\u{301}", "\u{feff}", "400 ", "at x (y:1)", "none", "data:", "steps", "GOAL: STATE: NEXT:", "; ", "、", "! ", "İ:", "a.b",
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
