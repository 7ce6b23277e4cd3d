"""Files of every format with bytes changed, cut out and put in: numbers, or one sentence."""

import zlib
from pathlib import Path

import numpy as np
import pytest
from test_reading import WRITERS
from typer.testing import CliRunner

from orbitdl.command import app
from orbitdl.io import read

DAMAGES = 150
"""Damaged files of each format."""
KINDS = [kind for kind in WRITERS if kind != "wfdb record"]


def damaged(content: bytes, rng: np.random.Generator) -> bytes:
    """Flip bits, overwrite bytes, cut out or put in a piece; mostly near the start."""
    data = bytearray(content)
    for _ in range(rng.integers(1, 5)):
        reach = len(data) if rng.random() < 0.4 else min(len(data), 150)
        place, many = int(rng.integers(0, max(reach, 1))), int(rng.integers(1, 9))
        piece = rng.integers(0, 256, many).astype(np.uint8).tobytes()
        way = rng.integers(0, 6)
        if way == 0 and data:
            data[place] ^= 1 << int(rng.integers(0, 8))
        elif way == 1:
            data[place : place + many] = piece
        elif way == 2:
            del data[place : place + many]
        elif way == 3:
            data[place:place] = piece
        elif way == 4:
            data[place : place + many] = bytes([rng.choice([0, 57, 255])]) * many
        else:
            del data[place:]
    return bytes(data)


def read_or_sentence(path: Path) -> str | None:
    """Read a file; return the sentence of a refusal."""
    try:
        content = read(path)
    except (ValueError, ImportError, OSError) as error:
        return str(error)
    assert content.signal.dtype == np.float64
    assert content.signal.size > 0
    assert not np.isinf(content.signal).any()
    assert content.sfreq is None or content.sfreq > 0
    return None


def check_sentence(sentence: str, path: Path) -> None:
    assert path.name in sentence
    assert "\n" not in sentence
    assert sentence.endswith(".")


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_file_gives_numbers_or_a_sentence(tmp_path, kind):
    path = WRITERS[kind](tmp_path / "rec")
    whole, refused = path.read_bytes(), 0
    rng = np.random.default_rng(zlib.crc32(kind.encode()))
    for _ in range(DAMAGES):
        path.write_bytes(damaged(whole, rng))
        if (sentence := read_or_sentence(path)) is not None:
            check_sentence(sentence, path)
            refused += 1
    assert refused > 0


def npy(header: str) -> bytes:
    """Return an .npy file that says what it likes."""
    text = header.encode().ljust(118) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + bytes(64)


CLAIMS = {
    "more than fits into memory": "{'descr': '<f8', 'fortran_order': False, 'shape': (10**14,)}",
    "far more": f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({9**14},)}}",
    "more than can be counted": f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({9**30},)}}",
    "fewer than none": "{'descr': '<f8', 'fortran_order': False, 'shape': (-8,)}",
    "words for numbers": "{'descr': 'words', 'fortran_order': False, 'shape': (8,)}",
    "a key too few": "{'descr': '<f8', 'shape': (8,)}",
    "brackets without end": "{'descr': ((((((, 'shape': (8,)",
    "a key that is a list": "{[]: '<f8', 'fortran_order': False, 'shape': (8,)}",
}


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_header_is_not_believed(tmp_path, claim):
    path = tmp_path / "a.npy"
    path.write_bytes(npy(CLAIMS[claim]))
    sentence = read_or_sentence(path)
    check_sentence(sentence, path)
    assert "cannot read" in sentence


def test_a_file_that_may_not_be_read_is_said_to_be_so(tmp_path, monkeypatch):
    np.save(tmp_path / "a.npy", np.ones(3))

    def refuse(self, *_, **__):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(PermissionError, match="Permission denied"):
        read(tmp_path / "a.npy")


@pytest.mark.parametrize("kind", KINDS)
def test_the_command_line_refuses_a_damaged_file_in_one_sentence(tmp_path, kind):
    path = WRITERS[kind](tmp_path / "rec")
    whole, rng = path.read_bytes(), np.random.default_rng(1)
    for _ in range(100):
        path.write_bytes(damaged(whole, rng))
        if read_or_sentence(path) is not None:
            break
    result = CliRunner().invoke(app, ["fit", str(path), "-o", str(tmp_path / "m")])
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: ")
    assert path.name in result.stderr
    assert result.stderr.count("\n") == 1
    assert "should not happen" not in result.stderr
    assert not (tmp_path / "m").exists()
