"""Question frames as data: what stands around the topic and is not part of it.

Patterns run over the folded words of the question joined by blanks (so "what's" reads `what`, ё reads е) and are
peeled off its ends until none fits. Drop the narrative request, the interrogative and the verb behind it;
keep every word that cannot be classified.
"""

from __future__ import annotations

import re

__all__ = [
    "ASKS",
    "LEADING_VERB",
    "PREFIXES",
    "SAYINGS",
    "SUFFIXES",
    "TRAILING_VERBS",
    "UNIVERSAL_FUNCTION_WORDS",
]


def _compiled(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern) for pattern in patterns)


_AUX = r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|might|may)"
_ABOUT = r"(?:about|on|of|for|regarding)"
_SOME = r"(?:a bit|a little|more|something|anything|everything|all|some)"

# What stands before the topic, in the order in which it may: each stage may repeat, none may come after a later one,
# so that "what is Well Water" keeps its Well. Within a stage the longer pattern stands first.
GREETINGS = _compiled(
    r"(?:please|hi|hello|hey|ok|okay|so|well|excuse me|sorry|and|but|now) ",
    r"(?:а|ну|и|так|слушай|скажи|скажите|пожалуйста|привет) ",
)
REQUESTS = _compiled(
    r"(?:can|could|would|will) (?:you|anyone|someone) (?:please |kindly )?"
    r"(?=tell|explain|describe|define|show|find|give|search|look|help|summari[sz]e)",
    r"i (?:want|wish|need|would like|d like|would love|am trying|m trying) to (?:know|learn|find out|understand|read)"
    rf" (?:{_SOME} )*(?:{_ABOUT} )?",
    rf"id (?:like|love) to (?:know|learn|read) (?:{_SOME} )*(?:{_ABOUT} )?",
    r"(?:i wonder|i am interested in|im interested in|does anyone know|let me know|help me understand) ",
    rf"(?:what )?do you know (?:{_SOME} )*(?:{_ABOUT} )?",
    rf"(?:tell|teach|inform) (?:me|us) (?:please )?(?:{_SOME} )*(?:{_ABOUT} )?",
    r"(?:explain|describe|define|summari[sz]e)(?: to)?(?: me| us)? ",
    r"(?:show|give|find|get|fetch|open|read)(?: me| us)? (?:the |an? |some )?"
    rf"(?:article|page|entry|information|info|details|facts|overview|summary|definition|meaning) {_ABOUT} ",
    r"(?:show|give|find)(?: me| us) ",
    r"(?:look up|lookup|search for|search) ",
    r"(?:information|info|facts|details|article|page) (?:about|on) ",
    r"(?:не )?(?:можешь|можете|могла бы|мог бы|могли бы) (?:ли )?(?:ты |вы )?(?:мне )?(?=рас|об|по|оп|на|ск|пок)",
    r"(?:расскаж\w+|рассказать|объясн\w+|поведа\w+|опиш\w+|описать|поясн\w+|покаж\w+|показать|подскаж\w+|напомн\w+"
    r"|найд\w+|найти|дай|дайте|скажи\w*)(?: мне| нам)?(?: пожалуйста)?"
    r"(?: (?:все|что нибудь|что то|побольше|больше|подробнее|немного|кратко|информаци\w+|стать\w+|об этом))*"
    r"(?: (?:о|об|обо|про|насчет))? ",
    r"(?:хочу|хочется|хотел[аи]? бы|хотелось бы|хотим|интересно|интересует|желаю|нужно|надо)(?: бы)?(?: мне| меня)?"
    r"(?: узнать| знать| понять| прочитать| почитать| услышать)?"
    r"(?: (?:все|что нибудь|что то|побольше|больше|подробнее|немного|информаци\w+|стать\w+))*(?: (?:о|об|обо|про))? ",
    r"(?:информаци\w+|сведени\w+|стать\w+) (?:о|об|обо|про) ",
)
INTERROGATIVES = _compiled(
    r"what (?:is|are|was|were) (?:meant by|the meaning of|the definition of|known about) ",
    r"(?:meaning|definition) of ",
    r"what (?:does|do|did) (?:the )?(?:term|word|phrase|expression|abbreviation|acronym) ",
    rf"(?:what|which) (?:kind|sort|type)s? of (?:an? )?(?:\w+ )?{_AUX} ",
    r"how (?:many|much|long|old|tall|high|deep|big|large|far|fast|often|wide|heavy|hot|cold|strong|common)"
    rf"(?: {_AUX})? ",
    rf"(?:who|whom|whose|what|which|when|where|why|how)(?: exactly| actually| really)?(?: {_AUX})? ",
    r"(?:whos|whats|whens|wheres|whys|hows) ",
    r"что (?:такое|это такое|это за|это|значит|означает|означают|за|известно (?:о|об|обо|про)|вы знаете (?:о|об|про)"
    r"|ты знаешь (?:о|об|про)) ",
    r"кто (?:такой|такая|такие|такое|это) ",
    r"(?:о чем|как называется|как называются|как зовут|как звали) ",
    r"(?:кто|кого|кому|чей|чья|чье|чьи|что|чего|чем|где|куда|откуда|когда|почему|отчего|зачем|сколько|как"
    r"|как(?:ой|ая|ое|ие|ого|ую|им|ом)|котор\w+)(?: (?:был|была|было|были|есть|будет))? ",
    r"(?:was|wer|wo|wann|warum|wie|welche[rsmn]?|wieviel|wie viele?) (?:ist|sind|war|waren|bedeutet|heißt|heisst) ",
    r"(?:qu\xa0est ce que? (?:c\xa0est que? )?|qui (?:est|etait) |quel(?:le)?s? (?:est|sont) |ou (?:est|se trouve) )",
    r"(?:wer|wann|warum|quand|pourquoi|quien|quienes|donde|cuando|por que|qui(?= a )) ",
    r"(?:que|quien|quienes|cual|cuales|donde|cuando) (?:es|son|era|fue|esta|estan) ",
    r"(?:che|chi|cosa|qual|quale|dove|quando) (?:e|sono|era|fu) ",
)
# (patterns, how often the stage may peel)
PREFIXES = ((GREETINGS, 3), (REQUESTS, 3), (INTERROGATIVES, 1))

