"""A small path: a checklist whose answers lead on, on the fake probes."""

from pathlib import Path

ITEM = """
      - id: {id}
        title: {{zh: 检查 {id}, en: Check {id}}}
        method: {{zh: 打开看, en: Look}}
        conclusions:
          problem: {{zh: 有, en: Bad}}
          ok: {{zh: 无, en: Good}}
          not_applicable: {{zh: 不适用, en: None}}
        remedy: {{zh: 改, en: Mend}}
        applies: {{zh: 都适用, en: All}}
"""
HEAD = """\
name: route
version: 3
title: {zh: 定位清单, en: The route}
snippets:
  curves.train:
    framework: mindspore
    path: collect/loss.csv
    title: {zh: 每步的 loss, en: The loss of each step}
    code: |-
      with open("collect/loss.csv", "a") as stream:
          stream.write(f"{step},{float(loss)!r}\\n")
  curves.reference.path:
    framework: pytorch
    path: collect/loss_torch.csv
    title: {zh: 标杆每步的 loss, en: The benchmark's loss of each step}
    code: stream.write(f"{step},{loss.item()!r}\\n")
ends:
  mend: {title: {zh: 修正所列问题, en: Fix the named items}, advice: {zh: 逐项修正后重新运行。, en: Fix them and run again.}}
  tuning: {title: {zh: 无疑点，转入调优, en: "Nothing suspicious: tune"}, advice: {zh: 请参考调优建议。, en: See the advice on tuning.}}
  upgrade: {title: {zh: 升级后劣化, en: Worse after an upgrade}, advice: {zh: 附上两个版本求助。, en: File it with both versions.}}
  file: {title: {zh: 提交 issue, en: File an issue}, advice: {zh: 附上证据。, en: File it with the evidence.}}
sections:
  - id: pp
    title: {zh: 一节, en: A section}
    items:
"""
NEXT = {
    "pp.01": """\
        probes: [fake_clean]
        next:
          - {when: [problem], to: mend, text: {zh: 先修正, en: Mend this first}}
""",
    "pp.02": "        applies_when: [ascend]\n",
    "pp.03": """\
        probes: [fake_problem]
        collect: [curves.train, curves.reference.path, scripts.train]
        next:
          - {when: [bad], to: pp.04, text: {zh: 首步不同：前向, en: "The first differs: forward"}}
          - {when: [problem], to: mend, text: {zh: 修正, en: Mend it}}
          - {when: [ok, not_applicable], to: pp.05, text: {zh: 两边一致, en: Both agree}}
""",
    "pp.04": """\
        next:
          - {when: [problem], to: mend, text: {zh: 修正该层, en: Mend that layer}}
""",
    "pp.05": """\
        next:
          - {when: [problem], to: upgrade, text: {zh: 旧版本正常, en: The older version is right}}
          - {when: [earlier_problem], to: file, text: {zh: 与代码和数据无关, en: Neither code nor data}}
          - {when: [ok, not_applicable], to: tuning, text: {zh: 没有疑点, en: Nothing suspicious}}
""",
}
ROUTE = HEAD + "".join(ITEM.format(id=name).lstrip("\n") + rest for name, rest in NEXT.items())


def write_route(folder: Path) -> Path:
    """The checklist as a file, named as a user would name it."""
    path = folder / "route.yaml"
    path.write_text(ROUTE, encoding="utf-8")
    return path
