"""Private data is replaced by stable names; what looks like it stays."""

import time

import pytest
from redaction_corpus import MACHINE, Planted, harmless, planted

from accucheck.language import Language
from accucheck.report import redact
from accucheck.report.redact import Redactor, ident, masked

PLANTED = planted()


def redactor(**more: object) -> Redactor:
    return Redactor(**{**MACHINE, **more})  # type: ignore[arg-type]


def test_the_corpora_are_large_enough() -> None:
    assert len({(one.text, one.private) for one in PLANTED}) >= 300
    assert len(set(harmless())) >= 300


@pytest.mark.parametrize("one", PLANTED, ids=[f"{one.kind}-{number}" for number, one in enumerate(PLANTED)])
def test_private_data_is_replaced(one: Planted) -> None:
    hide = redactor()
    shown = hide(one.text)
    assert not [line for line in one.private.split("\n") if line in shown]
    assert hide.counts.total() and shown.count("\n") == one.text.count("\n")
    again = redactor()
    assert again(shown) == shown and not again.counts, "what is redacted stays as it is"


@pytest.mark.parametrize("text", harmless())
def test_what_looks_alike_stays(text: str) -> None:
    hide = redactor()
    assert hide(text) == text
    assert not hide.counts


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("http_proxy=http://z00512345:pw@proxy.huawei.com:8080 on", "http_proxy=<proxy-1> on"),
        ("https://x.example.net/o?q-ak=AKIDabcdefghijklm1234&q-signature=aabb", "https://x.example.net/o?<signed-1>"),
        ("E:/Users/lisi/net.py", "<path-1>/net.py"),
        ("C:\\Users\\Li Si\\proj\\a.py", "<path-1>\\a.py"),
        ("C:\\Users\\lisi", "C:\\Users\\<user-1>"),
        ("/home/ma-user/work/lisi/net/a.py", "/home/ma-user/work/<user-1>/net/a.py"),
        ("mysql -h db -pHu@wei123 x", "mysql -h db -p<secret-1> x"),
        ("curl -u admin:pw@1 http://10.1.2.3/x", "curl -u <secret-1> http://<ip-1>/x"),
    ],
)
def test_rules_leave_each_other_whole(text: str, shown: str) -> None:
    assert redactor()(text) == shown


def test_the_preview_names_what_tells_of_persons() -> None:
    hide = redactor()
    hide("张三 13812345678 11010519491231002X z00512345")
    english, chinese = (
        redact.RedactionPreview(hide.counts, hide.examples).lines(language) for language in (Language.EN, Language.ZH)
    )
    assert english == [
        "mobile numbers: 1  138…78 → <phone-1>",
        "identity numbers: 1  110…2X → <identity-1>",
        "staff numbers: 1  z00…45 → <staff-1>",
    ]
    assert [line.partition("：")[0] for line in chinese] == ["手机号", "身份证号", "工号"]


def test_the_preview_says_where_and_by_what() -> None:
    hide = redactor()
    hide.learn({"entries": {"dp.02": {"note": "as on 10.0.0.3"}}, "who": "10.0.0.4"})
    assert hide.examples["ip"] == ["10.….3 → <ip-1> (dp.02)", "10.….4 → <ip-2>"]


def test_names_are_stable() -> None:
    hide = redactor()
    assert hide("10.0.0.1 10.0.0.2 10.0.0.1") == "<ip-1> <ip-2> <ip-1>"
    assert hide("/data/x/a.py /data/y/a.py /data/x/b.py") == "<path-1>/a.py <path-2>/a.py <path-1>/b.py"
    assert hide.within({"hosts": ["10.0.0.2"], "password": "Tr0ub4dor", "steps": 3}) == {
        "hosts": ["<ip-2>"],
        "password": "<secret-1>",
        "steps": 3,
    }
    assert hide.counts == {"ip": 4, "path": 3, "secret": 1}


def test_the_project_and_home() -> None:
    hide = redactor()
    text = f"/srv/projects/acme/data/a.csv, {MACHINE['home']}/b.csv"
    assert hide(text) == "data/a.csv, ~/b.csv"
    assert hide(text, whole_path=False) == "<project>/data/a.csv, ~/b.csv"
    assert not hide.counts


def test_what_is_allowed_stays() -> None:
    text = "see 10.1.2.3 and 10.1.2.4"
    assert redactor(allow=["10.1.2.3"])(text) == "see 10.1.2.3 and <ip-1>"
    assert redactor(allow=[ident("10.1.2.3")])(text) == "see 10.1.2.3 and <ip-1>"


def test_off_hides_nothing_but_the_folders() -> None:
    hide = redactor(on=False)
    assert hide(f"10.1.2.3 /srv/projects/acme/a {MACHINE['home']}/b") == "10.1.2.3 a ~/b"


