//! Hindi, Indonesian and Malay, Vietnamese and Thai.

use super::Language;
use super::ProposalReason::{Always, Exclusive, FromNowOn, Mistake, Never, Obligation, Prohibition};

pub(super) static LANGUAGES: [Language; 4] = [
    Language {
        code: "hi",
        evidence: "को में से का की के पर और है बिना पहले",
        leads: "कृपया और लेकिन भी महत्वपूर्ण ध्यान नियम नोट याद ठीक देखो",
        veto: "क्या ~करना|करें
            क्यों|कैसे|कब|कहाँ|कौन
            मैं|मैंने|मुझे|वह|उसने|उन्होंने|हमने .. कभी|हमेशा ~करूँगा
            कभी नहीं था|थी|सोचा|देखा|सुना|गया|मिला|मिली
            कभी|हमेशा .. था|थी|थे|थीं $
            कभी|हमेशा .. रहा|रही|हूँ|हूं $
            कभी|हमेशा .. देखा|सुना|सोचा|भूलूँगा|भूलूंगा $
            चिंता|फिक्र|फ़िक्र|परेशान मत|न|ना|नहीं
            मत डरो|घबराओ
            घबराओ|घबराइए|डरो मत
            कहा|बोला|बोली|कहता|कहती|पूछा|लिखा|बताया कि|था|है|:
            पता|मालूम नहीं|है
            नहीं पता|जानता|जानती|मालूम
            ^ हमेशा यही|वही|ये|यह|वह
            काश
            हर किसी को .. नहीं
            देर आए
            गाना|फिल्म|फ़िल्म|किताब|उपन्यास .. नाम",
        rules: &[
            (
                Never,
                "कभी भी|मत|न|ना|नहीं .. मत|न|ना|नहीं|करें|करो|करना|कीजिए|चाहिए|करेंगे
                कभी .. मत|न|ना|नहीं .. करें|करो|करना|कीजिए|चाहिए|करे|जाए|डालें|लिखें|दें|छुएं|हटाएं|*ें|*ो|*ना|*एं|*एँ|*िए $
                किसी भी हालत|हाल|सूरत|परिस्थिति|कीमत
                किसी हालत में
                हरगिज|हरगिज़ .. मत|न|ना|नहीं
                बिल्कुल .. मत|न|ना|नहीं .. *ें|*ो|*ना|*िए|*एं|चाहिए",
            ),
            (
                Prohibition,
                "मत बनाओ|बनाना|जाओ|लाओ|दिखाओ|मिलाओ|लगाओ|बताओ|हटाओ|चलाओ|करो|करें|करना|कीजिए|कीजिएगा|डालो|लिखो|छुओ|हटाओ|बदलो|भेजो|चलाओ|रखो|*ो|*ना|*िए|*ें|*एं|*एँ
                न|ना करें|करो|करना|कीजिए|डालें|लिखें|छुएं|हटाएं|बदलें|भेजें|चलाएं|रखें|*ें|*एं|*एँ|*इए|*िए
                नहीं करना|करनी|करने|होना|होनी|होने|जाना|डालना|लिखना|बदलना|*ना|*ने|*नी चाहिए|है|हैं|देना|दिए
                नहीं *ना|*ने|*नी
                नहीं किया|की|किए|की जानी|जाना|जाए|जाएगा|जाने
                मना|वर्जित|निषिद्ध|प्रतिबंधित|निषेध है|हैं|$
                अनुमति नहीं
                इजाजत|इजाज़त नहीं
                से बचें|बचो|बचिए|परहेज
                बिना अनुमति|पूछे|मंजूरी|इजाजत|इजाज़त .. मत|न|ना|नहीं",
            ),
            (
                Always,
                "हमेशा .. करें|करो|करना|कीजिए|चाहिए|रखें|लिखें|चलाएं|चलाएँ|दें|लें|*ें|*ो|*ना|*िए|*एं|*एँ|होगा $
                ^ हमेशा
                हर बार ~मैं
                हर|प्रत्येक _ से पहले|पूर्व
                हर|प्रत्येक _ के पहले|बाद|साथ|लिए
                हर|प्रत्येक _ में|पर .. करें|लिखें|रखें|होना|चाहिए|जोड़ें|*ें|*एं
                सदैव
                सदा .. करें|करो|रखें",
            ),
            (
                Obligation,
                "जरूर|ज़रूर|अवश्य .. करें|करो|करना|कीजिए|चलाएं|चलाएँ|लें|लिखें|*ें|*ो|*ना|*िए|*एं
                सुनिश्चित करें|करो|कीजिए|करना
                याद रखें|रखो|रखिए|रखना|रहे
                ध्यान रखें|रखो|रखिए|रहे|दें|रखना
                भूलें|भूलना|भूलो|भूलिए मत|नहीं
                मत|न भूलें|भूलना|भूलो
                सभी|हर|सब|प्रत्येक .. चाहिए|होगा|होगी|अनिवार्य|जरूरी|ज़रूरी
                *ना|*नी|*ने चाहिए|होगा|होगी|अनिवार्य|पड़ेगा
                अनिवार्य|अनिवार्य|जरूरी|ज़रूरी|आवश्यक है|हैं|$
                नियम :|है|यह
                पहले .. पूछें|पूछो|पूछिए|अनुमति|मंजूरी
                अनुमति|मंजूरी|इजाजत लें|लो|लीजिए|लेना
                जवाब .. में हिंदी|हिन्दी|अंग्रेजी|दें|दो",
            ),
            (
                FromNowOn,
                "अब|आज|अभी|कल से|के ~तक
                आगे|अब से|चलकर|के
                आइंदा|आइन्दा
                ^ सोमवार|मंगलवार|बुधवार|गुरुवार|शुक्रवार|अगले से|हफ्ते|सप्ताह|महीने
                भविष्य में ~क्या
                इसके बाद|आगे हमेशा|कभी|से",
            ),
            (
                Exclusive,
                "सिर्फ|सिर्फ़|केवल|मात्र .. करें|करो|कीजिए|लिखें|दें|दो|लिखो|चाहिए|*ें|*एं|*एँ|*िए|करना|होगा $
                की|के जगह|बजाय|बदले .. इस्तेमाल|उपयोग|प्रयोग|करें|करो
                ही इस्तेमाल|उपयोग|प्रयोग करें|करो|कीजिए|करना",
            ),
            (
                Mistake,
                "टूट|बिगड़|क्रैश|खराब|ख़राब|डिलीट|ठप|बंद गया|गई|गए|हो .. मत|न|दोबारा|फिर
                तोड़|बिगाड़|उड़ा|मिटा दिया|दी
                दोबारा|फिर|दुबारा .. मत|न|ना|नहीं .. करना|करें|करो|हो|होनी|होना|*ना|*ें|*ो
                दोबारा|फिर|दुबारा से मत|न|ना
                वही|यही|ऐसी|यह गलती|ग़लती
                गलती|ग़लती थी|न|दोबारा|मत|दोहराएं|दोहराना
                सबक
                पिछली बार .. गया|गई|गए|था|थी|थे",
            ),
        ],
        unspaced: false,
    },
    Language {
        code: "id",
        evidence: "di ke dan yang untuk dengan tanpa pada dari ini itu",
        leads: "tolong dan tapi juga penting aturan catatan ingat mohon ya harap oke baik",
        veto: "apakah|kenapa|mengapa|bagaimana|kapan
            saya|aku|dia|mereka tidak|tak|belum|selalu pernah|ingin|suka
            tidak pernah lihat|melihat|mendengar|ada|tahu|menyangka|merasa
            jangan khawatir|kuatir|takut|sedih|cemas|risau
            tidak tahu|yakin|masalah|apa|ingat
            kata|katanya|bilang|mengatakan|berkata|menulis|tanya bahwa|:|,|dia|jangan
            dia|ibu|ayah|bos|guru bilang|berkata|mengatakan|kata
            lebih baik terlambat
            selalu ingin|mau|merasa
            lagu|film|buku|novel .. berjudul",
        rules: &[
            (
                Never,
                "jangan pernah|sekali|sesekali|sampai
                tidak boleh|pernah|akan .. pernah|sama ~melihat
                dalam keadaan apa
                apa pun yang
                dengan alasan apa",
            ),
            (
                Prohibition,
                "^ jangan ~khawatir|kuatir|takut|sedih|cemas
                tolong|mohon|dan|tapi|harap jangan
                tidak|tak boleh|diperbolehkan|diizinkan|dibolehkan
                dilarang|terlarang|haram
                hindari|hindarkan
                berhenti me*|meng*
                tanpa izin|persetujuan|konfirmasi $",
            ),
            (
                Always,
                "^ selalu ~ingin|mau|ada
                harus|wajib|tolong|dan|untuk selalu
                setiap kali ~saya
                setiap saat
                sebelum|setelah setiap
                tanpa kecuali|pengecualian",
            ),
            (
                Obligation,
                "pastikan
                jangan lupa
                semua|setiap .. harus|wajib
                kamu|anda|kalian harus|wajib
                harus|wajib di*|ber*|ada|lulus
                wajib
                ingat|ingatlah untuk|bahwa|selalu
                aturan|aturannya :|adalah",
            ),
            (
                FromNowOn,
                "mulai|sejak sekarang|hari|saat|besok|detik
                mulai dari sekarang
                ke depannya|depan
                kedepannya
                selanjutnya ,|gunakan|selalu|jangan",
            ),
            (
                Exclusive,
                "gunakan|pakai|tulis|jawab hanya|saja
                hanya gunakan|pakai|boleh
                gunakan|pakai .. daripada|alih|bukan
                alih - alih",
            ),
            (
                Mistake,
                "itu|ini|yang merusak|menghapus|menyebabkan|bikin|mengakibatkan
                merusak|menghancurkan build|produksi|semua|database
                jangan .. lagi
                jangan ulangi|diulangi|mengulangi
                kesalahan|salah yang sama
                itu|adalah kesalahan
                menyebabkan|mengakibatkan downtime|kehilangan|error|gangguan",
            ),
        ],
        unspaced: false,
    },
    Language {
        code: "vi",
        evidence: "là và của cho trong các những này được khi",
        leads: "vui lòng xin hãy và nhưng cũng lưu ý quan trọng quy tắc nhớ",
        veto: "tại|vì sao
            có phải
            tôi|mình|anh|cô|ông|bà|nó chưa|không|luôn|đã bao|muốn|từng|ấy
            đừng lo|sợ|buồn|ngại
            không sao|biết|chắc|hiểu
            nói|bảo|viết|hỏi rằng|là|:
            thà muộn
            luôn muốn|mơ",
        rules: &[
            (
                Never,
                "không bao giờ ~tôi
                đừng bao giờ
                tuyệt đối không|đừng|cấm
                không được .. bao|trong
                trong mọi trường hợp không",
            ),
            (
                Prohibition,
                "^ đừng ~lo|sợ|buồn|ngại
                hãy|xin|và|nhưng đừng
                không được ~khỏe
                không nên
                cấm
                nghiêm cấm
                tránh
                không dùng|sử|commit|push|sửa|xóa|xoá|đẩy|thay|chạy",
            ),
            (
                Always,
                "^ luôn ~muốn|là
                luôn luôn
                phải|hãy|cần luôn
                mỗi khi|lần|lúc ~tôi
                trước|sau khi|mỗi .. phải|hãy|luôn",
            ),
            (
                Obligation,
                "đảm|bảo bảo|đảm rằng|mọi|tất|luôn
                hãy đảm|chắc|nhớ
                đừng|không quên
                nhớ phải|luôn|chạy
                mọi|tất|mỗi .. phải|cần
                bắt buộc
                phải được|có|chạy|dùng|qua
                bạn phải",
            ),
            (
                FromNowOn,
                "từ bây|giờ|nay|hôm giờ|trở|nay|về
                từ giờ|nay
                kể từ
                sau này",
            ),
            (
                Exclusive,
                "chỉ dùng|sử|được|viết|trả
                dùng|sử .. thay
                thay vì .. dùng|hãy",
            ),
            (
                Mistake,
                "làm|đã|nó hỏng|sập|vỡ|mất
                đừng .. nữa|lại
                không .. lặp lại
                lặp lại lỗi|sai
                sai lầm",
            ),
        ],
        unspaced: false,
    },
    Language {
        code: "th",
        evidence: "",
        leads: "",
        veto: "ไหม|หรือเปล่า|ทำไม|อย่างไร|เมื่อไหร่|หรือไม่
            ไม่เคย
            อย่ากังวล|ไม่ต้องห่วง|อย่าห่วง|ไม่เป็นไร|อย่ากลัว
            บอกว่า|พูดว่า|ถามว่า|กล่าวว่า|เขียนว่า",
        rules: &[
            (Never, "ห้าม เด็ดขาด|ไม่ว่า\nอย่า เด็ดขาด\nไม่ว่ากรณีใด"),
            (Prohibition, "ห้าม\nไม่ควร\nไม่อนุญาต\n^ อย่า|กรุณาอย่า|โปรดอย่า\nหลีกเลี่ยงการ\nต้องไม่"),
            (Always, "เสมอ\nทุกครั้ง"),
            (Obligation, "ตรวจสอบให้แน่ใจ\nอย่าลืม\nจำเป็นต้อง\n^ ต้อง\nทุก ต้อง\nบังคับ"),
            (FromNowOn, "ตั้งแต่นี้|ตั้งแต่วันนี้|จากนี้ไป|นับจากนี้|ต่อจากนี้|ต่อไปนี้"),
            (Exclusive, "ใช้ เท่านั้น\nใช้ แทน"),
            (Mistake, "ทำพัง|ทำให้ระบบล่ม|ทำให้พัง\nอย่าทำ อีก\nความผิดพลาดเดิม"),
        ],
        unspaced: true,
    },
];