# Courtesy and filler behind the topic: no part of the question.
SUFFIXES = _compiled(
    r" (?:please|thanks|thank you|thnx|thx|if you would|if you please|if you can|for me|in short|in detail)",
    r" (?:это что|что это|это кто|кто это|о чем|пожалуйста|спасибо)",
)

# Verbs behind the topic ("when did X die", "where is X located"): no part of its name, but what is asked about it.
TRAILING_VERBS = _compiled(
    r" (?:mean|means|meant|stand for|stands for|refer to|signify)",
    r" (?:come from|comes from|originate|originate from|from|for|about|of|in)",
    r" (?:located|situated|born|founded|formed|invented|discovered|established|built|made|written|published|released"
    r"|used|called|named|known|die|died|live|lived|begin|began|start|started|end|ended|happen|happened|occur|take place"
    r"|work|works|open|opened|become|rule|reign|retire|erupt|get its name)",
    r" (?:находится|находятся|расположен\w*|родил\w+|умер\w*|погиб\w*|появил\w+|начал\w+|закончил\w+|означает|работает"
    r"|произошл\w+|произошел|основан\w*|построен\w*|открыт\w*|написан\w*|создан\w*|живет|живут|жил\w*)",
)

# A verb right behind the interrogative: "who painted X", «кто написал X». Russian past tense and present endings.
LEADING_VERB = re.compile(
    r"(?:\w{2,}[^\We]ed|used|died|wrote|sang|drew|built|made|led|won|ran|said|says|told|found|took|gave|began|directs?|plays?"
    r"|owns?|wears?|schrieb|malte|erfand|baute|a (?:ecrit|peint|invente|compose|decouvert|construit|fonde|realise)"
    r"|escribio|pinto|invento|compuso|fundo|dirigio"
    r"|\w{2,}(?:ал|ял|ил|ел|ыл|ул|ол|ела|ала|яла|ила|ыла|ула|ело|ало|яло|ило|ели|али|яли|или|ыли|ули|лся|лась|лось|лись"
    r"|ется|ится|ются|ятся|дит|рит|лит|нит|ает|яет|ует|еет|ют|ят|ут|ат)|вел|нес|смог|помог|спас) "
)

