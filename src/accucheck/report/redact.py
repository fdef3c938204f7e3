"""What a report must not carry out of the house: paths, names, addresses and secrets, each replaced by a stable name such as <host-1>.

Rules know private data by its form and by what stands beside it; what no rule knows stays. No rule is a guess at random letters, so that
hashes, versions and names of parameters survive. Every rule takes time linear in the text.
"""

from __future__ import annotations

import hashlib
import ipaddress
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from ..case import Case
from ..language import Language, word
from . import forms

_EXAMPLES = 3  # masked, a kind
_SCANNED = 80  # characters that are looked at before or behind a word, so that no rule is more than linear
_BRIEF, _REMEMBERED = 200, 20_000  # characters of a text that is remembered to hold nothing private; how many are
_LEARNING = 100_000  # characters of one text that is learnt from
_LEARNT = 200  # secrets that are looked for by themselves


class Redactor:
    """Replaces private data in texts; equal data by equal names. `counts` holds how often each of KINDS was replaced.

    root: the project's folder, which is left out of paths; home is shown as ~. users, hosts: names to hide where they
    stand as whole words in paths, prompts and addresses. allow: texts, or their ids as `ident`
    gives them, that stay. `on` False hides just root and home. `samples`: samples of
    the data are shown.
    """

    def __init__(
        self,
        root: str = "",
        home: str = "",
        users: Iterable[str] = (),
        hosts: Iterable[str] = (),
        *,
        allow: Iterable[str] = (),
        on: bool = True,
        samples: bool = False,
    ) -> None:
        root, home = os.path.abspath(root) if root else "/", home.rstrip("/")
        self.on, self.samples = on, samples or not on
        self.counts: Counter[str] = Counter()
        self.examples: dict[str, list[str]] = {}
        self.at = ""  # the item whose texts are looked at
        self.found: list[tuple[str, str]] = []
        self._learnt: list[str] = []
        #: Texts without anything to hide, by `whole_path`: most are met again and again.
        self._clean: tuple[set[str], set[str]] = set(), set()
        self._bare: re.Pattern[str] | None = None
        self._names: dict[tuple[str, str], str] = {}
        self._numbers: Counter[str] = Counter()
        self._allow = frozenset(allow)
        before, after = r"(?<![\w.~-])", r"(?=/|$|[^\w.-])"
        self._root = root if root != "/" else ""
        self._inside = re.compile(before + re.escape(self._root) + "/") if self._root else None
        self._itself = re.compile(before + re.escape(self._root) + after) if self._root else None
        self._home = re.compile(before + re.escape(home) + after) if len(home) > 1 else None
        self._users = {name for name in users if len(name) > 1 and name.lower() not in forms.NOBODY}
        self._hosts = {name for name in hosts if len(name) > 1 and name.lower() not in forms.NOBODY}
        self._hosts |= {name.partition(".")[0] for name in self._hosts if len(name.partition(".")[0]) > 2}
        known = sorted(self._users | self._hosts, key=len, reverse=True)
        self._known = (
            re.compile(rf"(?<![A-Za-z0-9_])(?:{'|'.join(map(re.escape, known))})(?=_MS\b|(?![A-Za-z0-9_]))")
            if known
            else None
        )
        domains = {name.partition(".")[2].lower() for name in self._hosts if name.count(".") > 1}
        self._domains = tuple("." + domain for domain in domains)

    def __call__(self, text: str, *, whole_path: bool = True) -> str:
        """`whole_path`: paths of the project become relative; code and diffs keep them, from the project's folder on."""
        clean = self._clean[whole_path]
        if text in clean:
            return text
        hidden = self._hidden(text, whole_path)
        if hidden == text and len(text) <= _BRIEF and len(clean) < _REMEMBERED:
            clean.add(text)
        return hidden

    def _hidden(self, text: str, whole_path: bool) -> str:
        if self._bare:
            text = self._bare.sub(self._block, text)
        if not forms.ANY.search(text):
            return text
        if "/" in text:
            text = self._own(text, whole_path)
        if not self.on:
            return text
        for needed, rule in _RULES:
            if not needed or any(part in text for part in needed):
                text = rule(self, text)
        return text

    @property
    def distinct(self) -> Counter[str]:
        """How many different texts have got a name, by kind."""
        return Counter(kind for kind, _ in self._names)

    def learn(self, value: Any) -> None:
        """Look for secrets in a nested value, so that they are found where nothing beside them tells what they are."""
        if not self.on:
            return
        seen = _brief(value)
        entries = seen.get("entries") if isinstance(seen, dict) else None
        if isinstance(entries, dict):
            for self.at, entry in entries.items():
                self.within(entry)
            self.at, seen = "", {key: below for key, below in seen.items() if key != "entries"}
        self.within(seen)
        self.counts.clear()
        for clean in self._clean:
            clean.clear()
        if self._learnt:
            told = "|".join(map(re.escape, sorted(self._learnt, key=len, reverse=True)[:_LEARNT]))
            self._bare = re.compile(rf"(?<![A-Za-z0-9])(?:{told})(?![A-Za-z0-9])")

    def again(self) -> Redactor:
        """A redactor that knows the same and has replaced nothing yet."""
        other = Redactor(on=self.on, allow=self._allow, samples=self.samples)
        for name in ("_root", "_inside", "_itself", "_home", "_users", "_hosts", "_known", "_domains", "_bare"):
            setattr(other, name, getattr(self, name))
        return other

    def within(self, value: Any) -> Any:
        """The same in all texts of a nested value, names of entries among them."""
        if isinstance(value, str):
            return self(value)
        if isinstance(value, dict):
            return {self(key) if isinstance(key, str) else key: self._entry(key, below) for key, below in value.items()}
        return [self.within(below) for below in value] if isinstance(value, (list, tuple)) else value

    def file(self, content: bytes) -> tuple[bytes, bool]:
        """A file without what is private, and whether it could be looked into: what is no text is left as it is."""
        encoding = encoding_of(content)
        if encoding is None:
            return content, False
        text = content.decode(encoding)
        hidden = self(text, whole_path=False)
        return (content if hidden == text else hidden.encode(encoding, "replace")), True

    def person(self, name: str) -> str:
        """Who concluded: the name of an account is hidden, one that somebody gave is not."""
        return self._name("user", name) if self.on and name in self._users else self(name)

    def _entry(self, key: Any, value: Any) -> Any:
        if self.on and isinstance(value, str) and isinstance(key, str):
            if key == "by":
                return self.person(value)
            strength = _strength(key)
            if strength and _is_secret(value, strength, True):
                return self._secret(value)
        return self.within(value)

    def allows(self, text: str) -> bool:
        """Whether a text, or the id of one, is accepted as it is."""
        return text in self._allow

    # --- names --------------------------------------------------------------------------------------------------------

    def _name(self, kind: str, original: str) -> str:
        """The name that stands for a text; the text itself where it is allowed."""
        if forms.PLACEHOLDER.search(original) or self.allows(original) or self.allows(ident(original)):
            return original
        key = kind, original
        if key not in self._names:
            self._numbers[kind] += 1
            self._names[key] = f"<{kind}-{self._numbers[kind]}>"
            shown = self.examples.setdefault(kind, [])
            if len(shown) < _EXAMPLES:
                place = f" ({self.at})" if self.at else ""
                shown.append(f"{masked(original)} → {self._names[key]}{place}")
            if kind == "secret" and 8 <= len(original) <= 500 and not original.isdigit() and not original.isalpha():
                self._learnt.append(original)
        self.counts[kind] += 1
        self.found.append((kind, original))
        return self._names[key]

    def _secret(self, original: str) -> str:
        return self._name("secret", original)

    def _block(self, found: re.Match[str]) -> str:
        """A secret of any number of lines; as many as before, so that numbers of lines hold."""
        name = self._secret(found[0])
        return name if name == found[0] else name + "\n" * found[0].count("\n")

    # --- the project and home -----------------------------------------------------------------------------------------

    def _own(self, text: str, whole_path: bool) -> str:
        if whole_path and self._inside:
            text = self._inside.sub("", text)
        if self._home:
            text = self._home.sub("~", text)
        if not whole_path and self.on and self._itself:
            text = self._itself.sub("<project>", text)
        return text

    # --- rules --------------------------------------------------------------------------------------------------------

    def _key_blocks(self, text: str) -> str:
        return forms.KEY_BLOCK.sub(self._block, text)

    def _tokens(self, text: str) -> str:
        def told(found: re.Match[str]) -> str:
            named = found[0].startswith("sk-") and not _opaque(found[0][3:])  # sk-resnet50-imagenet-batch
            return found[0] if named else self._secret(found[0])

        if any(part in text for part in forms.TOKENS):
            text = forms.TOKEN.sub(told, text)
        return text

    def _bearers(self, text: str) -> str:
        for needed, rule in (("uthoriz", forms.AUTHORIZATION), ("UTHORIZ", forms.AUTHORIZATION), ("ogin", forms.WANDB)):
            if needed in text:
                text = rule.sub(lambda found: self._in_place(found, 1), text)
        return forms.BEARER.sub(lambda found: self._in_place(found, 1) if _opaque(found[1]) else found[0], text)

    def _in_place(self, found: re.Match[str], *groups: int) -> str:
        """What was found with these groups as secrets."""
        pieces, done = [], found.start()
        for group in groups:
            pieces += [found.string[done : found.start(group)], self._secret(found[group])]
            done = found.end(group)
        return "".join([*pieces, found.string[done : found.end()]])

    def _pairs(self, text: str) -> str:
        """Keys that stand where nothing names them: two beside each other, arguments of a client, before the name of a cipher."""

        def client(found: re.Match[str]) -> str:
            return self._in_place(
                found, *(group for group in (2, 4) if _random(found[group]) and "://" not in found[group])
            )

        def cipher(found: re.Match[str]) -> str:
            return self._in_place(found, 2) if _is_secret(found[2], "cipher", True) else found[0]

        def bare(found: re.Match[str]) -> str:
            return self._in_place(found, 2) if len(found[2]) in forms.KEY_SIZES and _random(found[2]) else found[0]

        text = forms.BYTES_KEY.sub(bare, text)
        text = forms.PAIR.sub(lambda found: self._in_place(found, 2, 4), text)
        return forms.CIPHERED.sub(cipher, forms.CLIENT.sub(client, text))

    def _logins(self, text: str) -> str:
        """What .netrc and kaggle.json hold."""

        def kaggle(found: re.Match[str]) -> str:
            return self._in_place(found, 4)

        def netrc(found: re.Match[str]) -> str:
            return self._in_place(found, 1, 2)

        return forms.NETRC_LINE.sub(
            lambda found: self._in_place(found, 1), forms.NETRC.sub(netrc, forms.KAGGLE.sub(kaggle, text))
        )

    def _commands(self, text: str) -> str:
        """Secrets among the arguments of a program, and those that a shell takes where a variable is unset."""

        def option(found: re.Match[str]) -> str:
            group = next(number for number in (1, 2, 3) if found[number] is not None)
            said = found[group]
            plain = (
                forms.PLACEHOLDER.search(said) or re.match(r"[$%{*]|x{3,}$", said) or said.lower() in forms.NO_SECRET
            )
            return found[0] if plain else self._in_place(found, group)

        def default(found: re.Match[str]) -> str:
            named = _strength(found[1]) or re.search(r"(?i)(?:^|_)(?:pw|pass)$", found[1])
            return self._in_place(found, 2) if named and found[2].lower() not in forms.NO_SECRET else found[0]

        def command(found: re.Match[str]) -> str:
            at = found.start(2) - found.start()
            return found[0][:at] + forms.OPTIONS[found[1]].sub(option, found[0][at:])

        return forms.COMMAND.sub(command, forms.DEFAULT.sub(default, text))

    def _addresses(self, text: str) -> str:
        return forms.URL.sub(self._address, text)

    def _address(self, found: re.Match[str]) -> str:
        scheme, whole = found[1], found[2]
        rest = whole.rstrip(".,;:!?)]*") if not whole.startswith("[") else whole.rstrip(".,;:!?*")
        tail = whole[len(rest) :]
        if scheme.lower() == "file":
            return f"{scheme}://{self._path(rest, True) if rest.startswith('/') else rest}{tail}"
        rest, hash_, fragment = rest.partition("#")
        rest, question, query = rest.partition("?")
        authority, slash, path = rest.partition("/")
        login, at, place = authority.rpartition("@")
        if at and login:
            plain = login.lower() in forms.NOBODY or login in ("git", "hg", "svn")
            login = login if plain else self._secret(login) if ":" in login else self._name("user", login)
        if scheme.lower() in forms.STORES:
            folder, _, name = f"{place}/{path}".rstrip("/").rpartition("/")
            shown = (
                f"{self._name('path', folder)}/{name}"
                if folder and path
                else self._name("path", place)
                if place
                else ""
            )
            return f"{scheme}://{login}{at}{shown}{self._query(question, query)}{hash_}{fragment}{tail}"
        bare, colon, port = place.rpartition(":") if re.search(r":\d+$", place) else (place, "", "")
        if not bare:
            return found[0]
        repository = scheme.lower() in ("git", "ssh", "svn", "git+ssh", "git+https") or path.endswith(".git")
        if repository and not bare.startswith("[") and not _public(bare) and not _harmless(bare):
            return f"{scheme}://{login}{at}{self._name('remote', f'{place}/{path}')}{tail}"
        if "conda" in bare:
            path = forms.CHANNEL.sub(lambda channel: self._in_place(channel, 2), path)
        if re.search(r"(?i)hooks\.slack|open\.feishu|discord(?:app)?\.com$|office\.com$", bare) and "/" in path:
            path = self._secret(path)
        return (
            f"{scheme}://{login}{at}{self._host(bare)}{colon}{port}{slash}{path}"
            f"{self._query(question, query)}{hash_}{fragment}{tail}"
        )

    def _query(self, question: str, query: str) -> str:
        if query and forms.SIGNING.search(query):
            return question + self._name("signed", query)

        def told(found: re.Match[str]) -> str:
            plain = found[2].isdigit() or found[2].lower() in forms.NO_SECRET
            return found[0] if plain else found[1] + self._secret(found[2])

        return question + forms.PARAMETER.sub(told, forms.TOLD.sub(told, query))

    def _host(self, bare: str) -> str:
        """The host of an address: that of a private network is hidden."""
        if bare.startswith("["):
            return self._colons(bare)
        if forms.QUAD.fullmatch(bare):
            return bare if _harmless(bare) else self._name("ip", bare)
        if _harmless(bare) or not bare or forms.PLACEHOLDER.search(bare):
            return bare
        if found := forms.BUCKET.fullmatch(bare):
            return self._name("host", found[1]) + found[2]
        known = bare in self._hosts or bare.lower().endswith(self._domains) if self._domains else bare in self._hosts
        if (
            known
            or ("." not in bare and re.fullmatch(r"[\w-]+", bare) and not bare.isdigit())
            or forms.INSIDE.fullmatch(bare)
        ):
            return self._name("host", bare)
        return bare

    def _remotes(self, text: str) -> str:
        def replaced(found: re.Match[str]) -> str:
            if _public(found[1]):
                return found[0]
            return (
                self._name("remote", found[0]) if found[0].startswith("git@") or found[0].endswith(".git") else found[0]
            )

        return forms.REMOTE.sub(replaced, text)

    def _mails(self, text: str) -> str:
        def replaced(found: re.Match[str]) -> str:
            zone = found[3]
            real = (zone.lower() in forms.ZONES or (len(zone) == 2 and zone.islower())) and zone not in forms.ATTRIBUTES
            if found[1] == "git" and _public(found[2]):
                return found[0]
            return found[0] if not real or _public(found[2], "example.") else self._name("email", found[0])

        return forms.MAIL.sub(replaced, text)

    def _prompts(self, text: str) -> str:
        def replaced(found: re.Match[str]) -> str:
            user, host = found[1], found[2].rstrip(".-")
            known = user in self._users or host in self._hosts or bool(forms.QUAD.fullmatch(host))
            before = text[max(0, found.start() - _SCANNED) : found.start()]
            behind = text[found.end() : found.end() + _SCANNED]
            if user == "git" or not (known or forms.SHELL.search(before) or forms.BEHIND.match(behind)):
                return found[0]
            name = user if user.lower() in forms.NOBODY else self._name("user", user)
            if forms.QUAD.fullmatch(host):
                place = host if _harmless(host) else self._name("ip", host)
            else:
                place = host if host.lower() in forms.NOBODY or _public(host) else self._name("host", host)
            return f"{name}@{place}{found[2][len(host) :]}"

        return forms.PROMPT.sub(replaced, text)

    def _proxies(self, text: str) -> str:
        """Whole proxies, before anything in them is looked at."""
        return self._keys(text, proxies=True)

    def _keys(self, text: str, *, proxies: bool = False) -> str:
        """Values beside a word such as password or access_key, or beside proxy alone."""
        pieces, done, skip = [], 0, 0
        for found in (forms.PROXY if proxies else forms.KEYWORD).finditer(text):
            if found.start() < max(done, skip):
                continue
            start = found.start()
            while (
                start > done and found.start() - start < 60 and (text[start - 1].isalnum() or text[start - 1] in "_.-")
            ):
                start -= 1
            stop = found.end()
            while (
                stop < len(text)
                and stop - found.end() < 60
                and ((text[stop].isalnum() and text[stop].isascii()) or text[stop] in "_-")
            ):
                stop += 1
            key = text[start:stop]
            strength = "proxy" if "proxy" in key.lower() or "代理" in key else _strength(key)
            if not strength or (proxies and strength != "proxy") or text[start - 1 : start] in ("$", "{"):
                continue
            sign = forms.SIGN.match(text, stop)
            if sign is None and key.startswith("--"):
                sign = forms.BLANK.match(text, stop)
            value = forms.VALUE.match(text, sign.end()) if sign else None
            if value is None:
                continue
            group = next(number for number in (1, 2, 3) if value[number] is not None)
            said, place = value[group], value.start(group)
            if group == 3:
                said = said.rstrip(",;)]}:`*") if "://" not in said else said.rstrip(",;)]}`*")
            if not said or forms.PLACEHOLDER.match(text, place):
                continue
            if strength == "proxy":
                if not re.search(r"://|[\w]\.\w|:\d{2,5}\b", said) or _loopback(said):
                    continue
                shown = self._name("proxy", said)
            elif _is_secret(said, strength, group != 3):
                shown = self._secret(said)
            else:
                skip = value.end() if len(said) > _SCANNED else skip  # or each word in it would read the rest again
                continue
            pieces += [text[done:place], shown]
            done = place + len(said)
        return "".join([*pieces, text[done:]]) if pieces else text

    def _paths(self, text: str) -> str:
        def replaced(found: re.Match[str]) -> str:
            before = text[max(0, found.start() - 40) : found.start()]
            if forms.PLACEHOLDER_END.search(before):
                return found[0]
            return self._path(found[0], bool(forms.PATH_BEFORE.search(before)))

        return forms.PATH.sub(replaced, text)

    def _path(self, whole: str, surely: bool) -> str:
        path = whole.rstrip(".!?…")
        tail = whole[len(path) :]
        if (found := forms.SHARED_HOME.match(path)) and found[2].lower() not in forms.NOBODY | forms.FOLDERS:
            return f"{found[1]}{self._name('user', found[2])}{path[found.end() :]}{tail}"
        if forms.KEPT.match(path):
            return whole
        if found := forms.HOME.match(path):
            name = found[2] if found[2].lower() in forms.NOBODY else self._name("user", found[2])
            return f"{found[1]}{name}{path[found.end() :]}{tail}"
        if not (surely or forms.TOP.match(path) or forms.ENDING.search(path)):
            return whole
        folder, _, name = path.rstrip("/").rpartition("/")
        if found := forms.LIBRARY.search(path):
            return self._name("path", path[: found.start()]) + path[found.start() :] + tail
        if not folder:
            return whole
        return f"{self._name('path', folder)}/{name}{path[len(path.rstrip('/')) :]}{tail}"

    def _windows(self, text: str) -> str:
        def replaced(found: re.Match[str]) -> str:
            if forms.WINDOWS_KEPT.match(found[0]):
                return found[0]
            if user := forms.WINDOWS_USER.fullmatch(found[0]):
                return found[0] if user[2].lower() in forms.NOBODY else user[1] + self._name("user", user[2])
            folder, mark, name = re.fullmatch(r"(.*?)(\\{1,2}|/)([^\\/]*)", found[0].rstrip("\\/"), re.S).groups()  # type: ignore[union-attr]
            drive = len(folder) == 2  # as in C:\Users\<user-1>
            return found[0] if drive else self._name("path", folder) + mark + name

        return forms.WINDOWS.sub(replaced, text)

    def _quads(self, text: str) -> str:
        def replaced(found: re.Match[str]) -> str:
            return self._name("ip", found[0]) if _is_quad(text, found) else found[0]

        return forms.QUAD.sub(replaced, text)

    def _colons(self, text: str) -> str:
        def mac(found: re.Match[str]) -> str:
            plain = re.sub(r"[^0-9a-f]", "", found[0].lower())
            dull = plain in ("0" * 12, "f" * 12) or (plain.isdigit() and ":" not in found[0])
            return found[0] if dull else self._name("mac", found[0])

        text = forms.MAC.sub(mac, text)
        text = forms.MAC_DOTS.sub(mac, text) if "." in text else text
        return (
            forms.COLONS.sub(lambda found: self._name("ip", found[0]) if _is_v6(found[0]) else found[0], text)
            if ":" in text
            else text
        )

    def _hosts_told(self, text: str) -> str:
        """Names beside a word such as hostname, names of private networks, and those that event files carry."""

        def host(found: re.Match[str]) -> str:
            name = found[1].rstrip(".-")
            dull = (
                name.lower() in forms.NOBODY
                or _harmless(name)
                or (forms.ENDING.search(name) and not forms.INSIDE.fullmatch(name))
            )
            return found[0] if dull else found[0].replace(name, self._name("host", name))

        text = forms.HOST_KEY.sub(host, text)
        text = forms.FQDN.sub(
            lambda found: self._name("host", found[0]) if re.search("[0-9-]", found[1]) else found[0], text
        )
        if "events.out" in text:
            text = forms.EVENTS.sub(
                lambda found: (
                    found[0] if found[2].lower() in forms.NOBODY else found[1] + self._name("host", found[2]) + found[3]
                ),
                text,
            )
        return text

    def _users_told(self, text: str) -> str:
        def user(found: re.Match[str]) -> str:
            account = re.match(r"(?i)user_?name|login_?name|log_?name|sudo_user|用户名", found[0])
            if not (found[1] in self._users or account) or found[1].lower() in forms.NOBODY | forms.NO_SECRET:
                return found[0]
            return found[0].replace(found[1], self._name("user", found[1]))

        return forms.USER_KEY.sub(user, text)

    def _people(self, text: str) -> str:
        """Mobile, identity and staff numbers."""

        def phone(found: re.Match[str]) -> str:
            before = found.string[max(0, found.start() - 40) : found.start()]
            sure = found[1] or found[2] or forms.SPOKEN_BEFORE.search(before)
            counted = forms.COUNTED_BEFORE.search(before) or forms.COUNTED_BEHIND.match(found.string, found.end())
            return found[0] if counted and not sure else self._name("phone", found[0])

        def identity(found: re.Match[str]) -> str:
            return self._name("identity", found[0]) if _checked(found[0]) else found[0]

        if not forms.NUMBERED.search(text):
            return text
        text = forms.PHONE.sub(phone, forms.IDENTITY.sub(identity, text))
        text = forms.STAFF.sub(lambda found: self._name("staff", found[0]), text)
        return forms.STAFF_TOLD.sub(lambda found: found[0].replace(found[1], self._name("staff", found[1])), text)

    def _known_names(self, text: str) -> str:
        if self._known is None:
            return text

        def replaced(found: re.Match[str]) -> str:
            name = found[0]
            before = re.split(r"[\s\"'`,;()]", text[max(0, found.start() - 200) : found.start()])[-1]
            behind = re.split(r"[\s\"'`,;()]", text[found.end() : found.end() + 200], maxsplit=1)[0]
            kind = "host" if name in self._hosts else "user"
            there = re.search(r"[/\\@]", before + behind) or before.endswith("~") or "events.out" in before
            if kind == "host":
                there = (
                    there
                    or re.match(r":\d", behind)
                    or re.search(
                        r"(?i)(?:host(?:name)?|node|server|on|主机|节点)[\s:=：]{1,3}$",
                        text[max(0, found.start() - 20) : found.start()],
                    )
                )
            elif before.endswith("-") or behind.startswith("-"):
                there = None
            return self._name(kind, name) if there and not before.endswith("<") else name

        return self._known.sub(replaced, text)


