//! Polish, Russian, Ukrainian and Czech.

use super::Language;
use super::ProposalReason::{Always, Exclusive, FromNowOn, Mistake, Never, Obligation, Prohibition};

pub(super) static LANGUAGES: [Language; 4] = [
    Language {
        code: "pl",
        evidence: "w na do z i nie bez dla przed po od że się to jest",
        leads: "proszę i ale więc też także ważne uwaga zasada zasady pamiętaj przypominam ok dobra no bo ponieważ potem tu zawsze",
        veto: "nigdy .. *ł|*ła|*li|*ło|*ły $
            nigdy nie *łem|*łam|*ł|*ła|*li|*ły|*ło|*liśmy|*łyśmy|było|był|była|wiem|wiadomo|mam|miał|lubię|jest|lubiłem
            zawsze *łem|*łam|*ł|*ła|*li|*ły|*ło|*liśmy|chciał|był|była|mi|mnie|tak
            zawsze .. *łem|*łam|*liśmy|*łyśmy $
            nigdy .. *łem|*łam|*liśmy|*łyśmy $
            nie wiem|martw|martwcie|przejmuj|pamiętam|rozumiem|mam|sądzę|myślę|jest|ma|widzę|lubię|chcę|będę|mogę|szkodzi|ważne ~żebyś|żebyście|obowiązkowe|wolno|sensu
            nie mogłem|chciałem|mogłam
            powiedział|powiedziała|mówił|mówiła|twierdzi|napisał|napisała|zapytał|pytał|mówi że|:|,|mi
            dlaczego|czemu|czy|kiedy|jak|gdzie się|ja|on|ona|to|nie|my|zawsze|nigdy|powinienem|muszę
            zastanawiam się
            lepiej późno niż
            nic nie wiadomo
            nie każdy|wszyscy|zawsze|wszystko
            ^ zawsze|nigdy ten|ta|to|te|tak
            gdyby .. zawsze|nigdy
            nie może|mogą .. potrwać|być|trwać|dziwić
            nie wiadomo
            ^ zawsze|nigdy *am|*em|zapominam
            ^ musi|muszą być
            nie *liśmy|*łyśmy
            jak|na zawsze
            wczoraj|dawniej|kiedyś
            piosenka|film|książka|powieść .. tytuł|tytułem|pod
            nigdy więcej *łem|*łam|*ł",
        rules: &[
            (
                Never,
                "^ nigdy nie ~wiem|mam|jest|było|był|była|*łem|*łam|*ł|*ła|*li|*ły|*ło|wiadomo|będzie|zapomnę|pójdę
                ^ nigdy ~*łem|*łam|nie|więcej|dotąd|wcześniej
                nie|i|ale|proszę|się nigdy nie ~*łem|*łam|*ł|*ła
                *aj|*uj|*ij|*yj|*cie nigdy
                pod żadnym pozorem|warunkiem
                w żadnym wypadku|razie
                nikt|nic nie może|powinien|powinno
                przenigdy",
            ),
            (
                Prohibition,
                "^ nie *aj|*uj|*ij|*yj|*jcie|*cie|rób|pisz|używaj|pushuj|ruszaj|twórz|wrzucaj|róbcie|wysyłaj|dotykaj|*ać|*ować|*ić|*yć|*eć|mów|kasuj ~martw
                i|ale|proszę|się|lecz nie *aj|*uj|*ij|*yj|*jcie|*ajcie|rób|pisz|twórz
                nie ~mamy|wiemy|możemy|chcemy|widzimy|rozumiemy|będziemy|jesteśmy|pamiętamy|umiemy *amy|*emy|*imy|*ymy
                nie wolno|można|należy|powinno|powinien|powinna|powinny|powinniśmy|może|mogą ~się
                jest|są|zostaje|surowo|kategorycznie zabroniony|zabronione|zabroniona|zakazane|zakazany|niedozwolone|niedopuszczalne|wzbronione|zabronione
                zabrania|zakazuje się
                zakaz *nia|*ania|*enia|używania
                zabronione|zakazane jest
                unikaj|unikajcie|unikać
                przestań|przestańcie|skończ
                ^ żadnych|żadnego|żadnej .. w|na|bez|do|przed
                nie chcę|życzę .. żadnych|żeby|żebyś|sobie|więcej
                bez zgody|pozwolenia|pytania|akceptacji|konsultacji $",
            ),
            (
                Always,
                "^ zawsze ~*łem|*łam|*ł|*ła|mi|mnie|tak|jest|jak|był
                *aj|*uj|*ij|*yj|*cie|rób|pisz|sprawdzaj|musi|muszą|musisz|należy|powinien|powinny|powinno|trzeba zawsze|każdorazowo
                za każdym razem ~gdy|*łem
                przed|po|przy|dla każdym|każdej|każdego|każdą .. *aj|*uj|*ij|*yj|musi|należy|trzeba|*cie|*dź
                ^ każdorazowo
                bez wyjątku|wyjątków",
            ),
            (
                Obligation,
                "upewnij|upewnijcie|zadbaj|dopilnuj|dbaj
                pamiętaj|pamiętajcie , |aby|żeby|o|że|zawsze
                nie zapomnij|zapominaj|zapomnijcie
                każdy|każda|każde|wszystkie|wszyscy|wszystko .. musi|muszą|powinien|powinny|ma
                musisz|musicie
                <ja|to|on|ona|się musi|muszą być|mieć|przejść|zawierać|zostać|*ać|*ić
                jest|są obowiązkowe|obowiązkowy|obowiązkowa|wymagane|wymagany|konieczne
                obowiązkowo|koniecznie
                należy
                trzeba zawsze|najpierw|przed
                zasada|reguła|konwencja|wymóg|ograniczenie :|jest|brzmi
                przestrzegaj|trzymaj
                pytaj|zapytaj|spytaj .. zanim|przed|najpierw|zgodę
                odpowiadaj|pisz .. po polsku|angielsku",
            ),
            (
                FromNowOn,
                "^ od poniedziałku|wtorku|środy|czwartku|piątku|stycznia|następnego|nowego
                od teraz|dziś|dzisiaj|jutra|tej|tego|zaraz chwili|momentu|pory|na|,|nie|używaj|zawsze|tylko|*aj|wszystkie|każdy|piszemy|*emy|*amy
                od tej pory|chwili
                od dziś
                odtąd
                na przyszłość
                w przyszłości ,|nie|zawsze|używaj
                do odwołania",
            ),
            (
                Exclusive,
                "*aj|*uj|pisz|rób|odpowiadaj tylko|wyłącznie|jedynie
                ^ tylko|wyłącznie .. *aj|można|wolno|*emy
                wyłącznie
                może|mogą|wolno|można tylko|wyłącznie|jedynie
                używaj|wybieraj|stosuj|preferuj .. zamiast|nie
                zamiast .. używaj|stosuj|użyj",
            ),
            (
                Mistake,
                "to|tamto|co|które|ostatnio zepsuło|wywaliło|popsuło|rozwaliło|uszkodziło|spowodowało|położyło|skasowało
                zepsuło|wywaliło|popsuło|rozwaliło|położyło|skasowało|*ło produkcję|build|bazę|całą|cały|wszystko|nam
                nie *aj|*uj|*ij|*rób|rób .. więcej|ponownie|znowu
                nie powtarzaj|powtarzajcie|powtarzać
                nigdy więcej
                to był|było błąd|pomyłka|błędem
                ten sam|tego samego błąd|błędu
                nauczka|nauczyliśmy
                ostatnim razem .. *ło|*ła|*ł",
            ),
        ],
        unspaced: false,
    },
    Language {
        code: "ru",
        evidence: "в на и не для без с по до из к что это",
        leads: "пожалуйста и но а также ещё важно внимание правило правила напоминаю запомни помни ок ладно так итак кстати потому поэтому всегда ребята здесь",
        veto: "я|он|она|они|мне никогда|всегда|не|нельзя
            никогда не *л|*ла|*ли|*ло|*лся|*лась|знаешь|знаю|поздно|был|была|бывает|думал
            никогда|всегда .. *л|*ла|*ли|*ло|*лся|*лась|*лось $
            всегда *л|*ла|*ли|*ло|был|была|хотел|мне|рад|рада|так
            никогда раньше|прежде|ещё
            не знаю|волнуйся|волнуйтесь|переживай|переживайте|беспокойся|беспокойтесь|думаю|помню|понимаю|уверен|уверена|вижу|могу|хочу|люблю|буду|важно|бойся|за|так|было ~чтобы
            сказал|сказала|говорил|говорила|говорит|утверждает|написал|написала|спросил|спросила|пишет что|:|,|мне|нам
            почему|зачем|когда|как|где|что|кто|можно ли|мы|я|ты|он|она|они|это|не|всегда|никогда
            интересно
            лучше поздно
            должно быть ,|$
            никогда не знаешь|угадаешь
            не все|каждый|всегда
            вот бы
            это|он|она не может|могло|могут
            ^ всегда|никогда этот|эта|это|эти|тот
            ^ всегда|никогда *ю|*у|приятно|есть|можно
            как|навсегда всегда
            вчера
            песня|фильм|книга|роман .. называется|называлась
            никогда в жизни",
        rules: &[
            (
                Never,
                "^ никогда не ~*л|*ла|*ли|*ло|*лся|*лась|*у|*ю|*шь|было|будет|*ает|*яет|*ит|*ет
                ^ никогда ~не|раньше|прежде|ещё|*л .. не
                и|но|пожалуйста|мы|тесты никогда не *й|*йте|*и|*ите|*ь|*ьте|*ть|*ем|*им
                должен|должны|должна|должно .. никогда
                ни в коем|каком случае
                ни при каких|каком обстоятельствах|условиях
                ни под каким предлогом|видом
                никто|ничто не должен|должно|может|имеет",
            ),
            (
                Prohibition,
                "^ не *й|*йте|*и|*ите|*ь|*ьте|*йся|*йтесь ~очень|часть
                ^ не *ть
                и|но|пожалуйста|никогда|больше не *й|*йте|*и|*ите|*ь|*ьте ~очень
                ^ нельзя
                нельзя $
                не ~знаем|можем|хотим|видим|понимаем|умеем|помним|верим|будем|имеем|думаем|успеваем *ем|*им|*ём $
                не ~знаем|можем|хотим|видим|понимаем|умеем|помним|верим|будем|имеем|думаем|успеваем *ем|*им|*ём в|на|без|по|с|до
                <так|мне|это нельзя *ть|*ться|ничего|без|никому|ни|просто|напрямую
                не должен|должны|должна|должно|следует|нужно|надо|допускается|разрешается|разрешено|допустимо|стоит|рекомендуется|имеете|имеет ~быть
                запрещено|запрещается|запрещена|запрещены|запрещён|воспрещается|недопустимо|недопустимы
                запрет на
                руки прочь от
                прошу|просьба|просим не|больше|никогда
                избегай|избегайте|избегать
                прекрати|прекратите|перестань|перестаньте|хватит
                ^ никаких|никакого|никакой .. в|на|без|до|с ~проблем
                не хочу , чтобы
                не хочу .. видеть|больше
                без разрешения|согласования|спроса|подтверждения|ревью $",
            ),
            (
                Always,
                "^ всегда ~*л|*ла|*ли|был|мне|рад|так|есть|хотел
                ^ *й|*йте|*ите|*ьте|пиши|держи|проси|проверь всегда|каждый
                <я|он должен|должны|должна|должно|нужно|надо|следует всегда|каждый
                и|но|пожалуйста|мы всегда *й|*йте|*и|*ите|*ь|*ьте|*ем|*им
                каждый раз
                перед|после|при|для|к каждым|каждого|каждом|каждой|любым|любого .. *й|*йте|*и|*ите|*ь|*ьте|должен|должна|нужно|надо|обязательно
                перед|после .. всегда|обязательно
                во всех случаях
                без исключений|исключения",
            ),
            (
                Obligation,
                "проследи|проследите|позаботься|позаботьтесь
                убедись|убедитесь|удостоверься|удостоверьтесь|следи|следите
                не забудь|забудьте|забывай|забывайте
                помни|помните|имей|имейте , |что|в|о|всегда ~себя
                все|каждый|каждая|каждое|всё|любой|любая .. должен|должны|должна|должно|обязан|обязаны
                <я|он|она|это|мы <быть должен|должны|должна|должно быть|проходить|содержать|иметь|*ть|*ться|оставаться
                ты|вы должен|должна|должны|обязан|обязаны
                обязательно *й|*йте|*и|*ите|*ь|*ьте|для|к|*ть
                обязательно|обязательны|обязателен|обязательна|требуется $
                правило|требование|ограничение|соглашение :|такое|простое
                необходимо *ть
                нужно|надо сначала|всегда|обязательно
                придерживайся|придерживайтесь|соблюдай|соблюдайте
                спрашивай|спроси|спросите|спрашивайте .. прежде|перед|сначала|разрешения
                отвечай|отвечайте|пиши|пишите .. на|по русском|английском|русски",
            ),
            (
                FromNowOn,
                "^ с|со понедельника|вторника|среды|четверга|пятницы|следующей|следующего|января|марта|мая
                с|со этого сегодняшнего|момента|дня
                с сегодняшнего|настоящего дня|момента
                с этого момента|дня
                отныне
                впредь
                начиная с
                в дальнейшем
                в будущем ,|не|всегда|используй|используйте
                с завтрашнего дня
                до особого|отмены",
            ),
            (
                Exclusive,
                "*й|*йте|пиши|пишите|отвечай только|исключительно|лишь
                ^ только .. *й|*йте|*ть|можно
                только с|после|при .. согласия|разрешения|одобрения|согласовании
                исключительно
                должен|должны|должна|может|могут|можно только|лишь|исключительно
                используй|используйте|выбирай|применяй|предпочитай .. вместо|не
                вместо .. используй|используйте|используем",
            ),
            (
                Mistake,
                "это|то|что|которое|прошлый сломало|уронило|положило|удалило|испортило|вызвало|привело|повредило|убило
                сломало|уронило|положило|удалило|испортило|сломали|уронили прод|продакшн|сборку|базу|всё|нам|весь|всю|все
                больше не|так не *й|*йте|*и|*ите|делай|делайте|надо|нужно|делать|*ть
                не *й|*йте|повторяй|повторяйте|делай|делайте .. больше|снова|опять|ошибку|ошибок|ещё
                никогда больше
                больше никогда
                это было|была ошибкой|ошибка
                та|ту|те|той же ошибка|ошибку|ошибки|грабли
                в прошлый раз .. *л|*ла|*ло|*ли|*лось
                на те же грабли
                урок усвоен|выучен
                привело|привела к",
            ),
        ],
        unspaced: false,
    },
    Language {
        code: "uk",
        evidence: "в у на і й та не для без з по до із що це",
        leads: "будь ласка і але а також важливо увага правило правила нагадую",
        veto: "я|він|вона|вони ніколи|завжди|не
            ніколи не *в|*ла|*ли|*ло|знаєш|пізно
            завжди *в|*ла|*ли|*ло|був|мені
            не знаю|хвилюйся|хвилюйтесь|думаю|пам'ятаю|розумію
            сказав|сказала|каже|стверджує що|:|,
            чому|коли|як|навіщо|чи ми|я|ти|він|це|не",
        rules: &[
            (
                Never,
                "^ ніколи не ~*в|*ла|*ли|*ло|знаю|маю|було|забуду|*у|*ю
                і|але|ласка ніколи не
                ні в якому|за разі|яких
                за жодних обставин|умов
                в жодному разі",
            ),
            (
                Prohibition,
                "^ не *й|*йте|*и|*іть|*ь|*ти
                ласка|і|але|більше не *й|*йте|*и|*іть|*ь
                не можна|слід|повинен|повинні|повинна|дозволено|дозволяється|варто
                заборонено|забороняється|заборонені|заборонена|неприпустимо
                уникай|уникайте
                ^ жодних|жодного .. в|у|на|без",
            ),
            (
                Always,
                "^ завжди ~*в|*ла|був|мені
                *й|*йте|*и|*іть|повинен|повинні|треба|слід завжди
                щоразу ~коли
                перед кожним|кожною .. *й|*и|*іть",
            ),
            (
                Obligation,
                "переконайся|переконайтеся|переконайтесь|впевніться
                не забудь|забудьте|забувай
                пам'ятай|пам'ятайте , |що|про
                усі|всі|кожен|кожна|кожне .. повинен|повинні|повинна|має|мають|мусить
                обов'язково
                ти|ви повинен|повинні|мусиш|мусите
                є обов'язковим|обов'язковою|обов'язковими
                необхідно *ти",
            ),
            (
                FromNowOn,
                "відтепер
                надалі
                з цього|сьогоднішнього|цієї|сьогодні моменту|дня|хвилини|,
                віднині",
            ),
            (
                Exclusive,
                "*й|*йте|пиши|пишіть тільки|лише|виключно
                ^ лише|тільки .. можна|*й|*йте|*ти
                виключно
                використовуй|використовуйте .. замість|а
                замість .. використовуй|використовуйте",
            ),
            (
                Mistake,
                "це|те|що зламало|поклало|видалило|спричинило|призвело
                зламало|поклало|видалило збірку|прод|базу|все
                більше не|так *й|*йте|роби|робіть
                не повторюй|повторюйте
                ніколи більше
                це була|було помилка|помилкою",
            ),
        ],
        unspaced: false,
    },
    Language {
        code: "cs",
        evidence: "v na do z a ne bez pro před po od že se to je",
        leads: "prosím a ale takže také důležité pozor pravidlo pravidla poznámka",
        veto: "nikdy jsem|jsme|jsi|se jsem|nezapomenu|nebyl|nebyla|neměl|ne*l|ne*la|ne*li
            nikdy ne*l|ne*la|ne*li|ne*lo
            vždy|vždycky jsem|*l|*la|*li|mě|byl|byla
            neboj|nebojte|nevím|nemyslím|nemám|nejsem|nepamatuji
            řekl|řekla|říkal|tvrdí|napsal že|:|,
            proč|kdy|jak|jestli|zda bych|se|my|já",
        rules: &[
            (
                Never,
                "^ nikdy ne* ~nebyl|nevím|ne*l|ne*la|ne*li
                nikdy .. ne*j|ne*te|ne*i
                v žádném případě
                za žádných okolností",
            ),
            (
                Prohibition,
                "^ ne*j|ne*jte|ne*ujte|nedělej|nepoužívej|nepiš|nepište|nesahej|nemaž|neměň|neměňte|nepushuj|nikdy ~neboj|nebojte
                nesmí|nesmíš|nesmíte|nesmějí
                nesmí se
                je|jsou|přísně zakázáno|zakázané|zakázán|zakázaná|nepřípustné
                není|nejsou povoleno|dovoleno|povolené
                vyhni|vyhněte|vyvaruj
                ^ žádné|žádný|žádná .. v|na|bez|do",
            ),
            (
                Always,
                "^ vždy|vždycky ~jsem|mě|byl|*l
                *j|*jte|musí|musíš|musíte|piš|pište vždy|pokaždé
                pokaždé
                před každým|každou .. *j|*jte|musí|spusť",
            ),
            (
                Obligation,
                "ujisti|ujistěte|zajisti|zajistěte
                nezapomeň|nezapomeňte|nezapomínej
                pamatuj|pamatujte , |že|na|si
                každý|každá|každé|všechny|všechno .. musí|má|mají
                musíš|musíte
                je|jsou povinné|povinný|povinná|nutné
                povinně",
            ),
            (
                FromNowOn,
                "od teď|nynějška|dneška|této|tohoto|zítřka
                odteď
                odteďka
                nadále
                příště ~*l|jsem
                do budoucna
                napříště",
            ),
            (
                Exclusive,
                "*j|*jte|piš|používej|používejte pouze|jen|výhradně|jenom
                výhradně
                smí|může|musí pouze|jen|jenom|výhradně
                používej|používejte|použij .. místo|ne
                místo .. používej|použij",
            ),
            (
                Mistake,
                "to|tohle|což rozbilo|shodilo|smazalo|způsobilo
                rozbilo|shodilo|smazalo build|produkci|databázi|všechno|nám|celou
                už|víckrát|znovu ne*j|to|nedělej|neopakuj
                neopakuj|neopakujte
                to byla|byl chyba|omyl
                stejnou|stejná|stejné chybu|chyba|chyby",
            ),
        ],
        unspaced: false,
    },
];
