//! The balanced estimate: invented texts beside their counts by o200k_base, any bytes at all, images and what poses as some.

use plica::formats::Format;
use plica::json::Tape;
use plica::tokens::media::{size, Images, FLAT};
use plica::tokens::Estimator::{self, Balanced};
use proptest::prelude::*;

/// Kind, tokens by o200k_base, tokens by the estimate, text.
#[rustfmt::skip]
const TEXTS: &[(&str, u64, u64, &str)] = &[
    ("English", 53, 57, "The gardener walked along the beds before sunrise, checking each seedling for frost damage. Most of the kale had survived the night, although two rows near the fence looked rather tired. She decided to cover them again in the evening and to water everything else as usual."),
    ("TypeScript", 78, 77, "export async function waterBeds(beds: Bed[], options: WaterOptions = {}): Promise<number> {\n  const dry = beds.filter((bed) => bed.moisture < (options.threshold ?? 0.3));\n  for (const bed of dry) {\n    await pump.open(bed.valveId, { seconds: 30 });\n  }\n  return dry.length;\n}\n"),
    ("Rust", 88, 84, "impl Garden {\n    /// Beds that need water, the driest first.\n    pub fn thirsty(&self, limit: f32) -> Vec<&Bed> {\n        let mut beds: Vec<&Bed> = self.beds.iter().filter(|bed| bed.moisture < limit).collect();\n        beds.sort_by(|a, b| a.moisture.total_cmp(&b.moisture));\n        beds\n    }\n}\n"),
    ("JSON", 89, 86, "{\"beds\":[{\"id\":17,\"name\":\"north\",\"crop\":\"kale\",\"moisture\":0.42,\"lastWatered\":\"2031-04-02T06:30:00Z\",\"tags\":[\"frost\",\"cover\"]},{\"id\":18,\"name\":\"south\",\"crop\":\"beans\",\"moisture\":0.17,\"lastWatered\":null,\"tags\":[]}],\"total\":2,\"next\":false}"),
    ("Chinese", 79, 70, "园丁在日出之前沿着菜地走了一圈，检查每一株幼苗有没有被霜冻伤。大部分羽衣甘蓝都熬过了这个夜晚，只有靠近篱笆的两行看起来有些萎蔫。她决定晚上再把它们盖起来，其余的照常浇水。"),
    ("Japanese", 94, 88, "庭師は日の出前に畑を歩き、霜の被害がないか苗を一つずつ確認しました。ケールのほとんどは夜を越えましたが、柵の近くの二列は少し元気がないように見えました。夕方にもう一度覆いをかけて、残りはいつも通り水をやることにしました。"),
    ("Korean", 84, 75, "정원사는 해가 뜨기 전에 밭을 따라 걸으며 모종이 서리 피해를 입지 않았는지 하나씩 확인했습니다. 케일은 대부분 밤을 견뎠지만 울타리 근처의 두 줄은 조금 시들어 보였습니다. 그녀는 저녁에 다시 덮어 주고 나머지는 평소처럼 물을 주기로 했습니다."),
    ("Russian", 71, 67, "Садовница прошла вдоль грядок ещё до рассвета и проверила, не повредил ли мороз рассаду. Почти вся капуста пережила ночь, хотя два ряда у забора выглядели довольно вялыми. Она решила вечером снова укрыть их, а остальное полить как обычно."),
    ("Arabic", 71, 64, "سارت البستانية بين الأحواض قبل شروق الشمس لتتأكد من أن الصقيع لم يضر الشتلات. نجا معظم الكرنب من برد الليل، لكن صفين قرب السياج بدا عليهما الذبول. قررت أن تغطيهما مرة أخرى في المساء وأن تسقي الباقي كالمعتاد."),
    ("emoji", 45, 49, "🌱 🌿 💧 sunny today ☀️ 😀😀 beds done ✅✅ 🚀 frost ❄️ tomorrow? 😬 🤞 👍🏽 🐛 no thanks 🙅 🎉🎉🎉"),
    ("base64", 122, 114, "q83vEjRWeJCrze8SNFZ4kPHgWqC7bD3nX0mTfUe5vJk2LhRzQyYo9tGdVnB1xKcWm4sEaPiO6uHw7jFlM8ZrTqNbXe0yJvGfDkSgLpAoUcIhVtR5nBxC3zQwEmY9KjWd2TrFsPiGuLvHaXoNe61tZbMk"),
    ("hex", 80, 77, "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"),
    ("uuids", 93, 90, "3f2b8c1e-7a4d-4e59-9c06-d1b7a85e2f40, a90c6e3d-15f8-47b2-8e9a-0c4d7b61f235, 5e7d1a94-c2b6-4f08-b37e-96a8d04c1e7b"),
    ("logs", 95, 95, "2031-04-02T06:30:11.402Z INFO [pump] opened valve id=17 in 212ms\n2031-04-02T06:30:41.977Z WARN [pump] pressure low: 1.84 bar, retrying\n2031-04-02T06:31:02.113Z ERROR [sensor] bed south: timeout after 5000ms (attempt 3/5)\n"),
    ("table", 58, 57, "| Bed | Crop | Moisture | Last watered |\n|-------|-------|---------:|--------------|\n| north | kale | 42 % | 2 April |\n| south | beans | 17 % | never |\n| east | tomatoes | 38 % | 31 March |\n"),
    ("German", 56, 52, "Die Gärtnerin ging noch vor Sonnenaufgang an den Beeten entlang und prüfte, ob der Frost den Setzlingen geschadet hatte. Fast der ganze Grünkohl hatte die Nacht überstanden, nur zwei Reihen am Zaun sahen etwas müde aus."),
    ("Hindi", 41, 36, "माली सूरज निकलने से पहले क्यारियों के साथ चली और देखा कि पाले से पौधों को नुकसान तो नहीं हुआ। ज़्यादातर पौधे रात भर बच गए थे।"),
    ("Python", 55, 52, "def thirsty(beds, limit=0.3):\n    \"\"\"Beds that need water, the driest first.\"\"\"\n    dry = [bed for bed in beds if bed.moisture < limit]\n    return sorted(dry, key=lambda bed: bed.moisture)\n"),
];

