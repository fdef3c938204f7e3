"""accucheck skill."""

from __future__ import annotations

from .frame import command, echo, language, option, project_option, show

#: Where agents of several makers look for the skills of a project.
_FOLDER = ".agents/skills"


@command(
    "skill",
    lambda: [
        project_option(),
        option("--install", words="skill-install", is_flag=True),
        option("--folder", words="skill-folder", default=None, metavar="FOLDER"),
    ],
)
def skill(project: str, install: bool, folder: str | None) -> None:
    from pathlib import Path

    text = Path(__file__).parents[1].joinpath("agents", f"SKILL.{language().value}.md").read_bytes()
    if not install:
        echo(text, nl=False)
        return
    from ..store import require_outside_links, write_together

    target = Path(folder) if folder is not None else Path(project, _FOLDER)
    require_outside_links(target / "accucheck")
    write_together(target, {"accucheck/SKILL.md": text}, replace=True)
    show(str(target / "accucheck/SKILL.md"))
