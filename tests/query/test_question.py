"""Questions taken apart: tables for English and Russian, and what holds for any text."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from aborist.query.numerals import respelled
from aborist.query.question import LONGEST, parse
from aborist.text import fold, title_key
from aborist.types import Question

CONTROL = "\0\x1b\x7f\x9f\ud800\udfff"
PUNCTUATION = "?!.,:;\"“”«»'()[]{}*^-_/\\&%#@+=<>|~` \t\n"
texts = st.text(
    st.one_of(st.characters(exclude_categories=()), st.sampled_from(CONTROL + PUNCTUATION + "whatisеёй中国の")),
    max_size=60,
)
frames = st.lists(
    st.sampled_from(
        "what is are the a who wrote said that tell me about please does mean in of when where how many search for"
        " расскажи мне про что такое это кто сказал написал где «ёж» “tea”"
        " c++ tcp/ip r2-d2 中国 l'eau don't ? , .".split()
    ),
    max_size=12,
).map(" ".join)


def content(question: Question) -> list[str]:
    return [word.folded for word in question.words if word.content]


# question, a spelling that must be among the topics, content words
ENGLISH = [
    ("TCP", "TCP", "tcp"),
    ("what is TCP", "TCP", "tcp"),
    ("What's TCP?", "TCP", "tcp"),
    ("what is a TCP connection?", "TCP connection", "tcp connection"),
    ("what are black holes", "black holes", "black holes"),
    ("What is the capital of France?", "capital of France", "capital france"),
    ("Who was Teodor Brask?", "Teodor Brask", "teodor brask"),
    ("Who wrote War and Peace?", "War and Peace", None),
    ("Who painted The Birth of the Harbour?", "The Birth of the Harbour", None),
    ("when was Albert Einstein born?", "Albert Einstein", None),
    ("where is KVA?", "KVA", "kva"),
    ("why is the sky blue", "the sky blue", "sky blue"),
    ("how tall is Mount Everest", "Mount Everest", "mount everest"),
    ("how do magnets work", "magnets work", "magnets work"),
    ("what does carpe diem mean", "carpe diem", None),
    ("What does NATO stand for?", "NATO", None),
    ("What does the term serendipity mean?", "serendipity", None),
    ("what is the meaning of life", "life", "life"),
    ("define entropy", "entropy", "entropy"),
    ("tell me about dredging please", "dredging", "dredging"),
    ("get the article about dredging, thanks", "dredging", "dredging"),
    ("search for dredging if you would", "dredging", "dredging"),
    ("could you explain dredging thnx", "dredging", "dredging"),
    ("hi, who are the Beatles?", "the Beatles", "beatles"),
    ("hello please what is tea", "tea", "tea"),
    ("Can you please tell me something about black holes?", "black holes", "black holes"),
    ("I would like to know more about the Roman Empire", "Roman Empire", "roman empire"),
    ("I'd like to know about Rome", "Rome", "rome"),
    ("give me an overview of quantum mechanics", "quantum mechanics", "quantum mechanics"),
    ("show me the article on Paris", "Paris", "paris"),
    ("has oceania always been at war with east asia", "has oceania always been at war with east asia",
     "oceania war east asia"),
    # Signs that belong to the name stay.
    ("what is C++?", "C++", None),
    ("what is C#?", "C#", None),
    ("what is .NET", ".NET", None),
    ("what is TCP/IP", "TCP/IP", "tcp ip"),
    ("what is a prime number", "prime number", "prime number"),
    ("what is R&D?", "R&D", None),
    ("tell me about Brask’s theory", "Brask’s theory", "brask theory"),
    ("38.101", "38.101", "38 101"),
    # Without an apostrophe.
    ("whats TCP", "TCP", "tcp"),
    ("whos Teodor Brask", "Teodor Brask", "teodor brask"),
    ("What do you know about Mars?", "Mars", "mars"),
    # Nothing but function words: they are the topic.
    ("The Who", "The Who", "the who"),
    ("who is The Who", "The Who", "the who"),
    ("what is IT", "IT", "it"),
    ("to be or not to be", "to be or not to be", "to be or not to be"),
    ("what", "what", "what"),
]  # fmt: skip
RUSSIAN = [
    ("что такое TCP", "TCP", "tcp"),
    ("Что такое протокол TCP?", "протокол TCP", "протокол tcp"),
    ("кто написал Войну и мир", "Войну и мир", None),
    ("кто написал «Войну и мир»?", "Войну и мир", None),
    ("кто такой Пушкин?", "Пушкин", "пушкин"),
    ("кто такая Анна Каренина", "Анна Каренина", "анна каренина"),
    ("расскажи про Ленинград", "Ленинград", "ленинград"),
    ("Расскажите мне, пожалуйста, о Париже", "Париже", "париже"),
    ("расскажи подробнее об ежах", "ежах", "ежах"),
    ("что ты знаешь про слонов", "слонов", "слонов"),
    ("где находится Байкал", "Байкал", None),
    ("когда родился Пётр Первый", "Пётр Первый", None),
    ("почему небо голубое", "небо голубое", "небо голубое"),
    ("сколько планет в Солнечной системе", "планет в Солнечной системе", "планет солнечной системе"),
    ("как называется столица Франции", "столица Франции", "столица франции"),
    ("столица Франции", "столица Франции", "столица франции"),
    ("хочу узнать о чёрных дырах", "чёрных дырах", "черных дырах"),
    ("найди статью о Венере", "Венере", "венере"),
    ("можешь рассказать про лазер?", "лазер", "лазер"),
    ("объясни, как работает лазер", "лазер", None),
    ("кто открыл Америку", "Америку", None),
    ("ёж", "ёж", "еж"),
    ("где", "где", "где"),
]
OTHERS = [
    ("fra", "qu'est-ce que la photosynthèse", "photosynthèse"),
    ("fra", "qui a écrit Les Misérables ?", "Les Misérables"),
    ("fra", "où se trouve Lyon", "Lyon"),
    ("deu", "wer schrieb Faust", "Faust"),
    ("deu", "was ist ein Atom", "Atom"),
    ("spa", "¿quién escribió Don Quijote?", "Don Quijote"),
    ("spa", "¿qué es la fotosíntesis?", "fotosíntesis"),
]
SAID = [
    ("wer sagte veni vidi vici", "veni vidi vici"),
    ("Wer hat gesagt: das Leben ist kurz", "das Leben ist kurz"),
    ("qui a dit je pense donc je suis", "je pense donc je suis"),
    ("quién dijo pienso luego existo", "pienso luego existo"),
    ("was bedeutet carpe diem", "carpe diem"),
    ("que signifie carpe diem", "carpe diem"),
]
# Titles that begin as a frame does: "what is X" must still name X.
LIKE_FRAMES = [
    ("what is {}", "Hello Kitty"), ("tell me about {}", "Please Please Me"), ("what is {}", "What Is Love"),
    ("what is {}", "Who Framed Roger Rabbit"), ("what is {}", "How I Met Your Mother"), ("who wrote {}", "Hey Jude"),
    ("what is {}", "So You Think You Can Dance"), ("tell me about {}", "Now You See Me"),
    ("what is {}", "search engine optimization"), ("what is {}", "well water"),
    ("what is {}", "Where the Wild Things Are"), ("what is {}", "Who's Afraid of Virginia Woolf"),
    ("what is {}", "Show Me the Money"), ("what is {}", "Made in Heaven"), ("what is {}", "The Word"),
    ("что такое {}", "Как закалялась сталь"), ("что такое {}", "Ну, погоди"), ("кто написал {}", "Что делать"),
    ("кто написал {}", "А зори здесь тихие"), ("расскажи про {}", "И корабль плывёт"),
    ("кто написал {}", "Кто виноват"), ("что такое {}", "Кому на Руси жить хорошо"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "text", "topic"), OTHERS)
def test_the_topic_in_other_languages(language: str, text: str, topic: str) -> None:
    topics = parse(text, languages=[language]).topics
    assert topic in topics
    assert topic.rsplit(maxsplit=1)[-1] in topics[-1]


@pytest.mark.parametrize(("text", "saying"), SAID)
def test_sayings_in_other_languages(text: str, saying: str) -> None:
    assert parse(text, languages=["deu", "fra", "spa"]).saying == saying


@pytest.mark.parametrize(("text", "topic", "words"), ENGLISH + RUSSIAN)
def test_topic_and_content_words(text: str, topic: str, words: str | None) -> None:
    question = parse(text, languages=["eng", "rus"])
    assert topic in question.topics
    if words is not None:
        assert content(question) == words.split()


@pytest.mark.parametrize(("frame", "title"), LIKE_FRAMES)
def test_a_title_that_begins_like_a_frame_stays_a_topic(frame: str, title: str) -> None:
    assert title in parse(frame.format(title)).topics


@pytest.mark.parametrize("title", [title for _, title in LIKE_FRAMES])
def test_a_title_that_begins_like_a_frame_is_a_topic_by_itself(title: str) -> None:
    assert title in parse(title).topics


COURTESY = [
    "{}",
    "{} please",
    "please, {}",
    "hi, {}",
    "Hello! {}",
    "{}, thanks",
    "{} thank you",
    "so, {}",
    "{} thx",
]


@pytest.mark.parametrize("frame", COURTESY)
def test_courtesy_changes_nothing(frame: str) -> None:
    question = parse(frame.format("what is dredging"))
    assert content(question) == ["dredging"]
    assert "dredging" in question.topics


# question, what is to be found verbatim
SAYINGS = [
    ("who said I think therefore I am", "I think therefore I am"),
    ("who first said that all men are created equal", "all men are created equal"),
    ("Who coined the phrase iron curtain?", "iron curtain"),
    ("what does the expression bite the bullet mean?", "bite the bullet"),
    ("where does the phrase bite the bullet come from", "bite the bullet"),
    ("what is meant by carpe diem", "carpe diem"),
    ("which novel begins with call me ishmael", "call me ishmael"),
    ("the road goes ever on who said that", "the road goes ever on"),
    ("кто сказал мыслю, следовательно существую", "мыслю, следовательно существую"),
    ("откуда взялось выражение бить баклуши", "бить баклуши"),
    ("что значит фраза бить баклуши", "бить баклуши"),
    ("чьи это слова: поехали", "поехали"),
    ("пусть едят пирожные кто сказал", "пусть едят пирожные"),
]
# What quotes nobody.
NO_SAYING = [
    "what is TCP",
    "who wrote War and Peace",
    "has oceania always been at war",
    "кто написал Войну и мир",
    "tea",
]


@pytest.mark.parametrize(("text", "saying"), [*SAYINGS, *((text, "") for text in NO_SAYING)])
def test_a_frame_that_quotes_leaves_the_saying(text: str, saying: str) -> None:
    assert parse(text).saying == saying


@pytest.mark.parametrize(
    ("text", "quotes"),
    [
        ('"--error-on-warnings"', ("--error-on-warnings",)),
        ("who said “hot water” and «ёлки»", ("hot water", "ёлки")),
        ("„Gut“ und »besser«?", ("Gut", "besser")),
        ('what is a "dry dock', ()),
        ('""', ()),
        ('"?!" tea', ()),
        ("it's Brask's", ()),
        ("tea", ()),
    ],
)
def test_what_stands_in_quotation_marks(text: str, quotes: tuple[str, ...]) -> None:
    assert parse(text).quotes == quotes


@pytest.mark.parametrize("text", ['what is "Who\'s Afraid of Virginia Woolf?"', "кто написал «Кто виноват?»"])
def test_a_quoted_title_is_a_topic(text: str) -> None:
    keys = {title_key(topic) for topic in parse(text).topics}
    assert {title_key(quote) for quote in parse(text).quotes} <= keys


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("how many moons does Jupiter have", "how many"), ("how tall is Everest", "how many"),
        ("сколько планет", "how many"), ("when was it built", "when"), ("in what year did it end", "when"),
        ("в каком году это было", "when"), ("where is Rome", "where"), ("где Байкал", "where"),
        ("why is the sky blue", "why"), ("почему небо голубое", "why"), ("who was Brask", "who"),
        ("кто такой Пушкин", "who"), ("what is tea", "definition"), ("что такое чай", "definition"),
        ("define tea", "definition"), ("tea", ""),
    ],
)  # fmt: skip
def test_what_sort_of_thing_is_asked_for(text: str, asks: str) -> None:
    assert parse(text).asks == asks


@pytest.mark.parametrize(
    ("text", "topics"),
    [("search medbook for insulin", "insulin"), ("in medbook about insulin", "insulin"),
     ("please search MedBook for insulin", "insulin"), ("ask medbook: what is insulin", "insulin"),
     ("look in medbook for insulin", "insulin"), ("поищи в medbook про инсулин", "инсулин")],
)  # fmt: skip
def test_a_question_may_name_the_archive(text: str, topics: str) -> None:
    question = parse(text, archives=["other", "medbook"])
    assert question.archive == "medbook"
    assert topics in question.topics
    assert "medbook" not in content(question)


@pytest.mark.parametrize(
    "text", ["search library for insulin", "in 1984 about tea", "medbook", "what is medbook", "in"]
)
def test_other_names_are_words(text: str) -> None:
    question = parse(text, archives=["medbook"])
    assert question.archive is None
    assert question.text == text


def test_a_name_that_several_archives_share_means_the_same_in_any_order() -> None:
    archives = ["wikipedia_en_all", "wikipedia_ru_all", "wikipedia_de_all"]
    one, other = (parse("search wikipedia for tea", archives=order) for order in (archives, archives[::-1]))
    assert one.archive == other.archive


@pytest.mark.parametrize(
    ("text", "words"),
    [("东京的首都", "东京 京的 的首 首都"), ("什么是TCP协议", "什么 么是 tcp 协议"), ("中", "中")],
)
def test_a_run_without_blanks_is_one_word_of_several_terms(text: str, words: str) -> None:
    question = parse(text)
    assert question.topics == (text,)
    assert content(question) == [words]


@pytest.mark.parametrize("text", ["", " ", "\t\r\n", "\0\0", "\ud800", "\x1b"])
def test_an_empty_question_says_so(text: str) -> None:
    assert parse(text).empty == "empty question"


@pytest.mark.parametrize("text", ["?", "!!! ... ???", "*", '"""', "— «»", "👍", "()", "\u0301"])
def test_a_question_without_words_says_so(text: str) -> None:
    assert parse(text).empty == "no words in the question"