fn text(text: &str) -> u64 {
    Balanced.text(text.as_bytes())
}

#[test]
fn texts_of_every_kind() {
    for &(kind, exact, pinned, said) in TEXTS {
        let estimate = text(said);
        assert_eq!(estimate, pinned, "{kind}");
        let error = (estimate as f64 / exact as f64 - 1.0).abs();
        assert!(error < 0.15, "{kind}: {estimate} instead of {exact}");
    }
    let sums = TEXTS.iter().fold((0, 0), |(exact, ours), row| (exact + row.1, ours + row.2));
    assert!((sums.1 as f64 / sums.0 as f64 - 1.0).abs() < 0.06, "{sums:?}");
}

#[test]
fn short_and_long_texts() {
    assert_eq!((text(""), text("hi"), text("a"), text(" "), text("\n")), (0, 1, 1, 1, 1));
    assert_eq!((text("123"), text("1234"), text("1234567")), (1, 2, 3));
    // Runs are few tokens, but more the longer they are.
    assert!((1..100).contains(&text(&"=".repeat(1000))));
    assert!((1..100).contains(&text(&" ".repeat(1000))));
    assert!(text(&"x".repeat(100_000)) > 1000);
    assert!(text(&"\u{1f331}".repeat(1000)) > 200);
}