_NOUN = r"(?:phrase|quote|quotation|saying|line|expression|proverb|motto|slogan|words?|sentence|lyrics?)"
_SAID = r"(?:said|says|say|sang|sings|coined|uttered|exclaimed|shouted|spoke)"
_SAID_RU = r"(?:сказал|сказала|говорил|произнес|воскликнул|написал что|утверждал что|пел|спел)"
_WORK = r"(?:book|film|movie|play|poem|song|novel|speech|story|game|show|series|work)"
_HOLDS = r"(?:contains?|has|have|features?|begins? with|starts? with|opens? with|ends? with|says?)"
# Frames that quote: group 1 is the saying. It is searched verbatim whatever its length.
SAYINGS = _compiled(
    rf"who (?:first |originally |famously )?{_SAID}(?: the| that)?(?: {_NOUN})? (.+)",
    r"who (?:wrote|claimed|thought|believed|declared|argued|stated) that (.+)",
    rf"who (?:wrote|is known for|is famous for) the {_NOUN} (.+)",
    rf"(?:what|whats) (?:does|do|did) (?:the |this )?(?:{_NOUN} )?(.+?) (?:mean|means|refer to|signify)(?: in .+)?",
    rf"(?:what|whats) (?:do|does|did) (?:they|he|she|it|people|someone|we|you) mean by (?:the )?(?:{_NOUN} )?(.+)",
    rf"(?:what|whats) (?:is|was) (?:meant by|the (?:meaning|origin|source) of) (?:the )?(?:{_NOUN} )?(.+)",
    rf"(?:meaning|origin|source) of (?:the )?{_NOUN} (.+)",
    rf"where (?:does|do|did|is|was) (?:the )?(?:{_NOUN} )?(.+?) (?:comes?|originates?|from|taken)(?: from)?",
    r"whose (?:words|motto|line|quote|slogan|saying) (?:are|were|is|was) (.+)",
    rf"(?:in )?(?:what|which) {_WORK}(?: \w+)? {_HOLDS}(?: the)?(?: {_NOUN})? (.+)",
    rf"(?:the )?{_NOUN} (.+)",
    r"(.+?) who (?:said|says|wrote|sang|sings) (?:it|this|that)(?: .*)?",
    r"(.+?) (?:кто это сказал|кто сказал|чьи это слова|откуда (?:это|фраза|цитата|слова))(?: .*)?",
    rf"кто (?:первым |впервые )?{_SAID_RU}(?: что| фразу| слова)? (.+)",
    r"(?:чьи|чья|чье|кому принадлеж\w+) (?:это )?(?:слова|фраза|цитата|выражение|строк\w+|изречение) (.+)",
    r"откуда (?:взял\w+ |пошл\w+ |произошл\w+ )?(?:это )?(?:фраза|цитата|слова|выражение|строк\w+)? ?(.+)",
    r"(?:wer|qui|quien|chi) (?:sagte|hat gesagt|a dit|dijo|ha detto)(?: dass| que| che)? (.+)",
    r"was (?:bedeutet|heißt|heisst) (.+)",
    r"que (?:signifie|veut dire|significa|quiere decir) (.+)",
    r"что (?:значит|означает|означают|значат) (?:фраза |выражение |слова )?(.+)",
    r"(?:фраза|цитата|выражение|пословица|поговорка|строка) (.+)",
)

_MUCH = r"(?:many|much|long|old|tall|high|deep|big|large|far|fast|wide|heavy)"
_MUCH_RU = r"(?:высот|глубин|длин|площад|населени)\w*"
# What sort of thing is asked for, by the first pattern that fits the whole folded question.
ASKS = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        ("how many", rf"(?:.* )?(?:how {_MUCH}|сколько|каков?\w* {_MUCH_RU}|wie viele?|cuant[oa]s?|combien)(?: .*)?"),
        ("when", r"(?:.* )?(?:when|what year|which year|what date|когда|в каком году|wann|quand|cuando)(?: .*)?"),
        ("where", r"(?:.* )?(?:where|где|куда|откуда|wo|donde)(?: .*)?"),
        ("why", r"(?:.* )?(?:why|how come|почему|отчего|зачем|warum|pourquoi|por que)(?: .*)?"),
        ("who", r"(?:.* )?(?:who|whom|whose|кто|кого|кому|чей|чья|чье|чьи|wer|quien|qui)(?: .*)?"),
        ("definition", r"(?:what|что такое|что это|was ist|define)(?: .*)?"),
    )
)  # fmt: skip

# Counted as function words in every language: they come from questions put in another language than the archive's.
UNIVERSAL_FUNCTION_WORDS = ("eng", "rus")