def test_a_question_that_is_too_long_says_so_in_little_space() -> None:
    assert parse("x" * LONGEST).empty == ""
    question = parse("x" * (LONGEST + 1))
    assert question.empty == f"question too long: {LONGEST + 1} characters, limit {LONGEST}"
    assert len(question.asked) == 200
    assert parse("tea tea", longest=6).empty == "question too long: 7 characters, limit 6"


@pytest.mark.parametrize("length", [3, LONGEST + 1])
def test_the_echo_holds_nothing_that_cannot_be_written(length: int) -> None:
    assert parse("\ud800\0x" * length).asked.encode()


@given(st.one_of(texts, frames))
@example("what is")
@example("who said")
@example("'s")
@example("l'")
@example("what does mean")
def test_any_text_is_taken_apart(text: str) -> None:
    question = parse(text, archives=["is", "the", "medbook"], languages=["eng", "deu", "zho", ""])
    assert bool(question.empty) == (not question.words)
    if question.empty:
        assert set(question.topics) <= {question.text}  # a sign without a word may be a name
        return
    assert any(word.content for word in question.words)
    for word in question.words:
        assert fold(question.text[word.start : word.end]) == word.folded
    assert question.topics
    spoken = [topic for topic in question.topics if topic in question.text]
    assert all(topic.strip() for topic in question.topics)
    assert spoken
    assert set(question.topics) - set(spoken) <= {other for topic in spoken for other in respelled(topic)}
    assert all(quote in question.text for quote in question.quotes)
    assert question.saying in question.text
    question.text.encode()


@given(st.one_of(texts, frames))
def test_the_whole_question_is_a_topic(text: str) -> None:
    question = parse(text)
    assert question.empty or fold(question.text) in map(fold, question.topics)


@given(st.one_of(texts, frames))
def test_taking_apart_is_repeatable(text: str) -> None:
    question = parse(text)
    assert parse(text) == question
    if not question.empty:
        assert parse(question.text).words == question.words