proptest! {
    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        let estimate = Balanced.text(&bytes);
        prop_assert_eq!(estimate == 0, bytes.is_empty());
        prop_assert!(estimate <= 4 * bytes.len() as u64);
        prop_assert_eq!(Balanced.text(&bytes), estimate);
    }

    /// A cut through a word makes two pieces of one, through a character up to four: a few tokens, however long the texts.
    #[test]
    fn parts_add_up(one in "\\PC{0,200}", two in "\\PC{0,200}", word in "[a-z ]{0,60}") {
        for (a, b) in [(&one, &two), (&word, &one), (&two, &word), (&word, &word)] {
            let (whole, parts) = (text(&format!("{a}{b}")), text(a) + text(b));
            prop_assert!(whole <= parts + 5, "{} for {} and {}", whole, text(a), text(b));
            prop_assert!(parts <= whole + 5, "{} for {} and {}", whole, text(a), text(b));
        }
    }

    #[test]
    fn any_base64_is_a_size_or_none(text in "(data:image/png;base64,)?[A-Za-z0-9+/=_ \n-]{0,300}", at in 0..300_usize) {
        let _ = size(text.as_bytes());
        let _ = size(&text.as_bytes()[at.min(text.len())..]);
        // Torn headers of every kind.
        for start in ["iVBORw0KGgoAAAANSUhEUg", "R0lGODlh", "UklGRgAAAABXRUJQVlA4", "Qk0AAAAA", "/9j/4AAQSkZJRgABAQ"] {
            if let Some((width, height)) = size(format!("{start}{text}").as_bytes()) {
                prop_assert!(width > 0 && height > 0);
                for rule in [Images::Anthropic, Images::OpenAi, Images::Gemini] {
                    prop_assert!((1..20_000).contains(&rule.tokens(width, height, false)));
                }
            }
        }
    }
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, i| bits << 8 | u32::from(chunk.get(i).copied().unwrap_or(0)));
        for i in 0..4 {
            let digit = char::from(DIGITS[(bits >> (18 - 6 * i) & 63) as usize]);
            text.push(if i <= chunk.len() { digit } else { '=' });
        }
    }
    text
}

fn png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    bytes.extend(width.to_be_bytes());
    bytes.extend(height.to_be_bytes());
    bytes.extend([8, 6, 0, 0, 0].iter().chain(&[0; 300]));
    bytes
}

fn jpeg(width: u16, height: u16, exif: usize) -> Vec<u8> {
    let mut bytes = b"\xff\xd8\xff\xe1".to_vec();
    bytes.extend((exif as u16 + 2).to_be_bytes());
    bytes.extend(vec![0x41; exif]);
    bytes.extend(b"\xff\xc4\0\x04\0\0\xff\xc2\0\x11\x08");
    bytes.extend(height.to_be_bytes());
    bytes.extend(width.to_be_bytes());
    bytes.extend([3; 40]);
    bytes
}

