"""Writes what the documentation can take from the code: docs/reference/, docs/items/, docs/probes/, the table of items in
both READMEs, the JSON Schema.

    python docs/generate.py                 write what is stale
    python docs/generate.py --check         write nothing; name the stale files and exit with 1
    python docs/generate.py --live          run the examples that train networks again first (minutes; needs mindspore)
    python docs/generate.py --platforms PYTHON ...  first ask the package index, with each Python, for its wheels for aarch64
    python docs/generate.py --screenshots   docs/images/ too, on a copy of examples/digits_faulty with the results of reports/session

Words stand in docs/generator/ only where the code has none: headings, and what the keys of a case mean.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from generator import findings, items
from generator.case_file import case_page
from generator.command_line import command_line
from generator.glossary import terms
from generator.keys import keys
from generator.manual import manual
from generator.pictures import pictures
from generator.platforms import store as store_wheels
from generator.platforms import wheels
from generator.probes import index as probe_index
from generator.probes import probe_pages
from generator.templates import template_page
from generator.watched import watched_findings

from accucheck import checklist as checklists
from accucheck import schemas
from accucheck.language import Language

ROOT = Path(__file__).resolve().parents[1]


def documents() -> dict[Path, str]:
    """What each generated file should hold."""
    docs = ROOT / "docs"
    made = {docs / "reference/probes.md": probe_index()}
    made |= {docs / "probes" / name: text for name, text in probe_pages().items()}
    for language in Language:
        for name, write in (
            ("items", items.index),
            ("command-line", command_line),
            ("keys", keys),
            ("case", case_page),
            ("template", template_page),
            ("glossary", terms),
            ("wheels", wheels),
            ("watched-findings", watched_findings),
        ):
            made[docs / f"reference/{name}.{language.value}.md"] = write(language)
        made |= {docs / "items" / name: text for name, text in items.item_pages(language).items()}
    made[docs / "man/man1/accucheck.1"] = manual(Language.EN)
    made[docs / "man/zh_CN/man1/accucheck.1"] = manual(Language.ZH)
    made[ROOT / "README.md"] = items.readme(ROOT / "README.md", Language.EN)
    made[ROOT / "README.zh.md"] = items.readme(ROOT / "README.zh.md", Language.ZH)
    schema = json.dumps(checklists.schema(), indent=2, ensure_ascii=False) + "\n"
    made[ROOT / "checklists/checklist.schema.json"] = schema
    for name, (version, _) in schemas.SCHEMAS.items():
        if name != "checklist":  # beside the checklists
            made[docs / f"schemas/{name}.{version}.schema.json"] = schemas.text(name)
    return made


def obsolete(made: dict[Path, str]) -> list[Path]:
    """Pages of items and probes that there are no more."""
    pages = [path for folder in ("items", "probes") for path in sorted((ROOT / "docs" / folder).glob("*.md"))]
    return [path for path in pages if path not in made]


def main() -> None:
    parser = argparse.ArgumentParser(description="Write what the documentation takes from the code.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 when something is stale")
    parser.add_argument("--live", action="store_true", help="run the examples that train networks again")
    parser.add_argument(
        "--platforms", nargs="+", metavar="PYTHON", help="ask the package index which wheels there are for aarch64"
    )
    parser.add_argument("--screenshots", action="store_true", help="docs/images/ too")
    arguments = parser.parse_args()
    if arguments.live:
        findings.store()
    if arguments.platforms:
        store_wheels(arguments.platforms)
    made = documents()
    if arguments.screenshots:
        made |= {ROOT / "docs/images" / name: text for name, text in pictures().items()}
    stale = []
    for path, text in made.items():
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(path.relative_to(ROOT))
        if not arguments.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    for path in obsolete(made):
        stale.append(path.relative_to(ROOT))
        if not arguments.check:
            path.unlink()
    for name in stale:
        print(f"stale: {name}" if arguments.check else name)
    if arguments.check and stale:
        sys.exit("run: python docs/generate.py")


if __name__ == "__main__":
    main()