#: (what a text must hold for the rule to find anything, the rule), in the order in which they are applied: what is whole before its parts,
#: so that no rule cuts what another knows. Proxies and addresses come before tokens, drives of Windows before other paths.
_RULES: list[tuple[tuple[str, ...], Callable[[Redactor, str], str]]] = [
    (("PRIVATE KEY",), Redactor._key_blocks),
    (("proxy", "PROXY", "Proxy", "代理"), Redactor._proxies),
    (("://",), Redactor._addresses),
    ((), Redactor._tokens),
    (("earer", "asic ", "EARER", "ogin", "AWS4", "egotiate", "pikey", "uthorization"), Redactor._bearers),
    (("',", '",', "=b", "= b"), Redactor._pairs),
    (("password", '"key"', "'key'"), Redactor._logins),
    ((" -", "${"), Redactor._commands),
    ((), Redactor._keys),
    (("@",), Redactor._remotes),
    (("@",), Redactor._mails),
    (("@",), Redactor._prompts),
    ((), Redactor._hosts_told),
    ((":", "=", "："), Redactor._users_told),
    (("\\", ":/"), Redactor._windows),
    (("/",), Redactor._paths),
    (("0", "1"), Redactor._people),
    ((".",), Redactor._quads),
    ((":", "-", "."), Redactor._colons),
    ((), Redactor._known_names),
]


