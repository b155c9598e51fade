//! How answers begin that are no summaries. All in lower case, with straight apostrophes; compared with the start of a text
//! that was brought to the same form. Only starts, but for the tables that are looked for anywhere in a short text: inside a
//! summary every one of them may be quoted.

/// What stands under a heading that has nothing.
pub(super) const NOTHING: &str = "\
    none|nothing|n/a|na|nil|null|undefined|empty|unknown|not applicable|none yet|nothing yet|none so far|\
    none stated|none specified|no files|not specified|tbd|todo|to do|object object|keine|keiner|nichts|kein|\
    entfällt|ninguno|ninguna|nada|aucun|aucune|rien|néant|nessuno|nessuna|niente|nenhum|nenhuma|geen|brak|нет|\
    ничего|无|没有|無|なし|特になし|없음|لا شيء|لا يوجد|yok";

/// Starts of apologies, which no summary begins with.
pub(super) const APOLOGIES: &str = "\
    sorry|i'm sorry|i am sorry|i'm really sorry|i'm very sorry|i apologize|i apologise|my apologies|apologies|\
    unfortunately, i |unfortunately i |i regret|es tut mir leid|tut mir leid|entschuldigung|leider kann ich|\
    leider bin ich|leider ist es mir|lo siento|lo lamento|disculpa|me disculpo|lamentablemente, no puedo|\
    lamentablemente no puedo|désolé|je suis désolé|je m'excuse|malheureusement, je|malheureusement je|mi dispiace|\
    spiacente|sono spiacente|purtroppo non posso|desculpe|sinto muito|lamento|infelizmente, não posso|\
    infelizmente não posso|het spijt me|sorry, maar|helaas kan ik|przepraszam|przykro mi|niestety nie mogę|извините|\
    простите|к сожалению, я|мне жаль|抱歉|很抱歉|对不起|對不起|申し訳|すみません|죄송|عذرا";

/// More of them, in languages that are rarer in the data.
pub(super) const MORE_APOLOGIES: &str = "\
    عذرًا|آسف|أعتذر|मुझे खेद|मुझे क्षमा|क्षमा करें|maaf|üzgünüm|xin lỗi|ขออภัย|вибачте|ごめんなさい";

/// How a refusal begins that does not apologize: what cannot or will not be done, up to the verb.
pub(super) const UNABLE: &str = "\
    i can't |i cannot |i can not |i'm unable to |i am unable to |i'm not able to |i am not able to |\
    i won't be able to |i won't |i will not |i am not allowed to |i'm not allowed to |i am not permitted to |\
    i'm not permitted to |i'm afraid i can't ";

/// The verbs that make it a refusal: "I can't reproduce the bug" may well begin a summary.
pub(super) const UNABLE_VERBS: &str = "\
    help|assist|provide|summarize|summarise|comply|fulfill|fulfil|do that|do this|continue with|share|create|\
    generate|discuss|engage|support|produce|complete|answer|respond|participate|process|carry out";

/// Starts that soften what comes behind a comma.
pub(super) const LEADS: &str = "i appreciate|while i |although i |as much as i|i see that you|hmm|well,";

/// Whole starts of refusals.
pub(super) const REFUSALS: &str = "\
    ich kann bei dieser|ich kann ihnen bei|ich kann dir bei|no puedo asistir|このリクエストには|このご依頼|ご依頼には|そのリクエスト|as an ai|\
    as a language model|as a large language model|i'm just an ai|i am just an ai|i must decline|i have to decline|\
    i need to decline|i decline to|i'm going to have to decline|i'd rather not|i don't feel comfortable|\
    i'm not comfortable|this request violates|this content violates|your request was flagged|\
    your request has been flagged|the response was filtered|the response was blocked|content blocked|\
    this request has been blocked|your request was rejected|i'm not going to|no, i can't|no, i won't|\
    that's not something i can|ich kann dir dabei nicht|ich kann ihnen dabei nicht|ich kann dabei nicht|\
    ich kann diese anfrage nicht|ich kann das nicht|ich darf dabei|ich darf diese|als ki-|als ki |als sprachmodell|\
    ich bin nicht in der lage|no puedo ayudar|no puedo proporcionar|no puedo cumplir|no puedo resumir|\
    como modelo de lenguaje|como ia|je ne peux pas|je ne suis pas en mesure|en tant qu'ia|en tant que modèle|\
    non posso aiutar|non posso fornire|não posso ajudar|não posso fornecer|não consigo ajudar|ik kan je daar|\
    ik kan u daar|ik kan hier niet|nie mogę pomóc|я не могу|как языковая модель|我无法|我不能|我無法|作为一个ai|作为ai|作为一个人工智能|\
    お手伝いできません|お応えできません|その要求には|도와드릴 수 없|لا أستطيع|لا يمكنني";

