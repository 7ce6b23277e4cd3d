"""The faults that `make mutants` plants: their texts are in the source, their tests are there."""

from pathlib import Path

import pytest
from mutants import PACKAGE, Mutant, main, mutants

TESTS = Path(__file__).parents[1]


def test_every_fault_is_planted_in_one_place_and_changes_it():
    every = mutants()
    assert len(every) >= 64
    assert len({one.name for one in every}) == len(every)
    for one in every:
        assert one.source() != (PACKAGE / one.file).read_text()


def test_every_fault_has_tests_that_are_there():
    for one in mutants():
        for test in one.tests:
            file, _, function = test.partition("::")
            assert f"def {function}" in (TESTS / file).read_text()


@pytest.mark.parametrize("text", ["no such text", "import"])
def test_a_text_that_is_not_found_once_is_an_error(text):
    with pytest.raises(ValueError, match=r"^a fault: the text is \d+ times in coding/cert"):
        Mutant("a fault", "coding/certificate.py", text, "", ()).source()


def test_words_that_no_fault_has_run_nothing(capsys):
    assert main(["no such fault"]) == 1
    assert "No fault has one of these words" in capsys.readouterr().out