#[test]
fn sizes_of_images() {
    let of = |bytes: &[u8]| size(base64(bytes).as_bytes());
    assert_eq!(of(&png(1920, 1080)), Some((1920, 1080)));
    assert_eq!(of(&png(u32::MAX, u32::MAX)), Some((u32::MAX, u32::MAX)));
    assert_eq!(of(&png(0, 5)), None);
    assert_eq!(of(&jpeg(640, 480, 60_000)), Some((640, 480)));
    assert_eq!(of(b"GIF89a\x10\x02\x20\x01\0\0"), Some((528, 288)));
    assert_eq!(of(b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x20\x03\x58\x02\0"), Some((800, 600)));
    assert_eq!(of(b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x1f\x03\0\x57\x02\0\0"), Some((800, 600)));
    assert_eq!(of(b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f\x1f\xc3\x95\0\0"), Some((800, 600)));
    let mut bmp = b"BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0".to_vec();
    bmp.extend(800_i32.to_le_bytes().into_iter().chain((-600_i32).to_le_bytes()).chain([0; 9]));
    assert_eq!(of(&bmp), Some((800, 600)));
    // As an address, and in the alphabet of addresses.
    let address = format!("data:image/png;base64,{}", base64(&png(7, 9)));
    assert_eq!(size(address.as_bytes()), Some((7, 9)));
    assert_eq!(size(base64(&png(7, 9)).replace('+', "-").replace('/', "_").as_bytes()), Some((7, 9)));
    for nothing in ["", "data:", "data:image/png;base64,", "not base64 at all", "%%%%", "\u{0}plica-bytes:5:ab"] {
        assert_eq!(size(nothing.as_bytes()), None, "{nothing}");
    }
    // Segments that go nowhere, and a header that never ends.
    assert_eq!(of(&[&b"\xff\xd8"[..], &b"\xff\xe0\0\0".repeat(1000)].concat()), None);
    assert_eq!(of(&[&b"\xff\xd8"[..], &b"\xff".repeat(100_000)].concat()), None);
}

#[test]
fn prices_of_images() {
    assert_eq!(Images::Anthropic.tokens(1092, 1092, false), 1590);
    assert_eq!(Images::Anthropic.tokens(200, 200, false), 54);
    assert_eq!(Images::Anthropic.tokens(u32::MAX, u32::MAX, false), 1600);
    assert_eq!(Images::OpenAi.tokens(2048, 4096, false), 1105);
    assert_eq!(Images::OpenAi.tokens(4096, 8192, true), 85);
    assert_eq!(Images::Gemini.tokens(384, 384, false), 258);
    assert_eq!(Images::Gemini.tokens(960, 540, false), 6 * 258);
}

fn message(format: Format, json: &str) -> u64 {
    Balanced.message(format.reader(), Tape::new().parse(json.as_bytes()).unwrap())
}

#[test]
fn messages_cost_what_they_say() {
    let chat = |json: &str| message(Format::OpenaiChat, json);
    assert_eq!(chat(r#"{"role":"user","content":"hi"}"#), 5);
    // Escapes are not text, nor are spaces in JSON.
    assert_eq!(chat(r#"{ "role" : "user", "content" : "\u0068i" }"#), 5);
    let arguments = r#"{"path":"a.txt"}"#;
    let as_text = format!(
        r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"call_1","type":"function","function":{{"name":"read","arguments":{}}}}}]}}"#,
        serde_json::to_string(arguments).unwrap()
    );
    let as_value = format!(
        r#"{{"role":"assistant","content":[{{"type":"tool_use","id":"toolu_9","name":"read","input":{arguments}}}]}}"#
    );
    assert_eq!(chat(&as_text), 4 + 8 + text("read") + text(arguments));
    assert_eq!(message(Format::Anthropic, &as_value), chat(&as_text));
    let result = r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"one\ntwo"},{"type":"text","text":"three"}]}]}"#;
    assert_eq!(message(Format::Anthropic, result), 4 + 4 + text("one\ntwo") + text("three"));
    // A signature beside its text is not counted; sealed reasoning is what it holds.
    let (seal, thought) = ("Eq".repeat(100), "step ".repeat(50));
    let thinking = format!(
        r#"{{"role":"assistant","content":[{{"type":"thinking","thinking":"{thought}","signature":"{seal}"}}]}}"#
    );
    assert_eq!(message(Format::Anthropic, &thinking), 4 + text(&thought));
    let redacted = format!(r#"{{"role":"assistant","content":[{{"type":"redacted_thinking","data":"{seal}"}}]}}"#);
    assert_eq!(message(Format::Anthropic, &redacted), 4 + 202 * 3 / 16);
}

#[test]
fn images_cost_by_the_rule_of_their_format() {
    let picture = base64(&png(1000, 750));
    let block =
        format!(r#"{{"type":"image","source":{{"type":"base64","media_type":"image/png","data":"{picture}"}}}}"#);
    let anthropic = |inner: &str| message(Format::Anthropic, &format!(r#"{{"role":"user","content":[{inner}]}}"#));
    assert_eq!(anthropic(&block), 4 + 1000);
    let inside =
        format!(r#"{{"type":"tool_result","tool_use_id":"t","content":[{block},{{"type":"text","text":"hi"}}]}}"#);
    assert_eq!(anthropic(&inside), 4 + 4 + 1000 + 1);
    let chat = |detail: &str| {
        let address = format!(r#"{{"url":"data:image/png;base64,{picture}"{detail}}}"#);
        message(
            Format::OpenaiChat,
            &format!(r#"{{"role":"user","content":[{{"type":"image_url","image_url":{address}}}]}}"#),
        )
    };
    assert_eq!((chat(""), chat(r#","detail":"low""#)), (4 + 85 + 4 * 170, 4 + 85));
    let gemini =
        format!(r#"{{"role":"user","parts":[{{"inlineData":{{"mimeType":"image/png","data":"{picture}"}}}}]}}"#);
    assert_eq!(message(Format::Gemini, &gemini), 4 + 4 * 258);
    // What cannot be read costs the flat price, however long it is.
    let torn = block.replace(&picture, &"iVBOR".repeat(5000));
    assert_eq!(anthropic(&torn), 4 + FLAT);
    // A document of text is its text.
    let document = r#"{"type":"document","source":{"type":"text","media_type":"text/plain","data":"hello"}}"#;
    assert!(anthropic(document) < 60);
    assert_eq!(Estimator::default(), Balanced);
}
