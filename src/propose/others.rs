//! Turkish, Finnish, Hungarian and Greek.

use super::Language;
use super::ProposalReason::{Always, Exclusive, FromNowOn, Mistake, Never, Obligation, Prohibition};

pub(super) static LANGUAGES: [Language; 4] = [
    Language {
        code: "tr",
        evidence: "bir ve bu için ile de da olmadan önce sonra kod kodu dal dalına dosya dosyayı testleri her bize onay izin",
        leads: "lütfen ve ama ayrıca önemli dikkat kural kurallar not unutma tamam hatırlatma yani bak çünkü arkadaşlar burada",
        veto: "mı|mi|mu|mü|mısın|misin|musun|müsün|mıyız|miyiz|mıyım|miyim
            asla|hiçbir|hiç|daima|her .. *dım|*dim|*dum|*düm|*tım|*tim|*tum|*tüm|*madım|*medim|*mam|*mem|*mıyorum|*miyorum|*ırdım|*irdim|*erdim|*ardım|*mazdık|*mezdik|*dık|*dik|*acağım|*eceğim|*amam|*emem|*mıştım|*miştim $
            asla|zaman|daima .. *dı|*di|*du|*dü|*tı|*ti|*madı|*medi|*mıştı|*mişti|*rdı|*rdi|*dılar|*diler $
            asla|zaman|daima .. *dığını|*diğini|*ceğini|*cağını|*masını|*mesini .. söyledi|söylüyor|dedi
            zaman|asla|daima|hep .. *yor|*yorum|*yorlar|*yoruz|*ardı|*erdi|*ırdı|*irdi|*urdu|*ürdü|*kalır $
            dedi|diyor|derdi|söyledi|sordu|yazdı|iddia|anlattı|söylerdi $
            merak etme|etmeyin|ediyorum
            endişelenme|endişelenmeyin|üzülme|üzülmeyin|korkma|korkmayın|kaygılanma
            neden|niye|niçin|nasıl|acaba
            dün|eskiden|geçen|vaktiyle .. *dı|*di|*du|*dü|*tı|*ti|*dım|*dim|*dık|*dik $
            geç olsun
            belli olmaz
            keşke
            ^ bu|şu|o .. *emez|*amaz $
            zaman|hep|daima .. ~çalıştır|*ıştır|*iştir|*uştur|*üştür|getir|bitir|bildir|kaldır|*malıdır|*melidir|zorunludur|gereklidir|yasaktır|şarttır *dır|*dir|*tır|*tir|*dur|*dür|*tur|*tür $
            ^ _ olmalı $
            olsa gerek
            fark etmez
            şarkı|şarkısı|film|kitap|roman .. adlı|adında",
        rules: &[
            (
                Never,
                "asla ~*dım|*dim
                hiçbir|hiç zaman|koşulda|şekilde|şartta|durumda|suretle|kimse|koşul ~bu
                sakın ~ol
                katiyen|kesinlikle .. *ma|*me|*mayın|*meyin|*mayınız|*meyiniz|*maz|*mez|yasak $
                ne olursa olsun",
            ),
            (
                Prohibition,
                "*mayın|*meyin|*mayınız|*meyiniz $
                *ları|*leri|*ını|*ini|*yı|*yi *ma|*me $
                lütfen .. *ma|*me|*mayın|*meyin|*mayınız|*meyiniz
                @ *ma|*me|kullanma|yapma|yazma|silme|değiştirme|ekleme|dokunma|gönderme|paylaşma|çalıştırma|atma $
                kullanma|yapma|yazma|silme|değiştirme|dokunma|pushlama|çalıştırma|commitleme|gönderme|paylaşma|yükleme|atma|ekleme $
                *mamalı|*memeli|*mamalısın|*memelisin|*mamalısınız|*memelisiniz|*mamalıdır|*memelidir|*mamalıyız|*memeliyiz
                yasak|yasaktır|yasaklandı|yasaklanmıştır
                izin verilmez|verilmiyor|yok|yoktur|vermiyorum
                kabul edilmez|edilemez
                *amaz|*emez|*amazsın|*emezsin|*amazsınız|*emezsiniz|*ılmaz|*ilmez|*ulmaz|*ülmez|*anmaz|*enmez|*lamaz|*nmaz|*nmez $
                kaçın|kaçının|kaçınılmalı|kaçınılmalıdır
                uzak dur|durun
                ~bilmiyoruz|anlamıyoruz|göremiyoruz|hatırlamıyoruz|bulamıyoruz|sanmıyoruz *mıyoruz|*miyoruz|*muyoruz|*müyoruz $
                istemiyorum|istemiyoruz $
                vazgeç|bırak|kes artık",
            ),
            (
                Always,
                "her zaman ~*dım|*dim|ki|olduğu
                daima
                her seferinde|defasında|defa
                her _ önce|sonra|öncesi|için|öncesinde|sonrasında .. *ın|*in|*un|*ün|*malı|*meli|*malısın|*melisin|çalıştır|yap|yaz|ekle|kontrol|et|sor|*ır
                istisnasız",
            ),
            (
                Obligation,
                "mutlaka
                emin ol|olun|olunuz
                unutma|unutmayın|unutmayınız
                *malısın|*melisin|*malısınız|*melisiniz|*malıdır|*melidir|*malıyız|*meliyiz $
                tüm|bütün|her .. *malı|*meli|*malıdır|*melidir|zorunda|zorundadır|gerekir|gerekiyor|gerek $
                *ılmalı|*ilmeli|*ulmalı|*ülmeli|*nmalı|*nmeli|olmalı|*malı|*meli $
                zorunludur|zorunlu|şarttır|şart|mecburi|mecburidir|gereklidir $
                dikkat et|edin|ediniz|edilmeli
                kural|kuralımız|kısıt|şart :
                önce .. sor|sorun|danış|onay
                onay|izin .. al|alın|almadan",
            ),
            (
                FromNowOn,
                "bundan sonra|böyle
                *den|*dan itibaren
                şu|bu andan|günden|noktadan itibaren
                bugünden|şimdiden|yarından itibaren|sonra
                artık .. *ma|*me|*mayın|*meyin|*ın|*in|*un|*ün|kullan|yap|yaz|*alım|*elim|*acağız|*eceğiz|*malı|*meli|hep|her
                ileride|gelecekte .. kullan|kullanın|*mayın|*meyin|yap
                ikinci bir emre",
            ),
            (
                Exclusive,
                "sadece|yalnızca|yalnız|tek .. kullan|kullanın|yaz|yazın|*ın|*in|*malı|*meli|*ır|*ir|*abilir|*ebilir|kullanılır|ver|cevapla $
                yerine .. kullan|kullanın|kullanalım|kullanılmalı|tercih
                tercih et|edin",
            ),
            (
                Mistake,
                "bu|o|şu|bunu|geçen .. bozdu|çökertti|patlattı|sildi|çöktü|kırdı|mahvetti $
                *yı|*yi|*ı|*i|*u|*ü bozdu|çökertti|patlattı|mahvetti|kırdı|çökertmişti|bozmuştu
                çökertti|patlattı|mahvetti|bozuldu|çöktü , |.. *ma|*me|*mayın
                bir daha .. *ma|*me|*mayın|*meyin|*masın|*mesin|asla
                aynı hata|hatayı
                hataydı|yanlıştı $
                tekrar .. *ma|*me|*mayın|*meyin $
                tekrarlama|tekrarlamayın|tekrarlanmasın
                yol açtı|açmıştı
                neden oldu|olmuştu
                ders aldık|olsun",
            ),
        ],
        unspaced: false,
    },
    Language {
        code: "fi",
        evidence: "ja on ei se että ilman",
        leads: "ja mutta myös tärkeää huom sääntö muista",
        veto: "en|et ole|ollut koskaan|ikinä
            miksi|milloin|miten
            sanoi|kertoi|väitti että|:|,
            en koskaan|aina|ikinä
            ei haittaa|hätää|se ole
            älä huoli|huolehdi|hätäile",
        rules: &[
            (
                Never,
                "älä|älkää|ei|ei koskaan|ikinä|saa ~ole
                ei missään|millään tapauksessa|nimessä
                koskaan ei saa",
            ),
            (
                Prohibition,
                "^ älä|älkää
                ja|mutta|niin älä|älkää
                ei saa|saisi
                eivät saa
                on|ovat kielletty|kiellettyä|kiellettyjä
                ei ole sallittu|sallittua
                vältä|välttäkää",
            ),
            (
                Always,
                "^ aina ~kun|on
                *ä|*a|käytä|kirjoita|aja|tarkista|testaa aina
                pitää|täytyy|tulee aina
                joka kerta
                ennen jokaista|jokaisen",
            ),
            (
                Obligation,
                "varmista|varmistakaa
                muista|muistakaa aina|että|ajaa|tarkistaa|*a|*ä
                kaikki|kaikkien|jokaisen|jokainen .. pitää|täytyy|tulee|on
                sinun|teidän täytyy|pitää
                on|ovat pakollinen|pakollista|pakollisia",
            ),
            (
                FromNowOn,
                "tästä lähtien|eteenpäin|alkaen
                jatkossa
                vastedes",
            ),
            (
                Exclusive,
                "käytä|kirjoita|vastaa vain|ainoastaan
                ainoastaan
                käytä .. sijaan|sijasta
                saa|voi vain|ainoastaan",
            ),
            (
                Mistake,
                "se|tämä|tuo|joka rikkoi|kaatoi|poisti|hajotti
                rikkoi|kaatoi|hajotti tuotannon|koko|kaiken|buildin
                älä tee .. uudestaan|enää|uudelleen
                ei enää koskaan|ikinä
                sama|saman virhe|virheen|virhettä
                se oli virhe",
            ),
        ],
        unspaced: false,
    },
    Language {
        code: "hu",
        evidence: "a az és egy nem hogy",
        leads: "kérlek és de fontos figyelem szabály megjegyzés",
        veto: "soha nem *tam|*tem|*ttam|*ttem|volt|láttam|gondoltam
            mindig *tam|*tem|is|volt
            ne aggódj|aggódjon|félj
            miért|mikor|hogyan|vajon
            azt mondta|írta|állította
            mondta|állította , hogy
            jobb későn",
        rules: &[
            (
                Never,
                "soha ne|se
                ^ sose|sohase|soha
                semmilyen|semmi körülmények|esetre
                semmiképp|semmiképpen",
            ),
            (
                Prohibition,
                "^ ne ~aggódj|félj|is
                kérlek|és|de ne
                nem szabad|lehet|megengedett|engedélyezett|használhat*
                tilos
                tiltott|tilos
                kerüld|kerülje|kerüljétek",
            ),
            (
                Always,
                "^ mindig ~is|volt|*tam|*tem
                kell|használj|írj|futtasd|ellenőrizd mindig
                minden alkalommal
                minden _ előtt|után",
            ),
            (
                Obligation,
                "győződj|bizonyosodj meg
                ne felejtsd|felejtse
                minden|mindenki|összes .. kell|köteles
                kötelező
                ügyelj|ügyeljen
                muszáj",
            ),
            (
                FromNowOn,
                "mostantól|ezentúl
                mától
                a jövőben|továbbiakban",
            ),
            (
                Exclusive,
                "csak|kizárólag .. használj|használd|használható|írj|szabad|lehet
                kizárólag
                helyett .. használj|használd",
            ),
            (
                Mistake,
                "ez|az|ami elrontotta|tönkretette|leállította|törölte
                elrontotta|tönkretette|leállította a|az
                soha többé|többet
                ugyanez|ugyanezt|ugyanazt a hiba|hibát
                ez hiba volt
                ne csináld|ismételd .. újra|még|többet",
            ),
        ],
        unspaced: false,
    },
    Language {
        code: "el",
        evidence: "και το η ο στο στη με για να",
        leads: "παρακαλώ και αλλά επίσης σημαντικό προσοχή κανόνας σημείωση",
        veto: "ποτέ δεν|μου ήταν|είχα|είδα|ήξερα|είπα|έχω|φαντάστηκα
            πάντα ήθελα|ήταν|μου|είχα
            μην ανησυχείς|ανησυχείτε|φοβάσαι
            δεν ξέρω|νομίζω|θυμάμαι|πειράζει
            γιατί|πότε|πώς
            είπε|είπαν|έλεγε|ισχυρίζεται ότι|πως|:
            κάλλιο αργά",
        rules: &[
            (
                Never,
                "^ ποτέ μη|μην
                ποτέ μη|μην
                μη|μην .. ποτέ
                σε καμία|καμμία περίπτωση
                με κανέναν|τίποτα τρόπο",
            ),
            (
                Prohibition,
                "^ μη|μην ~ανησυχείς|ανησυχείτε
                και|αλλά|παρακαλώ μη|μην
                δεν πρέπει|επιτρέπεται|επιτρέπονται
                απαγορεύεται|απαγορεύονται|απαγορευμένο
                να μη|μην
                απόφυγε|αποφύγετε|αποφεύγετε",
            ),
            (
                Always,
                "^ πάντα|πάντοτε ~ήθελα|ήταν|μου
                να|πρέπει πάντα|πάντοτε
                κάθε φορά που
                πριν|μετά από κάθε",
            ),
            (
                Obligation,
                "βεβαιώσου|βεβαιωθείτε|φρόντισε|φροντίστε
                μην ξεχάσεις|ξεχνάς|ξεχάσετε
                όλα|όλες|όλοι|κάθε .. πρέπει
                πρέπει να
                είναι υποχρεωτικό|υποχρεωτική|απαραίτητο
                να θυμάσαι",
            ),
            (
                FromNowOn,
                "από τώρα|σήμερα|εδώ|δω και|και
                στο εξής
                εφεξής",
            ),
            (
                Exclusive,
                "χρησιμοποίησε|χρησιμοποιήστε|γράψε|απάντα μόνο|αποκλειστικά
                μόνο .. χρησιμοποίησε|επιτρέπεται|πρέπει
                αποκλειστικά
                αντί .. χρησιμοποίησε|χρησιμοποιήστε",
            ),
            (
                Mistake,
                "αυτό|που χάλασε|έριξε|διέγραψε|έσπασε
                χάλασε|έριξε|έσπασε το|την|τη
                ποτέ ξανά
                μη|μην .. ξανά
                ίδιο|ίδια λάθος
                ήταν λάθος",
            ),
        ],
        unspaced: false,
    },
];
