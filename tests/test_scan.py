"""Work by forked processes: order, errors, and nothing that stays behind."""

import os
import signal
from pathlib import Path

import pytest

from accucheck.errors import ReadError
from accucheck.scan import forked


def children() -> set[str]:
    """The processes that this one has started and not yet taken the end of."""
    return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())


def squared(number: int) -> tuple[int, int]:
    return number * number, os.getpid()


@pytest.mark.part(40)
@pytest.mark.parametrize("processes", [1, 2, 3, 8])
@pytest.mark.parametrize("parts", [0, 1, 2, 7, 100])
def test_results_come_in_order_from_so_many_processes(parts: int, processes: int) -> None:
    before = children()
    found = list(forked(range(parts), squared, processes))
    assert [square for square, _ in found] == [number * number for number in range(parts)]
    workers = {worker for _, worker in found}
    expected = min(parts, processes)
    assert workers == {os.getpid()} if expected == 1 else len(workers) == expected and os.getpid() not in workers
    assert children() == before


def test_results_larger_than_a_pipe_holds_come_whole() -> None:
    found = list(forked(range(6), lambda number: bytes([number]) * (1 << 20), 2))
    assert found == [bytes([number]) * (1 << 20) for number in range(6)]


@pytest.mark.parametrize("processes", [1, 2])
def test_an_error_is_raised_in_its_place(processes: int) -> None:
    def examined(number: int) -> int:
        if number == 3:
            raise ReadError("changed", path="a.ckpt")
        return number

    before, found = children(), []
    with pytest.raises(ReadError) as caught:
        for number in forked(range(9), examined, processes):
            found.append(number)
    assert (caught.value.code, caught.value.data["path"], found) == ("changed", "a.ckpt", [0, 1, 2])
    assert children() == before


def test_a_killed_process_is_told_and_not_taken_for_the_end() -> None:
    def examined(number: int) -> int:
        if number == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    with pytest.raises(ChildProcessError):
        list(forked(range(6), examined, 2))


def test_who_stops_asking_leaves_no_process_behind() -> None:
    before = children()
    results = forked(range(1000), lambda number: bytes(100_000), 4)
    assert len(next(results)) == 100_000
    assert len(children() - before) == 4
    results.close()
    assert children() == before