/// More of them.
pub(super) const MORE_REFUSALS: &str = "\
    ご要望にはお応え|ご要望にお応え|ご依頼にはお応え|aiとして|ai言語モデル|私はai|저는 도와|해당 요청|मैं इसमें|मैं इस अनुरोध|yardımcı olamam|bu isteğe|\
    saya tidak bisa|tôi không thể";

/// Starts of answers by a model that saw no conversation.
pub(super) const NO_CONVERSATION: &str = "\
    there is no transcript|there's no transcript|there is no conversation|there's no conversation|\
    there is nothing to summarize|there's nothing to summarize|there is no content|there is no text|no transcript|\
    no conversation|no content was provided|no content provided|no text was provided|no messages to|\
    no messages were provided|nothing to summarize|nothing to summarise|i don't see a |i don't see any|\
    i do not see a|i don't have access to|i do not have access to|i don't have a transcript|i don't have any|\
    i do not have any|i can't see any|i cannot see any|i haven't received|i didn't receive|you haven't provided|\
    you haven't shared|you didn't provide|you did not provide|you have not provided|please provide the|\
    please provide a|please provide me|please share the|please paste|please send|please supply|\
    could you please provide|could you provide|could you please share|could you share|could you paste|\
    can you provide|can you share|to summarize the conversation, i need|the transcript is empty|\
    the transcript is missing|the transcript appears to be|the transcript seems to be|the transcript you|\
    the conversation is empty|the provided transcript is empty|the transcript was not|the conversation you|\
    your message appears to be empty|your message is empty|the message is empty|i'm ready to summarize|\
    i am ready to summarize|i'm ready to help|i'd be happy to";

/// The same in other languages.
pub(super) const NO_CONVERSATION_ELSEWHERE: &str = "\
    bitte stellen sie|bitte stelle mir|bitte geben sie mir|bitte gib mir|bitte senden sie|bitte füge|\
    bitte fügen sie|es wurde kein|es gibt kein transkript|es gibt keine unterhaltung|kein transkript|ich sehe kein|\
    por favor, proporcion|por favor proporcion|por favor, comparte|no hay ninguna conversación|\
    no hay ninguna transcripción|no se proporcionó|no veo ninguna|veuillez fournir|veuillez partager|\
    merci de fournir|il n'y a pas de transcription|il n'y a aucune conversation|il n'y a aucune transcription|\
    aucune transcription|aucune conversation|je ne vois pas|per favore, fornisci|si prega di fornire|\
    non c'è nessuna|por favor, forneça|por favor forneça|não há nenhuma|geef me|пожалуйста, предоставьте|\
    нет стенограммы|请提供|請提供|没有提供|您没有提供|会話を提供|会話の内容を|대화 내용을|يرجى تقديم";

/// First words of the guess that something is missing; what is missing is looked for behind them.
pub(super) const SEEMS: &str = "it looks like|it seems|it appears|looks like|seems like";

/// What a model misses, and how it says so.
pub(super) const MISSED: &str = "transcript|conversation|chat|message|text|content";
pub(super) const MISSING: &str = " empty| missing| no |didn't|did not|wasn't|was not|haven't|cut off";

