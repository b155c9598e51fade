//! French, Spanish, Portuguese, Italian and Romanian.

use super::Language;
use super::ProposalReason::{Always, Exclusive, FromNowOn, Mistake, Never, Obligation, Prohibition};

pub(super) static LANGUAGES: [Language; 5] = [
    Language {
        code: "fr",
        evidence: "le la les un une des de du en sur dans avec sans pour et est que ce",
        leads: "s'il te vous plaît svp stp merci de et mais donc aussi attention important règle rappel note ok bon alors enfin surtout sinon car parce puis bref encore",
        veto: "je ne|n'ai|n'avais|n'étais|n'aime|suis|voulais|toujours|pense|crois
            j'ai|j'avais|j'étais|j'aime|j'adore|j'aimerais|j'aurais ~besoin|dit|horreur
            il|elle|on|ils|elles n'a|n'ont|n'avait|n'avaient|n'était|n'est|ne|a|ont|avait|avaient|était disait|dit|m'a|toujours|jamais|fait|pas|s'est|écrit|raconté|prétend|répondu
            il|elle|ils|elles ne _ jamais|pas
            toujours pas|été|aimé|voulu|rêvé|pensé|cru|eu
            jamais vu|entendu|pensé|été|eu|su|deux|cru
            ça ne|n'a me|va|marche|fait|sert|jamais
            ne t'inquiète|vous|te|m'en|sais|pense|crois pas|inquiétez|inquiète
            t'inquiète
            pourquoi|est-ce|comment|quand|combien
            est - ce que
            me demande
            mieux vaut tard
            j'* toujours|jamais
            ^ toujours|jamais ce|cette|ces|la|le|les
            si seulement
            tout le monde ne|n'*
            il|elle|ils|elles a|ont|avait|avaient évité|évitée
            a|ai|avons|ont|avait évité
            ça|cela|ce ne|n'* peut|peuvent|pourra
            on ne|n'* sait|voit|comprend|entend|trouve|arrive|sent|a
            il|elle|ce|ça doit être|avoir
            ce n'est pas
            comme|pour toujours
            jamais de la vie|deux
            chanson|film|livre|roman|album|titre intitulé|s'appelle|intitulée
            pas mal|grave|encore|besoin|vrai|sûr|possible|du
            n'a|n'ai|n'avait|n'avons|n'ont|n'était|n'étais|n'avais jamais|pas|toujours
            aucun|aucune .. *ait|*aient
            hier|autrefois|jadis nous|je|il|elle|on|ils
            il|elle|ils|elles ~doit|doivent|faut|devra|devront|peut|peuvent _ toujours|jamais
            faut croire|dire|avouer|admettre
            si je|tu|on|vous ne
            n'aie|n'ayez|pas peur",
        rules: &[
            (
                Never,
                "^ ne|n' .. jamais ~vu|été|eu
                ^ n'* .. jamais ~vu|été|eu
                ^ jamais ~vu|été|entendu|deux|pensé .. sans|de|dans|sur|directement|d'*
                ne|il|tu|vous|on doit|doivent|devez|dois|faut|peut|peuvent .. jamais
                ne jamais
                ne _ jamais ~été
                en aucun cas|aucune
                sous aucun prétexte
                à aucun moment|prix
                plus jamais .. ça|de|*er|*ir|*re",
            ),
            (
                Prohibition,
                "^ ne|n'* .. pas ~vrai|grave|inquiet|inquiète|inquiétez
                ^ ne pas|rien|plus|modifier|toucher
                merci|prière de ne
                ne|n'* doit|doivent|dois|devez|faut|doit|peut|peuvent|devrait|devraient .. pas|rien|aucun|aucune
                on n'*|ne .. pas|jamais|plus|aucun|aucune ~dit
                il ne faut pas|jamais|surtout|plus
                est hors de question de|d'*|que|qu'*
                faut pas
                défense|interdiction|interdit de|d'*
                est|sont|reste|restent|strictement|formellement interdit|interdite|interdits|interdites|proscrit|proscrite|proscrits|prohibé|tabou|exclu|bannis|banni
                n'est|n'* sont|est pas|plus autorisé|autorisés|permis|autorisée|acceptable|toléré
                ^ pas de|d'* ~souci|soucis|problème|problèmes|panique|chance|quoi|réponse|stress ..
                ^ aucun|aucune ~idée|problème|souci|doute|chance|importance .. sans|dans|sur|ne
                évite|évitez|éviter
                abstiens|abstenez
                ^ arrête|arrêtez|cesse|cessez de|d'*
                sans autorisation|validation|accord|permission $
                je|nous ne veux|voulons|souhaite pas|plus|aucun|aucune
                pas touche",
            ),
            (
                Always,
                "^ toujours ~pas|été|aimé|voulu|rêvé|là|la|le|les|un|une|en|aussi|plus
                ^ ~le|la|elle|une|cette|de|je|que|ce|ne|notre|comme|chaque *ez|*e|*is|fais|mets|utilise|écris|prends toujours|systématiquement ~pas|été|voulu|aimé
                doit|doivent|dois|devez|faut .. toujours|systématiquement|chaque
                il faut toujours|systématiquement
                ^ chaque|toute|tout .. doit
                à chaque|tout .. *ez|*er|doit|doivent|faut
                ^ avant|après chaque|tout|toute|de ~monde
                en toutes circonstances
                dans tous les cas ,
                sans exception
                systématiquement",
            ),
            (
                Obligation,
                "assure|assurez toi|vous|-
                fais|faites en sorte
                veille|veillez à|toujours
                n'oublie|n'oubliez pas|jamais
                pense|pensez|penser à toujours|bien|*er
                tous|toutes|chaque|tout|toute .. doit|doivent
                tu|vous dois|devez ~être|avoir|te|vous
                <il|elle|ça|ce|cela doit|doivent .. être|avoir|passer|contenir|rester|respecter|utiliser|*er
                il faut ~croire|dire|avouer|que|admettre|un
                il est impératif|obligatoire|nécessaire|indispensable|interdit
                est|sont obligatoire|obligatoires|requis|requise|impératif|exigé
                obligatoirement|impérativement
                règle|consigne|convention|contrainte|exigence :|est|d'or
                respecte|respectez
                demande|demandez|demander .. avant|confirmation|validation
                réponds|répondez|écris|écrivez .. en français|anglais
                exige|exigeons",
            ),
            (
                FromNowOn,
                "à|a partir|compter de|d'* maintenant|aujourd'hui|présent|là|ce
                à|a partir|compter d'aujourd'hui|d'aujourd
                dorénavant
                désormais
                à l'avenir
                pour la suite
                jusqu'à nouvel
                dès maintenant|aujourd'hui|demain|lundi|à",
            ),
            (
                Exclusive,
                "*ez|*e|*is|*er uniquement|exclusivement|seulement
                uniquement|exclusivement
                doit|doivent|peut|peuvent .. que|uniquement|seulement
                *ez|utilise|préfère|prends|choisis .. plutôt|lieu|place|pas
                ^ n'* .. que
                ne peut|peuvent|doit|doivent .. que|qu'*
                uniquement|seulement|qu'avec|qu'après .. accord|autorisation|consentement|validation
                n'utilise|n'utilisez|ne|n'écris .. que",
            ),
            (
                Mistake,
                "a|ont|avait tout|cassé|planté|fait|corrompu|effacé|supprimé|provoqué|causé|détruit cassé|planté|la|le|les|une|un|tomber|perdre|toute|tous|notre
                ça|cela|ce|ceci a|avait tout|cassé|planté|fait|cassée
                ne|n'* .. refais|refaites|recommence|recommencez|répète|répétez|reproduis|refaire .. pas|plus|jamais|erreur
                pas|plus jamais|recommencer|refaire|encore ça|cette|cela|une
                plus jamais ça
                c'était une erreur|faute|bêtise
                même|cette|l' erreur|bêtise
                leçon apprise|retenue
                la dernière fois .. cassé|planté|perdu|tombé|crashé|corrompu
                nous|nous a|ont coûté",
            ),
        ],
        unspaced: false,
    },
    Language {
        code: "es",
        evidence: "el la los las un una en de del que para con sin por al este esta sobre código antes sin lo nada su tu mi",
        leads: "por favor y pero entonces también además importante regla recuerda recordatorio nota ojo atención ok bueno vale así que bien luego pues porque ya siempre",
        veto: "yo|ella|él|ellos nunca|siempre|jamás|no
            he|había|has|ha|habían|hemos|era|estaba|fue|fui|quise|quería|pude|hubo nunca|siempre|jamás|que|*ado|*ido
            nunca|jamás|siempre he|había|has|ha|hemos|han|fue|fui|era|estaba|supe|quise|pensé|tuve|vi|me|imaginé|llegó|*aba|*aban|*ábamos|*íamos|*ía|*ían|*aste|quiso|respondió|contestó|volvió|pasó|llamó|hice|hizo|dijo|pude
            no se si|qué|que|cómo|cuándo|dónde|por|nada|cuál|quién|sabe
            no creo|pienso|entiendo|recuerdo|me|te|tengo|es|está|hay|son|puedo|estoy|soy|quiero|logro|consigo ~obligatorio|permitido|permitidos|que|usar
            no te preocupes|asustes|rindas
            no se preocupe|preocupen
            no importa|pasa|obstante|solo|sólo
            dijo|dice|decía|preguntó|escribió|afirma|contó|cuenta|insiste que|:|,|si
            por qué|que
            cómo|cuándo|dónde|cuál|quién
            me pregunto|preguntaba
            más vale tarde|nunca
            ^ siempre|nunca este|esta|ese|esa|el|la|lo|los|las
            ojalá
            no a|todos todos|el
            esto|eso|aquello ya|no .. puede|podrá
            esto|eso no puede|podrá
            no puede|pueden durar|estar|tardar
            nunca|jamás se sabe|cansa|acaba
            ^ siempre|nunca|jamás *o
            ^ debe|deben|deberá de|estar|haber|tener
            como|para|desde siempre
            casi nunca|jamás
            siempre me|te|quise|hay|es|está
            nunca es|está|hay|se|me ~deben|debe|puede|permite|guardan
            ayer|antiguamente yo|se|éramos|teníamos
            ella|él|ellos|ellas ~debe|deben|puede|pueden _ siempre|nunca
            canción|película|libro|novela .. llama|llamada|titulada|titulado",
        rules: &[
            (
                Never,
                "^ nunca|jamás ~he|había|has|ha|fue|es|más|hay|me|se|supe|vi
                debe|deben|debes|debería|deberían|puede|pueden|hay|hagas|vuelvas .. nunca|jamás
                nunca|jamás debe|deben|puede|pueden|debería|deberían
                que|no|y|pero|los|tests nunca|jamás se|debe|deben|*es|*as|*e|*ar|*er|*ir
                bajo ningún|ninguna concepto|circunstancia|motivo
                en ningún caso|momento
                de ninguna|ningún manera|modo
                nadie|nada debe|puede
                ni se te ocurra",
            ),
            (
                Prohibition,
                "@ ^ no ~funcionan|tienen|saben|pueden|quieren|entienden|vienen|salen|hacen|es|eres|has|las|sabes|puedes|tienes|quieres|crees|han|están|eran|son|estas *es|*as|*ar|*er|*ir|*en|*an|*éis|*áis ~que|problemas|mucho
                ^ no lo|la|los|las|me|nos|le *es|*as|*en|*an
                no hagas|uses|toques|borres|pongas|subas|modifiques|cambies|escribas|ejecutes|instales|elimines|publiques|despliegues|agregues|añadas|envíes|compartas|olvides|use|utilice|utilices|haga|hagan
                no|nunca debe|deben|debes|debería|deberían|deberías|puede|pueden|puedes|podemos|debemos ~ser|que|estar
                no se debe|deben|puede|pueden|permite|permiten|admite|admiten|toca|tocan|usa|usan|*a|*an
                está|están|queda|quedan|es|estrictamente terminantemente|prohibido|prohibida|prohibidos|prohibidas|vetado|prohibido
                prohibido|prohibida|queda usar|hacer|prohibido|modificar|tocar|subir|*ar|*er|*ir
                se prohíbe
                no está|están permitido|permitida|permitidos|permitidas|autorizado
                evita|evite|evitar|eviten|evitad
                absténgase|abstente
                deja|deje|dejen|dejad de
                ^ nada de
                ^ ningún|ninguna .. sin|puede|debe|en
                sin permiso|autorización|aprobación|consultar|preguntar|avisar $
                no quiero que|ver|ningún|más",
            ),
            (
                Always,
                "^ siempre ~he|había|quise|me|te|hay|la|el|lo|y|fue|es|está|quiso|supe|pensé
                debe|deben|debes|debemos|hay|tiene|tienen|tienes .. siempre
                ^ usa|use|utiliza|ejecuta|escribe|haz|pon|responde|pregunta|comprueba|verifica|revisa|prueba|pide|guarda|mantén|valida .. siempre
                va|van siempre en|con|sin|entre|al|a
                ^ ~yo|él|ella|ellos|ellas|usted|hay|es|está|había|fue|casi|como|para|desde|no|aquí|eso|esto|ese|así|*o|*aba|*ía|era|eran|llueve|eu|ele|eles|elas|você|aqui|isso|foi|tem|tinha|quase|chove|io|lui|lei|loro|c'è|fa|sono|da|per|piove|noi|voi|qui _ siempre ~que|me|te
                cada vez que ~me|yo
                ^ antes|después de cada|hacer|subir|*ar|*er|*ir
                en|a|para cada|todo|todos|todas .. debe|hay|siempre|*a|*e
                en todo momento|caso
                sin excepción|excepciones",
            ),
            (
                Obligation,
                "procura|procure|cuida|vigila que
                tiene|tienen que ~ser|estar|haber *ar|*er|*ir
                asegúrate|asegúrese|asegúrense|asegurarse|aseguraos
                ten|tenga en cuenta
                recuerda|recuerde|recuerden|acuérdate de|siempre|que|no|nunca
                no olvides|olvide|te|se olviden|olvides|olvide
                todo|todos|todas|cada|toda .. debe|deben|tiene|tienen
                debes|debéis|deberás
                <no|yo|él|ella|eso <deber debe|deben ~*se|ser|haber ..
                debe|deben ser|estar|tener|pasar|llevar|incluir|contener|ir|quedar|haber
                es|son obligatorio|obligatoria|obligatorios|imprescindible|necesario|requisito
                obligatorio|imprescindible
                hay que
                tienes|tenéis|tienen que *ar|*er|*ir
                es preciso|necesario|imprescindible|fundamental|importante *ar|*er|*ir|que|siempre
                regla|norma|convención|política|restricción :|es|de
                la|nuestra regla|norma es
                respeta|respete|sigue las|la|el|estas|este
                pide|pregunta|consulta|confirma .. antes|permiso|confirmación
                responde|contesta|escribe .. en español|inglés",
            ),
            (
                FromNowOn,
                "^ a partir de|del ~entonces|esa|aquel|ese
                a partir de ahora|hoy|este|mañana|aquí|ya
                de ahora|aquí|hoy en adelante
                de ahora en
                en adelante
                ^ desde mañana|hoy|ahora ,|se|no|todos|todas|cada|todo|toda
                en lo sucesivo
                desde ahora|hoy|ya|este ,|en|no|usa|solo|siempre|nunca|momento
                en el futuro ,|usa|no|siempre
                hasta nuevo aviso",
            ),
            (
                Exclusive,
                "usa|use|utiliza|escribe|responde|ejecuta|trabaja|haz solo|sólo|solamente|únicamente|exclusivamente
                ^ solo|sólo|solamente|únicamente usa|use|haz|pon|escribe|responde|sube|ejecuta|acepta|permite|publica|despliega|commitea|toca|modifica
                ^ solo|sólo|solamente|únicamente se .. debe|deben|puede|pueden|permite|permiten|admite|admiten|usa|usan|acepta
                @ ^ solo|sólo|solamente .. debe|deben|puede|pueden
                solo|sólo|solamente .. permiso|autorización|consentimiento|aprobación
                únicamente|exclusivamente
                debe|deben|puede|pueden|debes|puedes solo|sólo|solamente|únicamente
                usa|use|utiliza|prefiere|elige|emplea .. en lugar|vez|no
                en lugar|vez de .. usa|utiliza|usar",
            ),
            (
                Mistake,
                "eso|esto|aquello|lo|que rompió|rompe|tumbó|tiró|borró|corrompió|causó|provocó
                rompió|tumbó|tiró|borró|corrompió|destrozó el|la|los|las|todo|producción
                no|nunca|jamás vuelvas|vuelva|vuelvan|volver|volvamos a
                no lo|la vuelvas|repitas|hagas más|a|otra|de
                otra vez no
                no .. otra vez $
                fue|ha un|sido|fue error|fallo|desastre
                mismo error|fallo
                no repitas|repetir|repita|repitamos
                nunca más
                lección aprendida
                la última vez .. rompió|cayó|falló|perdimos|borró|caído|tumbó|bloqueó|*ó
                causó|provocó una|un caída|pérdida|incidente|corte|fallo",
            ),
        ],
        unspaced: false,
    },
    Language {
        code: "pt",
        evidence: "o a os as um uma em de do da dos das no na que para com sem por ao este esta isso seu código antes nada nos nas",
        leads: "por favor e mas então também além importante regra lembre lembrete nota atenção ok bom certo assim que porque pois já sempre",
        veto: "eu|ela|ele|eles nunca|sempre|jamais|não
            nunca|jamais|sempre fui|foi|vi|estive|pude|fiz|pensei|quis|tive|soube|gostei|imaginei|*ava|*avam|*ávamos|*íamos|*nhamos|*ia|*iam|*ei|*ou|era|estava|tinha|tem|é|está|me|há|fiz
            não sei|acho|penso|entendo|lembro|me|te|tenho|é|está|há|são|posso|estou|sou|quero|foi|consigo ~obrigatório|permitido|permitida|permitidos|que
            não se preocupe|preocupem|preocupa
            não importa|obstante|só|faz
            disse|diz|dizia|perguntou|escreveu|afirma|contou|falou|insiste que|:|,|se
            por que|quê
            como|quando|onde|qual|quem é|eu|se|o|posso|devo
            me pergunto|perguntava
            antes tarde do
            ^ sempre|nunca esse|essa|este|esta|o|a|os|as
            quem dera|me
            nem todo|todos|toda|todas
            isso|isto|aquilo já|não .. pode
            não pode|podem durar|estar|demorar
            nunca|jamais se sabe
            ^ sempre|nunca *o
            ^ deve|devem estar|ser|ter|haver
            não consigo|consegui|conseguimos
            como|para|desde sempre
            quase nunca
            ontem|antigamente
            sempre que eu|posso
            música|filme|livro|romance .. chama|chamado|chamada",
        rules: &[
            (
                Never,
                "^ nunca|jamais ~fui|foi|vi|é|mais|há|me|tive|soube|tinha
                deve|devem|deves|pode|podem|deveria|deveriam .. nunca|jamais
                nunca|jamais deve|devem|pode|podem|deveria|deveriam
                e|mas|que|os|você nunca|jamais *e|*a|*em|*am|*ar|*er|*ir|deve|devem
                em nenhuma|hipótese|nenhum hipótese|alguma|circunstância|momento|caso
                em hipótese alguma|nenhuma
                sob nenhuma|hipótese|nenhum
                de jeito|forma|maneira nenhum|nenhuma|alguma
                ninguém|nada deve|pode
                nem pense em",
            ),
            (
                Prohibition,
                "^ não ~é|era|tem|há|funciona|funcionam|adianta|importa|precisa|precisam|parece|gosta|tinha|estava|fica|dá|vale|interessa|sabe|existe|existem|foi|tive|quero|fiz|deu|houve|teve|pode|podem|se *e|*em|*a|*am|*es|*as|*ar|*er|*ir|*or|use
                não use|faça|mexa|apague|altere|suba|escreva|execute|instale|publique|adicione|envie|compartilhe|coloque|modifique|delete|commite|remova|toque|usa|usem
                não deve|devem|deves|pode|podem|podes|deveria|deveriam|devemos|podemos ~que
                não se deve|pode|devem|usa|mexe|admite|permite|toca|faz|fazem|aceita
                é|são|fica|está|estão|expressamente|estritamente proibido|proibida|proibidos|proibidas|vedado|vetado|proibido
                proibido|proibida usar|fazer|alterar|*ar|*er|*ir
                não é|são|está permitido|permitida|permitidos|permitidas|autorizado|aceitável
                evite|evita|evitar|evitem
                pare|pára|parem|deixe|deixa de
                ^ nada de
                ^ nenhum|nenhuma .. sem|pode|deve|em|no|na
                sem permissão|autorização|aprovação|perguntar|avisar|consultar $
                não quero que|ver|nenhum|mais",
            ),
            (
                Always,
                "^ sempre ~que|fui|quis|me|te|há|a|o|foi|é|está|soube|pensei|gostei|tive|tinha
                deve|devem|deves|devemos|precisa|precisam|tem .. sempre
                ^ use|utilize|execute|escreva|faça|rode|responda|pergunte|verifique|confira|teste|peça|mantenha|usa|valide .. sempre
                ^ ~yo|él|ella|ellos|ellas|usted|hay|es|está|había|fue|casi|como|para|desde|no|aquí|eso|esto|ese|así|*o|*aba|*ía|era|eran|llueve|eu|ele|eles|elas|você|aqui|isso|foi|tem|tinha|quase|chove|io|lui|lei|loro|c'è|fa|sono|da|per|piove|noi|voi|qui _ sempre ~que|me|te
                toda|cada vez que ~eu
                toda vez que ~eu
                ^ antes|depois de cada|fazer|subir|*ar|*er|*ir
                em|a|para cada|todo|todos|todas|toda .. deve|sempre|*a|*e
                a todo momento
                sem exceção|exceções",
            ),
            (
                Obligation,
                "cuide|cuida|zele|zela para|que|de
                tem|têm que|de ~ser|estar|haver *ar|*er|*ir
                certifique|assegure|garanta|garante|certifica|assegura
                tenha em mente
                lembre|lembra - se|de|sempre
                não se|te|esqueça|esquece|esqueças esqueça|de|esqueças
                todo|todos|todas|cada|toda .. deve|devem|tem|têm|precisa|precisam
                você|tu|vocês deve|deves|devem|precisa
                deve|devem ser|estar|ter|passar|incluir|conter|ficar|haver
                é|são obrigatório|obrigatória|obrigatórios|imprescindível|necessário|exigido
                obrigatório|imprescindível|obrigatoriamente
                tem|há que|de
                regra|norma|convenção|política|restrição :|é|de
                é preciso|necessário|fundamental|essencial|importante *ar|*er|*ir|que|sempre
                a|nossa regra|norma é
                respeite|siga as|a|o|estas|este
                peça|pergunte|consulte|confirme .. antes|permissão|confirmação
                responda|escreva .. em português|inglês",
            ),
            (
                FromNowOn,
                "^ a partir de|do|da ~então
                a|à partir de|deste|daqui|desta agora|hoje|momento|já|amanhã|sessão
                de|daqui agora|hoje|para|pra em|a diante|frente
                de agora em
                daqui para|em|pra a|diante|frente
                doravante
                daqui em diante
                no futuro ,|use|não|sempre
                até segunda ordem",
            ),
            (
                Exclusive,
                "use|utilize|escreva|responda|execute|trabalhe|rode apenas|só|somente|unicamente|exclusivamente
                ^ só|apenas|somente use|faça|rode|escreva|suba|commit|mexa|pode|deve|utilize|publique
                só|apenas|somente .. autorização|permissão|consentimento|aprovação
                exclusivamente|unicamente
                deve|devem|pode|podem só|apenas|somente
                use|utilize|prefira|escolha .. em vez|lugar|não|invés
                em vez|lugar de .. use|usar|utilize",
            ),
            (
                Mistake,
                "isso|isto|aquilo|que quebrou|quebra|derrubou|apagou|corrompeu|causou|provocou
                quebrou|derrubou|apagou|corrompeu|destruiu o|a|os|as|tudo|produção
                não|nunca volte|voltem|voltar|volta a|mais
                não faça|repita|fazer|repetir .. novo|mais|novamente|erro|isso
                não .. de novo|novamente $
                foi|ter um|sido erro|engano|desastre
                mesmo erro
                não repita|repetir|repitas
                nunca mais
                lição aprendida
                última vez .. quebrou|caiu|falhou|perdemos|apagou|travou|*ou
                causou|provocou|gerou uma|um queda|perda|incidente|falha",
            ),
        ],
        unspaced: false,
    },
    Language {
        code: "it",
        evidence: "il lo la i gli le un una in di del della che per con senza su al nel questo questa codice prima nulla e sul nella dal",
        leads: "per favore e ma quindi anche inoltre importante regola ricorda promemoria nota attenzione ok bene allora poi perché sempre mi raccomando ragazzi",
        veto: "io|lui|lei|loro non|mai|sempre
            non ho|ha|hanno|avevo|aveva|sono|era|ero|so|credo|penso|capisco|ricordo|mi|ti|è|c'è|posso|voglio|sapevo|sapeva|vedo|abbiamo ~consentito|permesso|ammesso|vietato|più|vedere
            non|mai ti|si preoccupare|preoccupi
            non preoccuparti|preoccupatevi
            non importa|solo|male|ancora
            ho|hai|ha|abbiamo|hanno|avevo|aveva|ero|era sempre|mai|detto|*ato|*uto ~rotto|causato|cancellato|distrutto|corrotto|provocato|perso|mandato|bloccato
            disse|dice|diceva|chiese|scrisse|sostiene|raccontava che|:|,|di|se
            ha detto|chiesto|scritto|raccontato
            perché|come|quando|dove|quale|chi mai|non|si|ho|dobbiamo|devo
            mi chiedo|chiedevo
            meglio tardi che
            ^ sempre|mai questo|questa|questi|quel|quella|il|la
            magari
            non a|tutti|tutto tutti|il
            non può|possono durare|stare|continuare
            ha|hanno|ho|aveva evitato
            non si sa|trova|vede|capisce|apre|avvia|sono
            ^ deve|devono essere|aver|avere|stare
            non riesco|riusciamo|riesce
            *o sempre ~uso|chiedo
            come|per|da sempre
            quasi mai
            non *vo|*va|*vamo|*vano|*vi mai
            *vo|*va|*vamo|*vano sempre|mai
            lui|lei|loro _ sempre|mai ~deve|devono
            sempre stato|stata|voluto|piaciuto|amato|più|meglio
            mai visto|sentito|stato|avuto|detto|pensato|capito ~*are|*ere|*ire
            ieri|allora|un tempo
            canzone|film|libro|romanzo .. intitolato|intitolata|chiama",
        rules: &[
            (
                Never,
                "^ mai ~visto|sentito|stato|avuto|pensato|dire
                ^ non .. mai
                deve|devono|devi|dovete|bisogna|può|possono|si .. mai
                non *are|*ere|*ire|*ate|*ete|*ite|*i|*a mai ~ho|ha
                in nessun|nessuna caso|circostanza|modo
                per nessun|nessuna motivo|ragione
                assolutamente non|vietato|mai
                nessuno|niente|nulla deve|può",
            ),
            (
                Prohibition,
                "@ ^ non *are|*ere|*ire|*ate|*ete|*ite|*arlo|*erlo|*irlo|*arla|*erla|*arli
                non usare|fare|toccare|modificare|cancellare|scrivere|mettere|eseguire|committare|pushare|eliminare|aggiungere|inviare|pubblicare|cambiare|installare|usate|toccate|fate|utilizzare
                guai a
                non si fa|fanno|usa|usano|tocca|toccano|può|deve|rilascia|mette|scrive|accetta|ammette
                non si deve|devono|può|possono|*are|*ere|*ire|essere|tocca|usa|usano|toccano|fare|mai|contenere
                non deve|devono|devi|dovete|può|possono ~che
                è|sono|severamente|assolutamente vietato|vietata|vietati|vietate|proibito|proibita|proibiti|proibite
                vietato|proibito *are|*ere|*ire
                non è|sono consentito|consentita|consentiti|permesso|permessa|permessi|ammesso|ammessi|autorizzato
                evita|evitare|evitate|eviti
                smetti|smettila|smettete di
                ^ niente ~di|male|paura|panico|più _ in|nel|nella|nelle|nei|negli|senza|su|sul|sulla|per
                ^ nessun|nessuna .. senza|può|deve|in|nel
                senza permesso|autorizzazione|approvazione|chiedere|conferma $
                non voglio che|vedere|più|nessun",
            ),
            (
                Always,
                "^ sempre ~stato|voluto|piaciuto|la|il|lo|più|meglio|stata
                deve|devono|devi|dovete|bisogna|va|vanno .. sempre
                ^ usa|usate|esegui|scrivi|fai|metti|rispondi|chiedi|controlla|verifica|testa|mantieni|usare|eseguire|convalida .. sempre
                va|vanno sempre
                ^ ~yo|él|ella|ellos|ellas|usted|hay|es|está|había|fue|casi|como|para|desde|no|aquí|eso|esto|ese|así|*o|*aba|*ía|era|eran|llueve|eu|ele|eles|elas|você|aqui|isso|foi|tem|tinha|quase|chove|io|lui|lei|loro|c'è|fa|sono|da|per|piove|noi|voi|qui _ sempre ~mi|ti|più|stato
                ogni volta che ~mi|io
                ^ prima|dopo di ogni|fare|*are|*ere|*ire
                ^ prima di|dopo ogni
                a|ad|per|in ogni .. deve|va|sempre|*i|*a
                in ogni caso ,
                senza eccezioni|eccezione",
            ),
            (
                Obligation,
                "fai|fate|faccia in modo
                deve|devono ~essere|aver|avere|stare *are|*ere|*ire
                assicurati|assicuratevi|accertati|assicurarsi
                tieni|tenete presente|a conto
                ricorda|ricordati|ricordate|ricordatevi di|sempre|che|non
                non dimenticare|dimenticate|dimenticarti
                tutti|tutte|ogni|tutto|ciascun|qualsiasi .. deve|devono|va|vanno
                devi|dovete|dovrai
                deve|devono ~averlo|aver|*si .. essere|avere|passare|contenere|restare|usare|rispettare
                va|vanno *ato|*ati|*ata|*ate|*uto|*iti|scritto|scritti|fatto
                è|sono obbligatorio|obbligatoria|obbligatori|necessario|indispensabile|richiesto
                obbligatorio|obbligatoriamente|tassativamente|tassativo
                bisogna ~dire|ammettere
                occorre ~dire
                è necessario|indispensabile|fondamentale|essenziale|importante *are|*ere|*ire|che|sempre
                regola|norma|convenzione|vincolo :|è|d'oro
                rispetta|rispettate|segui|seguite le|la|il|lo|queste|questa
                chiedi|chiedete|conferma .. prima|permesso|conferma
                rispondi|scrivi .. in italiano|inglese",
            ),
            (
                FromNowOn,
                "d'ora|da ora|in in|avanti|poi avanti|poi
                d'ora in
                da ora|adesso|oggi|questo in|momento poi|avanti|in
                ^ a partire da|dal|dalla ~allora
                a partire da|dal ora|adesso|oggi|questo|domani|momento
                in futuro ,|usa|non|sempre
                fino a nuovo
                per il futuro",
            ),
            (
                Exclusive,
                "usa|usate|scrivi|rispondi|esegui|lavora|usare|utilizza solo|soltanto|solamente|unicamente|esclusivamente
                ^ solo|soltanto ~un|una|che|per .. può|possono|deve|devono|usare
                solo|soltanto .. consenso|permesso|autorizzazione|approvazione
                unicamente|esclusivamente
                deve|devono|può|possono|devi|puoi solo|soltanto|solamente
                usa|usate|utilizza|preferisci|scegli .. invece|posto|anziché|non
                invece|anziché|posto di .. usa|usare",
            ),
            (
                Mistake,
                "quello|questo|ciò|che|l'ultima ha|hanno rotto|fatto|causato|cancellato|distrutto|corrotto|provocato|bloccato|mandato
                ha|hanno rotto|mandato|cancellato|distrutto|corrotto|bloccato il|la|i|le|tutto|in|l'* ~ghiaccio|cuore
                ha|hanno causato|provocato|un'* ..
                non .. rifare|ripetere|rifarlo|rifatelo|ripeterlo|rifacciamo
                non .. di nuovo|più $
                non farlo|fatelo|fare più|questo|di|mai
                è stato|era un errore|sbaglio|disastro
                stesso errore|sbaglio
                mai più
                lezione imparata
                l'ultima volta .. rotto|crashato|caduto|fallito|perso|cancellato|saltato|*ato",
            ),
        ],
        unspaced: false,
    },
    Language {
        code: "ro",
        evidence: "și să în pe de la cu fără un o din pentru nu codul este",
        leads: "te rog vă rog și dar deci important regulă atenție notă",
        veto: "am|a|au|aș|ai|eram|era niciodată|mereu|întotdeauna
            niciodată n-am|nu am|n|n-a
            nu știu|cred|pot|am|a|e|este ~voie|permis
            nu te|vă îngrijora|îngrijorați
            de ce|cum|când
            spus|spunea|zis|zicea că
            ca întotdeauna|mereu",
        rules: &[
            (
                Never,
                "niciodată nu|să
                ^ niciodată
                nu .. niciodată
                sub nicio|nici formă|o
                în niciun|nici caz|un",
            ),
            (
                Prohibition,
                "^ nu folosi|folosiți|face|faceți|modifica|modificați|șterge|ștergeți|scrie|scrieți|pune|puneți|rula|atinge|adăuga|trimite|publica|schimba|*ați|*eți|*iți
                nu trebuie|poate|pot să|fi
                nu ai|aveți|au|are voie
                nu este|e|sunt permis|permisă|permise
                este|e|sunt|strict interzis|interzisă|interzise
                evită|evitați",
            ),
            (
                Always,
                "^ întotdeauna|mereu ~am|a|au|era
                trebuie .. întotdeauna|mereu
                folosește|folosiți|rulează|rulați|scrie|scrieți|verifică întotdeauna|mereu
                de fiecare dată când|când
                înainte de fiecare|orice",
            ),
            (
                Obligation,
                "asigură|asigurați - te|vă
                asigură-te
                nu uita|uitați
                trebuie ~că|că .. să|*at|*it
                toate|toți|fiecare .. trebuie
                este|e|sunt obligatoriu|obligatorie|obligatorii",
            ),
            (
                FromNowOn,
                "de acum|azi înainte|încolo
                începând cu|de azi|acum|astăzi
                pe viitor",
            ),
            (
                Exclusive,
                "folosește|folosiți|scrie|răspunde doar|numai|exclusiv
                folosește|folosiți .. loc|nu
                exclusiv",
            ),
            (
                Mistake,
                "a|au stricat|picat|distrus|șters|corupt
                nu mai face|faceți|repeta|repetați
                aceeași|același greșeală
                a fost o greșeală",
            ),
        ],
        unspaced: false,
    },
];