def test_a_secret_is_found_where_nothing_tells_what_it_is() -> None:
    hide = redactor()
    hide.learn({"notes": ["password=Tr0ub4dor&3", "then type Tr0ub4dor&3 again"]})
    assert hide("type Tr0ub4dor&3") == "type <secret-1>"
    assert hide.again()("type Tr0ub4dor&3") == "type <secret-1>"


def test_a_secret_of_several_lines_leaves_as_many() -> None:
    key = "-----BEGIN PRIVATE KEY-----\n" + "b3BlbnNzaC1rZXktdjEAAAAABG5v\n" * 5 + "-----END PRIVATE KEY-----"
    text = f"a = 1\nKEY = '{key}'\nb = 2\n"
    hide = redactor()
    assert hide(text, whole_path=False).count("\n") == text.count("\n")
    hide.learn({"text": text})
    shown = hide(text, whole_path=False)
    assert "b3Blbn" not in shown and shown.split("\n")[8:] == ["b = 2", ""], (
        "what follows keeps its line once it is known too"
    )
    assert redactor(allow=[key])(text, whole_path=False) == text


@pytest.mark.parametrize(
    ("value", "strength", "quoted", "secret"),
    [
        ("input_password", "strong", False, False),  # the name of a variable
        ("input_password", "strong", True, True),
        ("one of two words", "weak", True, False),
        ("Bearer a1B2c3D4e5F6g7H8", "weak", True, True),
        ("settings.model.name", "medium", False, False),
        ("0123456789abcdef0123456789abcdef", "weak", False, True),
        ("abcdefabcdefabcd", "weak", False, True),
        ("TransformerDecoder", "weak", False, False),
    ],
)
def test_values_beside_a_key(value: str, strength: str, quoted: bool, secret: bool) -> None:
    assert redact._is_secret(value, strength, quoted) is secret


def test_people() -> None:
    hide = redactor()
    assert hide.person("wangwei") == "<user-1>"
    assert hide.person("Wang Wei") == "Wang Wei"
    assert hide.person("root") == "root"


def test_examples_are_masked() -> None:
    hide = redactor()
    hide("password=Tr0ub4dor3 10.1.2.3")
    assert hide.examples == {"secret": ["Tr0…r3 → <secret-1>"], "ip": ["10.….3 → <ip-1>"]}
    assert masked("abc") == "…"


#: Each would take hours if a rule tried every way of matching it.
HARD = {
    "letters": "a" * 1_000_000,
    "digits": "1" * 1_000_000,
    "capitals": "A1" * 500_000,
    "slashes": "/a" * 500_000,
    "open path": '"/data/' + "a/" * 500_000,
    "quotes": "'/'" * 300_000,
    "dots": "1." * 500_000,
    "quads": "1.2.3." * 160_000,
    "colons": "a:" * 500_000,
    "hex colons": "ab:" * 330_000,
    "at signs": "a@" * 500_000,
    "mail": "a@" + "b." * 500_000,
    "hosts": "a-1." * 250_000,
    "dashes": "-" * 1_000_000,
    "equals": "password=" * 110_000,
    "words": "token key secret " * 60_000,
    "open value": 'password="' + "a\\" * 500_000,
    "address": "http://" + "a" * 1_000_000,
    "schemes": "http://" * 140_000,
    "query": "http://a.com/?" + "a=b&" * 250_000,
    "key block": "-----BEGIN PRIVATE KEY-----" * 37_000,
    "jwt": "eyJ" + "a" * 1_000_000,
    "jwts": "eyJaaaaaaaaa." * 77_000,
    "bearer": "bearer " * 140_000,
    "prompts": "root@a " * 140_000,
    "backslashes": "\\" * 1_000_000,
    "windows": "C:\\aa" * 200_000,
    "blanks": "password" + " " * 1_000_000,
    "chinese": "密码：" * 330_000,
    "angle": "<path-1>/" * 110_000,
    "events": "events.out.tfevents.1234567890." * 33_000,
    "underscores": "_" * 1_000_000,
    "tokens": "sk-" + "a" * 1_000_000,
    "hostname": "hostname=" + "a" * 1_000_000,
    "commands": "curl -u mysql -p " * 60_000,
    "spaced user": "C:\\Users\\" + "a b " * 250_000,
    "machines": "machine a login " * 60_000,
    "records": "'username':'a','key':'" * 45_000,
    "numbers": "138 1234 1" * 100_000,
    "basic": "basic " + "a1-" * 330_000,
}


@pytest.mark.part(40)
@pytest.mark.parametrize("name", HARD)
def test_time_is_linear(name: str) -> None:
    """Twice the text takes about twice the time: ten times would be a rule that goes back over what it has read."""
    text = HARD[name]
    seconds = []
    for part in (text[: len(text) // 8], text):
        begun = time.process_time()
        redactor()(part)
        seconds.append(time.process_time() - begun)
    assert seconds[1] < max(4.0, 24 * seconds[0]), seconds