/// Starts of errors that a program put in the place of the answer; something that ends the phrase has to follow, so that
/// "Rate limit exceeded errors were fixed by …" is none.
pub(super) const ERRORS: &str = "\
    error|fatal error|fatal|internal error|unknown error|unexpected error|network error|api error|server error|\
    request error|provider error|connection error|an error occurred|an unexpected error occurred|\
    an internal error occurred|an unknown error occurred|there was an error|something went wrong|oops|\
    internal server error|service unavailable|service temporarily unavailable|the service is|bad gateway|\
    gateway timeout|gateway time-out|rate limit|rate limit exceeded|rate limit reached|rate limited|\
    rate limit error|you have been rate limited|you've been rate limited|too many requests|upstream connect error|\
    upstream request timeout|upstream error|proxy error|no healthy upstream|request timed out|the request timed out|\
    operation timed out|connection timed out|timed out|timeout|connection refused|connection reset|\
    connection closed|connect econnrefused|econnrefused|econnreset|etimedout|socket hang up|fetch failed|\
    failed to fetch|overloaded|overloaded_error|rate_limit_error|rate_limit_exceeded|quota exceeded|\
    you exceeded your current quota|resource exhausted|resource has been exhausted|insufficient credits|\
    insufficient_quota|incorrect api key provided|invalid api key|unauthorized|forbidden|access denied|not found|\
    bad request|invalid request|invalid_request_error|model not found|stream error|unhandled exception|\
    uncaught exception|segmentation fault|no response";

/// Starts of errors that need nothing behind them.
pub(super) const PLAIN_ERRORS: &str = "\
    your credit balance|request failed|the request failed|execution failed|claude ai usage limit|\
    you have reached your|you've reached your|you've hit your|you have exceeded|no endpoints found|\
    provider returned error|cannot read propert|please log in|the model produced no|the model returned no|\
    no response requested|request was aborted|the request was aborted|llm call failed|api call failed|http error|\
    http status|summarization failed|error generating|error while generating|error creating|error calling|\
    error during|error communicating|error code:|error processing|error summarizing|error from|failed to generate|\
    failed to summarize|failed to summarise|failed to create summary|failed to create a summary|\
    failed to get a response|failed to call|failed after |summary generation failed|summary failed|\
    unable to generate summary|unable to generate a summary|could not generate|could not summarize|\
    the server is overloaded|the server is currently overloaded|the server had an error|\
    the engine is currently overloaded|the model is overloaded|the model is currently overloaded|\
    this model's maximum context length|prompt is too long|input is too long|the input token count|\
    traceback (most recent call last)|upstream connect error|[object object]";

/// The same in other languages.
pub(super) const ERRORS_ELSEWHERE: &str = "\
    fehler:|fehler beim|ein fehler ist|es ist ein fehler|error al |se produjo un error|erreur :|erreur:|\
    une erreur est survenue|une erreur s'est produite|错误：|发生错误|エラーが発生|ошибка:";

/// Whom a report tells about; anywhere.
pub(super) const ACTORS: &str = "user| she | he |customer|client|owner|nutzer|anwender|kunde|usuari|usuári|cliente|utilisat|utente|\
    utilizador|utilizator|gebruiker|klant|användar|bruger|bruker|käyttäjä|użytkownik|klient|uživatel|uporabnik|felhasznál|\
    kullanıcı|müşteri|χρήστη|πελάτη|пользовател|клиент|користувач|用户|用戶|客户|ユーザー|利用者|사용자|고객|مستخدم|العميل|משתמש|\
    उपयोगकर्ता|pengguna|người dùng|ผู้ใช้|کاربر|صارف|korisnik|používate|потребител|\
    ব্যবহারকারী|பயனர்|naudotoj|lietotāj|kasutaj";

/// What a report says was done, found or planned; anywhere.
pub(super) const OUTCOMES: &str = " fixed| added| changed| moved| replaced| removed| renamed| renewed| implemented| written| wrote|\
    drafted| corrected| repaired| booked| bought| decided| agreed| measured| deployed| merged| tested| tried| planned| wants |\
    wants:| enforced| exported| processed| next:| next is| next step| still | remain| finished| ordered| so far| tests pass|open:|to do:| leaning|\
    erledigt| behoben| angepasst|es fehlt| offen|nächster schritt|als nächstes| falta| hecho| añadi| siguiente| próxim|\
    cambi| reste | fait | ajout| prochain| fatto| aggiunt| mancan| kvar| klar| besteld| nog te| återstår| mangler| færdig| zostało| dodano|\
    gotow| kalan| eklendi| απομένει| осталось| сделан| добавл|已|还要|下一步|完成|残り|次は|追加し|다음|추가|تم |بقي|נשאר|बाकी|เหลือ|ขั้นตอนต่อไป";