def of(case: Case, *, allow: Iterable[str] = (), on: bool = True, samples: bool = False) -> Redactor:
    """The redactor for reports of a case made on this machine."""
    import getpass
    import socket

    home = os.path.expanduser("~")
    users = {os.environ.get(name, "") for name in ("USER", "LOGNAME", "SUDO_USER", "USERNAME")}
    if Path(home).parent.name in ("home", "Users"):
        users.add(Path(home).name)
    try:
        users.add(getpass.getuser())
    except (KeyError, OSError, ImportError):
        pass
    hosts = {socket.gethostname(), os.environ.get("HOSTNAME", "")}
    return Redactor(case.root, home, users, hosts, allow=allow, on=on, samples=samples)


def encoding_of(data: bytes) -> str | None:
    """The encoding of a text, or None for what is none."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        guesses = ["utf-16"]
    else:
        guesses = [] if b"\0" in data else ["utf-8", "gb18030"]
    for encoding in guesses:
        try:
            text = data.decode(encoding)
        except UnicodeError:
            continue
        if not re.search(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]", text):  # a log may hold ANSI colours
            return encoding
    return None


def ident(original: str) -> str:
    """A short name for a text, by which --allow accepts it without repeating it."""
    return hashlib.sha256(original.encode("utf-8", "backslashreplace")).hexdigest()[:8]


def masked(text: str) -> str:
    """Enough of a text to know it again, and no more."""
    line = " ".join(text.split())
    if len(line) <= 6:
        return "…" * bool(line)
    return f"{line[:3]}…{line[-2:]}"


def _brief(value: Any) -> Any:
    """A nested value with the beginning of its texts."""
    if isinstance(value, str):
        return value[:_LEARNING]
    if isinstance(value, dict):
        return {key: _brief(below) for key, below in value.items()}
    return [_brief(below) for below in value] if isinstance(value, (list, tuple)) else value


@lru_cache(maxsize=1000)
def _strength(key: str) -> str:
    """How surely the value of a key is secret: strong, medium, weak or not at all (empty)."""
    words = [part.lower() for part in forms.PARTS.findall(key)]
    if not words:
        return ""
    last, before = words[-1], words[:-1]
    whole = "".join(words)
    if last in ("id", "value", "str", "string", "env", "data", "base64", "b64", "1", "2") and before:
        if last == "id" and before[-1] != "key" and not whole.endswith(("accesskeyid", "secretid")):
            return ""
        last, before = before[-1], before[:-1]
        whole = "".join([*before, last])
    if last.endswith(("密码", "口令")):
        return "strong"
    if last.endswith(("密钥", "令牌", "凭证")):
        return "medium"
    if last in forms.STRONG or last.endswith(("password", "passwd", "passphrase")):
        if last == "pass" and not (before and before[-1] in forms.NOT_PASSED):
            return ""
        return "strong"
    if (
        last == "secret"
        or last in ("credential", "credentials", "authorization")
        or whole.endswith(("apikey", "secretkey", "accesskey", "accesskeyid", "secretid", "privatekey", "clientsecret"))
    ):
        return "medium"
    if last == "token":
        return "medium" if before and before[-1] in forms.WORDS_OF_TOKENS else "weak" if not before else ""
    if last == "key" and before and before[-1] in forms.CIPHERS:
        return "cipher"
    if last == "key":
        return "medium" if before and before[-1] in forms.WORDS_OF_KEYS else ""
    if last in ("ak", "sk"):
        return "weak"
    return "weak" if last in ("cookie", "signature", "securitytoken") else ""


def _is_secret(value: str, strength: str, quoted: bool) -> bool:
    """Whether what stands beside a key is a secret rather than a placeholder, a type or an expression."""
    if forms.PLACEHOLDER.search(value) or value.lower().strip(".!?") in forms.NO_SECRET:
        return False
    if (not quoted and forms.EXPRESSION.match(value)) or (
        quoted and re.match(r"\$\{|\{\{|<[A-Za-z_ -]+>$|\*+$|x{3,}$", value)
    ):
        return False
    letters, digits = any(one.isalpha() for one in value), any(one.isdigit() for one in value)
    if strength == "strong":
        if not quoted and (value.isidentifier() and not digits and ("pass" in value.lower() or "pwd" in value.lower())):
            return False
        return len(value) >= 3 and not (not quoted and forms.DOTTED.fullmatch(value) and "." in value and not digits)
    if " " in value.strip() and not re.match(r"(?i)(?:bearer|basic|token)\s", value):
        return False
    if forms.DOTTED.fullmatch(value) and not _random(value):
        return False
    if strength == "cipher" and quoted and len(value) in forms.KEY_SIZES:
        return True
    if strength in ("medium", "cipher"):
        mixed = any(one.islower() for one in value) and any(one.isupper() for one in value[1:])
        return (len(value) >= 8 and letters and (digits or (mixed and len(value) >= 16) or len(value) >= 24)) or (
            len(value) >= 16 and digits
        )
    return (len(value) >= 16 and letters and digits and bool(re.fullmatch(r"[A-Za-z0-9+/=_.~%:-]+", value))) or (
        len(value) >= 10 and _random(value)
    )


def _opaque(value: str) -> bool:
    """Whether a part of a text between its hyphens is no word: what makes a token of what might be a name."""
    parts = re.split(r"[-_.~/]", value)
    return any(len(part) >= 16 and _random(part) for part in parts) or bool(re.fullmatch(r"[0-9a-f-]{36}", value))


def _checked(identity: str) -> bool:
    """Whether the last digit of an identity number is the one that the others give."""
    total = sum(int(digit) * (2 ** (17 - place) % 11) for place, digit in enumerate(identity[:17]))
    return "10X98765432"[total % 11] == identity[17].upper()


def _random(value: str) -> bool:
    """Whether letters and digits alternate as no name does."""
    if re.fullmatch(r"[0-9a-f]{16,}", value):
        return True
    kinds = ["d" if one.isdigit() else "u" if one.isupper() else "l" if one.islower() else "-" for one in value]
    changes = sum(
        1
        for one, other in pairwise(kinds)
        if one != other and "-" not in (one, other) and not (one == "u" and other == "l")
    )
    return changes >= 4


def _public(host: str, *starts: str) -> bool:
    host = host.lower().rstrip(".")
    return any(host == known or host.endswith("." + known) for known in forms.PUBLIC) or host.startswith(
        starts or "example."
    )


def _harmless(host: str) -> bool:
    """Loopback, documentation and mask addresses, and names that say nothing."""
    if (
        host.lower() in forms.NOBODY
        or host.startswith(("127.", "255.", "224.", "239."))
        or host in ("host", "hostname", "example")
    ):
        return True
    return host.startswith(("192.0.2.", "198.51.100.", "203.0.113.", "0.", "1.2.3.4")) or _public(host)


def _loopback(text: str) -> bool:
    """Whether a proxy setting names nothing but this machine."""
    return all(
        not part or _harmless(re.sub(r":\d+$|^\w+://", "", part.strip())) or part.strip() in ("::1", "*")
        for part in text.split(",")
    )


def _is_quad(text: str, found: re.Match[str]) -> bool:
    """Whether four numbers with dots are an address rather than a version."""
    parts = [int(part) for part in found[0].split(".")]
    if max(parts) > 255 or _harmless(found[0]) or any(len(part) > 1 and part[0] == "0" for part in found[0].split(".")):
        return False
    before, behind = text[max(0, found.start() - 40) : found.start()], text[found.end() : found.end() + 8]
    if forms.VERSION_BEFORE.search(before):
        return False
    private = ipaddress.IPv4Address(found[0]).is_private or (parts[0] == 100 and 64 <= parts[1] < 128)
    if not private and (forms.PACKAGE_BEFORE.search(before) or forms.PACKAGE_BEHIND.match(behind)):
        return False
    if private or re.match(r":\d{2,5}\b|/\d{1,2}\b|:/", behind) or forms.ADDRESS_BEFORE.search(before):
        return True
    return max(parts) >= 100 or sum(part >= 30 for part in parts) >= 2


def _is_v6(text: str) -> bool:
    """Whether groups with colons are an IPv6 address rather than a time, a slice or a C++ name."""
    try:
        address = ipaddress.IPv6Address(text)
    except ValueError:
        return False
    if address.is_loopback or address.is_unspecified or address in ipaddress.IPv6Network("2001:db8::/32"):
        return False
    groups = [group for group in text.split(":") if group]
    if len(groups) == 8 and "::" not in text:
        return True
    known = re.match(r"(?i)fe80|f[cd][0-9a-f]{2}|2[0-9a-f]{3}|64:ff9b", text)
    return any(one.isdigit() for one in text) and (
        bool(known) or (len(groups) >= 3 and any(len(group) >= 3 for group in groups))
    )


class RedactionPreview(NamedTuple):
    """What a report would replace: how often each of forms.KINDS; of some, masked, by what and in which item."""

    counts: dict[str, int]
    examples: dict[str, list[str]]

    def lines(self, language: Language) -> list[str]:
        return [
            word(
                forms.WORDS,
                "counted",
                language,
                kind=names[language.value],
                count=self.counts[kind],
                examples="  ".join(shown),
            )
            for kind, names in forms.KINDS.items()
            if kind in self.counts
            for shown in [self.examples.get(kind, [])]
        ] or [word(forms.WORDS, "nothing", language)]
