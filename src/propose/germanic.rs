//! German, Dutch, Swedish, Danish and Norwegian.

use super::Language;
use super::ProposalReason::{Always, Exclusive, FromNowOn, Mistake, Never, Obligation, Prohibition};

pub(super) static LANGUAGES: [Language; 3] = [
    Language {
        code: "de",
        evidence: "der die das den dem ein eine einen im in auf für mit ohne und nicht zu von",
        leads: "bitte und aber also auch außerdem übrigens achtung wichtig merke regel regeln hinweis ok okay gut nochmal grundsätzlich generell erinnerung dann ja nein hier leute team immer denn weil sonst",
        veto: "ich|er|sie|es|man habe|hab|hatte|hat|war|wurde|wollte|würde|konnte|dachte|wusste|glaube|mag|liebe
            ich bin|kann|werde|muss
            er|sie|es|das *t immer|nie|niemals|stets|ständig
            habe|hab|hatte|hatten|hätte|war|waren|bin|würde|würden|wollte|wollten|wurde|wurden|konnte|konnten|dachte|wusste ich|wir|er|sie|nie|niemals|immer|nicht
            ich nie|niemals|immer|nicht
            immer noch|wieder|mehr|weniger|besser|schlimmer|so|dieser|diese|dieses|das|der|die|schon|öfter
            noch nie
            nie mehr|gut|genug|schlecht
            keine ahnung|sorge|angst|panik|zeit|lust|frage|probleme|idee|antwort|chance|stress
            kein problem|ding|wunder|stress|thema
            nicht schlecht|schlimm|wahr|wirklich|ganz|so|sicher|nur|weit|dein|viel|mein
            mach|macht|machen dir|euch|sie keine
            sagte|sagt|meinte|meint|schrieb|schreibt|behauptet|behauptete|fragte|erzählte dass|,|:|immer|er|sie|mir|uns
            <ich|wir|ihnen er|sie|chef|chefin|mutter|vater|oma|opa|lehrer|freund|kollege|kollegin|kunde sagte|sagt|meinte|meint|schrieb|schreibt|behauptet|fragte
            warum|wieso|weshalb|wann|ob man|ich|wir|du|das|die|der|es|ihr
            ^ nur .. sind|ist|hat|haben|waren|war|kam|kamen ~erlaubt|zulässig|gestattet|zugelassen|genehmigt|zu
            sie|er|es|du|ihr|das müssen|muss|musst|müsst .. sein|liegen|haben $
            man weiß nie
            nie zuvor|vergessen|gedacht|gesehen|gehört|erlebt
            damals|gestern
            lied|song|film|buch|album|roman .. heißt|hieß|namens
            heißt|hieß|namens nie|immer|niemals
            wäre|wären immer|nie
            wenn ich|wir nie|immer
            so gut wie nie
            wie immer
            nicht jeder|jede|jedes|alle|alles|immer|jedermann
            ^ immer|nie dieser|diese|dieses|der|die|das
            nie|niemals|immer .. wäre|hätte|würde
            wäre|hätte .. immer|nie
            kann|können nicht|nie mehr|lange|länger|wahr
            kann|können .. nicht|nie .. dauern|sein|stimmen $
            für immer
            lass|lasst dir|mich|uns nicht",
        rules: &[
            (
                Never,
                "<noch nie|niemals wieder ~gesehen|gehört
                ^ nie|niemals ~zuvor|war|hat|hatte|hab|habe|gedacht|im|in|mehr|gut|genug|die
                niemals ~zuvor|gesehen|gehört
                ^ nie .. *en $
                darf|dürfen|soll|sollen|sollte|sollten|muss|müssen .. nie|niemals
                bitte|und|aber|sie|du|wir|tests|agenten nie|niemals ~gesehen|gehört|war|mehr|im
                ^ ~die|eine|alle|diese|jede|meine|keine|heute|ohne|viele|andere|seine|ihre|unsere|deine|beide|manche|welche|solche|habe|hatte|würde|könnte|sollte|wäre|hätte|gerade|beinahe|sie|wie|nie *e nie|niemals ~zuvor|gesehen|gehört|mehr|gedacht|erlebt
                auf keinen fall
                unter keinen umständen
                in keinem fall
                keinesfalls
                keineswegs .. *en $
                zu keiner zeit
                niemand|keiner|nichts darf|soll",
            ),
            (
                Prohibition,
                "^ wir ~haben|hatten|wissen|können|konnten|sind|waren|wollen|wollten|werden|wurden|müssen|brauchen|glauben|denken|kennen|verstehen|sehen|finden|kommen|mussten|durften *en .. nicht|nie|niemals|kein|keine|keinen
                darf|dürfen|darfst|dürft .. nicht|kein|keine|keinen|keinerlei|keines|nichts
                darf|dürfen .. niemand|niemandem|niemanden|nirgends
                soll|sollen|sollst|sollt|sollte|sollten|muss|müssen nicht|nie|kein|keine|keinen
                sollten|sollte|sollst|sollen|soll .. nicht|kein|keine|keinen .. *en $
                ist|sind|bleibt|bleiben|streng|ausdrücklich verboten|untersagt|tabu|unzulässig|unerwünscht|gesperrt
                verboten|untersagt|tabu $
                nicht erlaubt|gestattet|zulässig|zugelassen|erwünscht
                ^ lass|lasst|lassen .. in ruhe|frieden
                gehören|gehört nicht|niemals|nie in|ins|im
                ^ kein|keine|keinen|keinerlei .. *en $
                ^ kein|keine|keinen .. ohne|außer|im|in|auf|bitte|mehr
                ^ nicht|nichts .. *en $
                ^ nicht ohne|vor|direkt|auf|in|im|einfach
                ^ nichts ohne|direkt|auf|in|im
                bitte nicht|kein|keine|keinen|nichts ~schlecht|wundern
                bitte .. nicht|kein|keine|keinen
                ^ ~die|eine|alle|diese|jede|meine|keine|heute|ohne|viele|andere|seine|ihre|unsere|deine|beide|manche|welche|solche|habe|hatte|würde|könnte|sollte|wäre|hätte|gerade|beinahe|sie|wie|nie *e|schreib|mach|nutz|benutz|verwend|änder|lösch|fass|push|commit|lauf|nimm|gib|setz|pack|bau|leg|veröffentlich .. nicht|kein|keine|keinen|nichts|niemals|nie ~mehr
                ^ *en sie .. nicht|kein|keine|keinen|nichts|nie|niemals
                ^ vermeide|vermeiden|vermeidet|unterlasse|unterlass|unterlassen|meide
                ist|sind zu vermeiden|unterlassen
                finger weg
                hör|hört|hören .. auf
                lass|lasst|lassen die finger|das|es .. sein|$
                ich will|möchte|wünsche .. kein|keine|keinen|nicht
                du|sie|ihr darfst|dürfen|dürft|sollst|sollen|sollt nicht|kein|keine|keinen|nie|niemals
                ohne rückfrage|freigabe|erlaubnis|genehmigung|absprache $
                niemand .. *en|*t ohne",
            ),
            (
                Always,
                "^ immer|stets|jederzeit ~noch|wieder|mehr|wenn|ich|so|dieser|diese|das
                ^ ~die|eine|alle|diese|jede|meine|keine|heute|ohne|viele|andere|seine|ihre|unsere|deine|beide|manche|welche|solche|habe|hatte|würde|könnte|sollte|wäre|hätte|gerade|beinahe|sie|wie|nie *e|schreib|mach|nutz|benutz|verwend|prüf|lauf|nimm|gib|setz|frag|führ immer|stets|jedes|grundsätzlich
                ^ ~die|eine|alle|diese|jede|meine|keine|heute|ohne|viele|andere|seine|ihre|unsere|deine|beide|manche|welche|solche|habe|hatte|würde|könnte|sollte|wäre|hätte|gerade|beinahe|sie|wie|nie *e|schreib|mach|nutz|benutz|verwend|prüf|nimm|gib|setz|frag|führ|rechne|ruf _ immer|stets|grundsätzlich
                ^ ~ich|er|sie|es|wir|ihr|du|man|das|wie|fast|schon|noch|nicht|aber|war|ist|hat|hatte _ immer|stets den|die|das|dem|alle|jeden|jede|erst|mit|in|auf|nach
                ^ *t das|den|die|dem|eure|bitte _ immer|stets|nie|niemals
                ^ *en sie .. immer|stets|grundsätzlich
                muss|müssen|musst|soll|sollen|sollte|sollten|sollst .. immer|stets|jederzeit|jedes
                bitte immer|stets
                bitte .. immer|stets
                vor|nach|bei jedem|jeder|allen .. *en|*t|*e ~ich
                jedes mal ~als|war
                jedesmal .. *en $
                in jedem fall|falle
                grundsätzlich .. *en $
                sind|ist immer|stets|ausnahmslos|grundsätzlich zu|in|mit|als|auf
                ausnahmslos
                ohne ausnahme
                wir|du|sie nutzen|verwenden|schreiben|machen|prüfen|testen|deployen immer|stets|nie|grundsätzlich",
            ),
            (
                Obligation,
                "achte|achtet|achten .. darauf|dass
                sorge|sorg|sorgt|sorgen sie|dafür|für
                ^ vor|nach|bei|bevor .. muss|müssen
                stell|stelle|stellt|stellen .. sicher
                denk|denke|denkt|denken .. daran|dran
                vergiss|vergesst|vergessen nie|niemals|nicht|sie
                jeder|jede|jedes|alle|sämtliche .. muss|müssen|soll|sollen|hat|haben|braucht|brauchen|benötigt|benötigen ~gewesen
                <ich|wir|er|es|das|sie muss|müssen|musst|müsst .. werden|sein|haben|bleiben|enthalten|bestehen|laufen $
                du|ihr musst|müsst
                <wie sie|agenten|entwickler müssen
                ist|sind pflicht|verpflichtend|obligatorisch|zwingend|vorgeschrieben|erforderlich|vorgabe
                zwingend|unbedingt .. *en|*t $
                unbedingt ~ja
                ist|sind zu verwenden|prüfen|testen|beachten|dokumentieren|nutzen|schreiben|verschlüsseln
                regel|vorgabe|richtlinie|konvention|pflicht|bedingung :|ist|lautet
                es gilt :|die|immer|stets
                halte|haltet|halten dich|euch|sie .. an
                frag|frage|fragt|fragen .. bevor|vorher|zuerst|immer|nach
                erst .. dann .. *en $
                hol|hole .. freigabe|erlaubnis|genehmigung
                antworte|antworten|schreib|schreibe .. auf|nur|immer deutsch|englisch|in",
            ),
            (
                FromNowOn,
                "ab jetzt|sofort|heute|morgen|nun|montag
                von jetzt|nun|heute an
                künftig|zukünftig|fortan|hinfort
                ^ in zukunft ~wird|werden|wirst
                in zukunft bitte|nur|nie|immer|nicht|keine
                bis auf weiteres
                für den rest der|des|dieser|dieses",
            ),
            (
                Exclusive,
                "^ nur ~ich|weil|wenn|so|noch|zu|zur|gut|einmal|zwei|drei|vier|fünf|ein|eine|einer|wenige|manche .. *en|verwenden|nutzen $
                nur noch .. *en $
                ^ nur .. erlaubt|zulässig|gestattet|zugelassen|genehmigt $
                nur mit|nach|bei .. zustimmung|erlaubnis|freigabe|genehmigung|einwilligung
                ausschließlich
                darf|dürfen|soll|sollen|sollte|sollten|muss|müssen .. nur
                ^ ~die|eine|alle|diese|jede|meine|keine|heute|ohne|viele|andere|seine|ihre|unsere|deine|beide|manche|welche|solche|habe|hatte|würde|könnte|sollte|wäre|hätte|gerade|beinahe|sie|wie|nie *e|nimm|nutz|benutz|verwend|schreib nur|ausschließlich
                ^ *en sie .. nur|ausschließlich|statt|anstelle
                ^ ~die|eine|alle|diese|jede|meine|keine|heute|ohne|viele|andere|seine|ihre|unsere|deine|beide|manche|welche|solche|habe|hatte|würde|könnte|sollte|wäre|hätte|gerade|beinahe|sie|wie|nie *e|nimm|nutz|benutz|verwend .. statt|anstatt|anstelle
                ^ ~die|eine|alle|diese|jede|meine|keine|heute|ohne|viele|andere|seine|ihre|unsere|deine|beide|manche|welche|solche|habe|hatte|würde|könnte|sollte|wäre|hätte|gerade|beinahe|sie|wie|nie *e|nimm|nutz|benutz|verwend _ , nicht
                statt|anstatt|anstelle .. verwenden|nutzen|benutzen|nehmen $
                bevorzuge|bevorzugen",
            ),
            (
                Mistake,
                "hat|haben .. kaputt|lahmgelegt|zerschossen|gecrasht|abgestürzt|zerstört|gelöscht
                ist|sind|war .. kaputtgegangen|abgestürzt|ausgefallen|umgefallen|gescheitert|zusammengebrochen
                kaputt gemacht|gegangen
                zerschossen|kaputtgemacht|lahmgelegt
                nicht noch einmal|mal
                nicht|nie|niemals wieder
                nicht|nie .. wiederholen $
                das|es|ein|mein|unser war|ist .. fehler ~gewesen
                das war falsch
                gleichen|denselben|selben|gleiche|derselbe|dieselbe fehler
                aus .. gelernt
                zum|einen|ein ausfall|datenverlust|absturz geführt|verursacht
                hat|haben .. geführt|verursacht|gekostet $
                mach|mache|macht|machen das|sie|so nicht|nie|nicht",
            ),
        ],
        unspaced: false,
    },
    Language {
        code: "nl",
        evidence: "de het een in op van voor met zonder en te is niet je jij ons onze",
        leads: "alsjeblieft aub en maar dus ook let belangrijk regel regels ok oké opmerking onthoud goed trouwens nog eens dan ja hier mensen want omdat anders",
        veto: "ik|hij|zij|ze|we|wij|men heb|had|heeft|was|ben|wilde|wou|zou|kon|dacht|wist|hadden|waren|hebben
            ik nooit|altijd|niet
            heb|had|was|ben|zou|wilde|kon ik|hij|ze|nooit|altijd
            nog nooit|altijd
            nooit gedacht|gezien|gehoord|geweten|eerder|geweest
            altijd al|nog|geweest|maar|weer|gewild
            geen idee|probleem|zorgen|paniek|zin|tijd|punt
            maak je geen
            niet slecht|waar|echt|zo|erg|zeker
            zei|zegt|schreef|beweert|vroeg|vertelde dat|,|:|me|altijd
            waarom|wanneer|of|hoe we|ik|je|het|de|dit
            beter laat dan nooit
            weet maar nooit
            niet iedereen|alles|alle|altijd
            ^ altijd|nooit dat|dit|die|deze|het|de ~$
            was|waren het|ze maar
            ^ er|hij|zij|ze|dat|het moet|moeten|kan|zal .. zijn|waar $
            zoals|voor altijd
            gisteren|vroeger|destijds
            liedje|film|boek .. heet|heette",
        rules: &[
            (
                Never,
                "^ nooit ~meer|gedacht|gezien|gehoord
                mag|mogen|moet|moeten|zou|zouden .. nooit
                gebruik|push|commit|schrijf|verwijder|wijzig|maak|doe|zet|voer|deel|log|raak|deploy|merge|vertrouw .. nooit
                alsjeblieft|en|maar|je|we nooit ~meer
                in geen geval
                onder geen beding|enkele|enkel
                op geen enkele
                nimmer",
            ),
            (
                Prohibition,
                "~hebben|weten|kunnen|konden|zijn|waren|willen|begrijpen|zien|gaan|hadden|denken|vinden *en we|wij niet|nooit|geen
                ^ we|wij ~hebben|weten|kunnen|konden|zijn|waren|willen|begrijpen|zien|gaan|hadden|denken|vinden *en .. niet|nooit|geen
                mag|mogen|moet|moeten|dient|dienen .. niet|geen|niets
                is|zijn|blijft|blijven|strengste verboden|taboe|uitgesloten
                verboden om|te
                mag|mogen .. niemand|nergens
                ^ _ alsjeblieft niet|geen|nooit
                niet toegestaan|geoorloofd|de bedoeling|gewenst
                ^ ~ik|hij|zij|ze|we|wij|jullie|het|dat|dit|er|je|heb|is|was|zijn|nog|helemaal|bijna|voorlopig|gelukkig|had|heeft|maak _ geen|nooit ~idee|probleem|zorgen
                ^ geen .. *en|gebruiken|in|op|zonder|bij $
                ^ geen _ in|op|zonder|meer|gebruiken|toevoegen
                ^ niet .. *en $
                ^ niet zonder|direct|op|rechtstreeks
                gebruik|push|commit|schrijf|verwijder|wijzig|maak|doe|zet|voer|deel|log|raak|deploy|merge|verander|sla|installeer|plaats .. geen|niet|niets
                vermijd|voorkom
                blijf van|af|uit
                stop met
                ik wil .. geen|niet
                zonder toestemming|goedkeuring|overleg $",
            ),
            (
                Always,
                "^ altijd ~al|nog|maar|weer|gedacht
                gebruik|schrijf|maak|doe|zet|voer|draai|controleer|vraag|geef|test|check altijd|steeds
                gebruik|schrijf|maak|doe|voer|draai|controleer|vraag|geef _ altijd|steeds
                moet|moeten|dient|dienen|zouden .. altijd|steeds
                elke|iedere keer
                ^ ~ik|hij|zij|ze|we|wij|jullie|het|dat|dit|er|je|zoals|bijna|nog|niet|was|is _ altijd|steeds ~al|nog|maar|weer
                bij|voor|na elke|iedere|ieder|elk ~was
                ^ ~ik|hij|zij|ze|we|wij|jullie|het|dat|dit|er|je|was|is|had|gisteren|vroeger _ de|het|een _ altijd
                te allen tijde
                zonder uitzondering",
            ),
            (
                Obligation,
                "zorg|zorgt ervoor|dat|er
                let|denk er|erop|eraan
                vergeet niet|nooit
                alle|elke|iedere|ieder|iedereen .. moet|moeten|dient|dienen
                <ik|hij|het|dat|wij|ze moet|moeten elk|elke|ieder|iedere|alle|eerst|altijd
                <ik|hij|het|dat|wij|ze moet|moeten|dient|dienen .. zijn|worden|hebben|bevatten|blijven|*en $
                je|jullie|u moet|dient
                is|zijn verplicht|vereist|noodzakelijk
                regel|afspraak|richtlijn :|is
                houd je|u|jullie|rekening aan
                vraag .. eerst|voordat|toestemming",
            ),
            (
                FromNowOn,
                "^ vanaf ~zijn|haar|mijn
                vanaf nu|vandaag|heden|morgen|hier|dit
                van nu|vandaag af
                voortaan
                in het vervolg
                ^ in de toekomst
                tot nader order",
            ),
            (
                Exclusive,
                "gebruik|schrijf|neem|kies|draai|push|deploy|antwoord alleen|uitsluitend|enkel|slechts
                ^ alleen .. gebruiken|*en $
                mag|mogen|moet|moeten alleen|uitsluitend|enkel|slechts
                alleen .. toestemming|goedkeuring|akkoord
                uitsluitend
                gebruik|neem|kies|verkies .. in plaats|ipv|boven|niet",
            ),
            (
                Mistake,
                "brak|sloopte|crashte de|het|onze|alles|productie
                heeft|hebben .. kapot|gesloopt|gebroken|gecrasht|gewist|platgelegd
                ging|gingen|is .. kapot|plat|fout|mis|stuk
                niet nog een keer|eens
                nooit meer doen|zo|dit|$
                niet|nooit weer|opnieuw|meer doen
                dat|het was een|fout vergissing|fout|$
                dezelfde|diezelfde fout
                herhaal .. niet
                les geleerd
                veroorzaakte|leidde een|tot|het|de",
            ),
        ],
        unspaced: false,
    },
    Language {
        code: "sv",
        evidence: "och att det som en ett på av för med till er og et til den",
        leads: "och men så också snälla obs viktigt ok regel kom ihåg og også vigtigt viktig vær så snill",
        veto: "jag|jeg|han|hon|hun|vi|de har|hade|havde|hadde|var|ville|visste|vidste|trodde|kunde|kunne
            jag|jeg aldrig|aldri|alltid|altid
            har|hade|havde|hadde|var jag|jeg|vi|han|aldrig|aldri|alltid|altid
            inte|ikke dåligt|verre|dårlig|så|sant|noe
            oroa|bekymra|bekymre dig|deg
            sa|sade|sagde|skrev|påstod att|at|,|:
            varför|hvorfor|undrar|lurer
            aldrig|aldri förr|mer|før|mere|sett|set|hört|hørt|igen sett
            bättre|bedre sent än|end|enn
            ingen|inga|intet panik|problem|fara|aning|anelse
            som|för|for alltid|altid",
        rules: &[
            (
                Never,
                "^ aldrig|aldri ~förr|mer|før|mere|sett|set|hört|hørt
                får|må|ska|skal|skall|bör|bør|måste .. aldrig|aldri
                *a|använd|skriv|kör|pusha|push|committa|ta|gör|bruk|brug|slett|slet|gjør aldrig|aldri
                under inga|ingen omständigheter|omstændigheder|omstendigheter",
            ),
            (
                Prohibition,
                "får|må|ska|skal|bör|bør|skall inte|ikke|ej
                du får|må|skal|ska inte|ikke
                är|er|strängt förbjudet|förbjuden|förbjudna|forbudt|forbudte|tabu
                inte|ikke tillåtet|tillåten|tilladt|tillatt
                ^ *a|använd|skriv|kör|rör|ta|gör|bruk|brug|slett|slet|gjør|push|rør|endre .. inte|ikke|ej
                undvik|undgå|unngå
                ^ inga|ingen|intet .. i|på|utan|uden|uten",
            ),
            (
                Always,
                "^ alltid|altid ~har|var|varit
                *a|använd|skriv|kör|bruk|brug|sjekk|gjør alltid|altid
                ska|skal|måste|må|bör|bør .. alltid|altid
                varje|hver|hvert gång|gang
                före|innan|før|för varje|hver|hvert",
            ),
            (
                Obligation,
                "se|sørg|sørge till|för|for att|at
                glöm|glem inte|ikke|aldrig|aldri
                kom ihåg|i att|at|hug|hu
                alla|alle|varje|hver .. måste|ska|skal|må
                du måste
                är|er obligatoriskt|obligatorisk|påkrævet|påkrevd
                huska|husk at|å|alltid|altid",
            ),
            (
                FromNowOn,
                "från och med|nu
                fra nu|nå|og av|af|med
                framöver|hädanefter|fremover|herefter|heretter
                i fortsättningen|fortsættelsen|framtiden|fremtiden ,|ska|skal|bruk|använd|brug|bare",
            ),
            (
                Exclusive,
                "använd|skriv|bruk|brug bara|endast|kun|bare|enbart
                använd|bruk|brug|välj|velg|vælg .. istället|stället|i stedet|stedet|fremfor|framför
                får|må|ska|skal|kan bara|endast|kun|bare
                uteslutande|udelukkende|utelukkende",
            ),
            (
                Mistake,
                "förstörde|kraschade|ødelagde|ødela|knuste|sänkte|slog det|ut|den|produktionen|bygget|hele|allt
                inte|ikke igen|igjen
                samma|samme misstag|fel|fejl|feil
                det var ett|en|et misstag|fejl|feil
                gör|gjør|gør inte|ikke om|det|igen|igjen",
            ),
        ],
        unspaced: false,
    },
];