/// First persons that cannot, may not or will not; anywhere.
pub(super) const CANNOT: &str = "i can't|i cannot|i can not|i am unable|i'm unable|i am not able|i'm not able|i won't|\
    i will not|i must not|i may not|i shouldn't|i should not|i have no |i have to pass|i'd rather|i would rather|i'd prefer not|\
    i need to stop|not something i|decided against|outside of what i|beyond what |my principles|my memory|ich kann|kann ich|ich darf|darf ich|\
    möchte ich|ich möchte|muss ich|jag kan|kan jag|jag har|får jag|jeg kan|kan jeg|ik kan|kan ik|mag ik|ik mag|nie mogę|\
    nie jestem|nemohu|nemůžu|amam|emem|amıyor|emiyor|δεν μπορώ|δεν είναι δυνατ|δεν επιτρέπ|no puedo|no podemos|no me es|não posso|\
    não consigo|non posso|non sono in grado|je ne peux|je ne suis|je ne puis|я не могу|не могу|не можу|nem tud|nu pot|nu te pot|\
    nu vă pot|לא יכול|لا أستطيع|لا يمكنني|नहीं कर|できません|かねます|我无法|我不能|我無法|수 없습니다|tidak bisa|tidak dapat|không thể|ไม่สามารถ";

/// Why they cannot, what they regret, or what they were asked for: with the former it makes a refusal; anywhere.
pub(super) const WHY_NOT: &str = "guideline|polic|permitted|allowed|harm|unsafe|inappropriate|principles|rules|restat|summar|\
    condens|zusammenfass|sammanfatt|samenvatt|streści|özetle|συνοψ|resum|résum|riassum|richtlini|bedingungen|riktlinj|regler|\
    beleid|zasad|wytyczn|politik|kural|κανόν|πολιτικ|polític|directric|diretriz|linee guida|правил|политик|earlier|leider|\
    tyvärr|desværre|dessverre|helaas|niestety|bohužel|maalesef|ne yazık|δυστυχώς|λυπάμαι|lamenta|desafortunad|infelizmente|\
    purtroppo|malheureusement|к сожалению|на жаль|sajn|rău|מצטער|آسف|खेद|maaf|rất tiếc|ขออภัย|申し訳|残念|抱歉|遗憾|죄송|help|\
    assist|hilf|helf|hjälp|hjelp|hjælp|pomóc|pomoc|yardım|βοηθ|ayud|ajud|aiut|aider|помо|допомо|segít|ajuta|לעזור|مساعد|मदद|\
    手伝|协助|帮助|도와|membantu|giúp|ช่วย";

/// What a service complains about; anywhere.
pub(super) const FAULTS: &str = "overloaded|high demand|at capacity|busy|unavailable|not available|not active|not exist|not found|\
    not have access|not supported|insufficient|out of memory|exceeded|expired|too large|too long|too many|error|failed|reached|\
    could not be|could not verify|invalid|denied|rejected|timed out|rate limit| cap hit|disabled|suspended";

/// Whose complaints they are; anywhere.
pub(super) const SERVICES: &str =
    "account|billing|balance|credit|subscription|api|model|server|service|engine|provider|endpoint|\
    request|gpu|cuda|gib |token|quota|region|organization|deployment|response|spending|http|organisation|workspace";

/// What only the caller of a service is told; anywhere.
pub(super) const ADVICE: &str =
    "try again|retry|please|contact|your |you |https://|wait |upgrade|top up|raise the|increase ";

/// Last words to somebody who is expected to answer.
pub(super) const OFFERS: &str = "let me know|feel free|happy to |glad to |i hope |would you like|do you want|\
    shall i|should i|want me to|anything else|sag mir|gib bescheid|soll ich|möchtest du|möchten sie|avísame|quieres que|\
    dites-moi|dis-moi|n'hésite|souhaitez-vous|fammi sapere|vuoi che|me avise|quer que|laat me weten|wil je dat|daj znać|\
    дайте знать|хотите|告诉我|需要我|お知らせください|알려";

/// Words of those who say that there was much, and not what.
pub(super) const VAGUE: &str =
    " various| several| a number of| different| multiple| verschieden| divers| varios| vários| vari |\
    różn| различн|各种|さまざま|여러";

/// What a model without a conversation says or asks for under the headings.
pub(super) const ASKS: &str =
    " no |n't| not | empty| missing| nothing|ask for|provide|supply|share|paste|send|await|wait for|unknown";

/// Words of a text that tells about an error instead of being one.
pub(super) const STORY: &str = "fixed|resolved|was traced|were traced|the user wants|the user asked|next:|next step";

/// What may follow a phrase of [`ERRORS`] as part of the error.
pub(super) const ERROR_GOES_ON: &str = "\
     for | after | while | when | from | by | to | during | please | try | in organization| (";

/// Reason phrases behind HTTP status numbers.
pub(super) const REASONS: &str = "\
    bad request|unauthorized|payment required|forbidden|not found|method not allowed|request timeout|conflict|gone|\
    payload too large|request entity too large|unprocessable entity|unprocessable content|too many requests|\
    internal server error|not implemented|bad gateway|service unavailable|gateway timeout|gateway time-out|\
    status code|overloaded";

/// Starts of greetings and acknowledgements.
pub(super) const COURTESIES: &str = "\
    sure|of course|certainly|absolutely|okay|ok|alright|all right|got it|understood|noted|hello|hi|hey|thanks|\
    thank you|great|perfect|done|yes|no problem|you're welcome|here is|here's|here you go|below is|happy to help|\
    as requested|summary|conversation summary|the following is|good morning|welcome|how can i help|how may i|\
    great question|sounds good|acknowledged|i understand|will do|natürlich|gerne|gern|hallo|verstanden|hier ist|\
    zusammenfassung|selbstverständlich|claro|por supuesto|hola|entendido|aquí está|aquí tienes|resumen|bien sûr|\
    bonjour|voici|d'accord|compris|résumé|certo|ecco|ciao|com certeza|aqui está|natuurlijk|конечно|вот|понял|好的|当然|\
    以下是|你好|明白|了解|承知|はい|以下|네";

/// Names of speakers and of kinds of entries, with which an answer goes on with the conversation.
pub(super) const SPEAKERS: &str = "assistant:|human:|tool call:|tool_call:|function call:|calling tool";

/// Starts of an answer that goes on with the work instead of summing it up.
pub(super) const GOING_ON: &str = "\
    let me |i'll |i will |i'm going to |now let me|now i'll|now i will|okay, let me|ok, let me|sure, let me|\
    next, i'll|next i'll|first, i'll|first, let me|ich werde |lass mich|voy a |je vais |让我|我来";

/// Calls of tools as models write them in text, at the start of a line.
pub(super) const CALLS: &[&str] = &[
    "<|im_start|>",
    "<|start_header_id|>",
    "<|assistant|>",
    "<function_calls>",
    "<tool_call>",
    "<tool_calls>",
    "<tool_use>",
    "<invoke ",
    "<function=",
    "<function_call>",
    "<|tool_call",
    "<|tool_calls",
    "<|python_tag|>",
    "<｜tool",
    "<|channel|>commentary",
    "[tool_calls]",
    "[tool_call]",
    "```tool_code",
    "```tool_call",
    "```tool_use",
    "<tool_code>",
    "<execute_command>",
    "<read_file>",
    "<write_to_file>",
    "<ask_followup_question>",
];

/// Words that end no sentence. None of them is also a name of a choice ("plan a") or part of a verb ("log in").
pub(super) const UNFINISHED: &str = "\
    the|an|of|and|or|with|into|which|because|their|its|than|whether|using|via|und|oder|der|den|dem|des|eine|einen|\
    einem|einer|mit|für|el|los|las|del|una|para|con|les|et|pour|avec|dans|il|gli|и|для|что";
