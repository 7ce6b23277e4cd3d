"""Codes of more data than memory holds: two Parquet datasets in a folder, a file a part."""

from __future__ import annotations

import json
import secrets
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orbitdl.arrays.optional import install_hint
from orbitdl.coding.codes import Codes
from orbitdl.storage.container import ModelFileError, as_path

if TYPE_CHECKING:
    import pandas as pd

ATOMS, SAMPLES, SUMMARY = "atoms", "samples", "summary.json"


@dataclass(frozen=True)
class Account:
    """What codes come to; the sum of two is that of both together."""

    samples: int
    atoms: int
    objective: float
    gap: float
    late: int

    @classmethod
    def of(cls, codes: Codes, tol: float) -> Account:
        """Return what codes come to; late are those with a gap above the tolerance."""
        return cls(
            samples=len(codes),
            atoms=len(codes.atoms.coefficient),
            objective=float(codes.objective.sum()),
            gap=float(codes.gap.max(initial=0.0)),
            late=int((codes.gap > tol).sum()),
        )

    def __add__(self, other: Account) -> Account:
        return Account(
            self.samples + other.samples,
            self.atoms + other.atoms,
            self.objective + other.objective,
            max(self.gap, other.gap),
            self.late + other.late,
        )


@dataclass(frozen=True, kw_only=True)
class StoredCodes(Account):
    """Codes in a folder, as ``model.encode(X, to=folder)`` leaves them.

    Attributes
    ----------
    path : Path
        In its folder ``atoms`` is a Parquet dataset with a row per atom: sample, component,
        coefficient and the group's parameters; in ``samples`` one with a row per data point:
        sample, objective, gap and status.
    samples, atoms : int
        How many there are.
    objective : float
        Summed over data points.
    gap : float
        Largest certified relative gap.
    late : int
        Data points whose gap is above the tolerance.
    """

    path: Path

    @classmethod
    def open(cls, path: str | PathLike[str]) -> StoredCodes:
        """Return the codes in a folder."""
        place = as_path(path)
        try:
            known = json.loads((place / SUMMARY).read_text(encoding="utf-8"))
            return cls(path=place, **known)
        except (OSError, ValueError, TypeError) as error:
            raise ModelFileError(
                f"{place} is not a folder of codes, as encode(X, to=...) makes it; name another."
            ) from error

    def __len__(self) -> int:
        return self.samples

    def to_frame(self) -> pd.DataFrame:
        """Return one row per atom, all in memory."""
        import pandas as pd

        return pd.concat(list(self.frames(ATOMS)), ignore_index=True)

    def frames(self, table: str = ATOMS) -> Iterator[pd.DataFrame]:
        """Yield the rows part by part, of the table "atoms" or "samples"."""
        import pandas as pd

        return (pd.read_parquet(file) for file in sorted((self.path / table).iterdir()))


@dataclass(frozen=True)
class CodesFolder:
    """A folder that codes are written to, part by part; it gets its name when all is there."""

    path: Path
    temporary: Path

    def write(self, number: int, first: int, codes: Codes) -> None:
        """Write the codes of the part of this number, whose first data point is `first`."""
        import pandas as pd

        self._require_seen()
        atoms = codes.to_frame()
        atoms["sample"] += first
        samples: dict[str, Any] = {"sample": range(first, first + len(codes))}
        samples |= {"objective": codes.objective, "gap": codes.gap}
        samples["status"] = [str(status) for status in codes.status]
        with _in_words(self.path):
            for name, frame in ((ATOMS, atoms), (SAMPLES, pd.DataFrame(samples))):
                place = self.temporary / name / f"part-{number:06d}.parquet"
                new = place.with_suffix(f".{secrets.token_hex(4)}")
                frame.to_parquet(new, index=False)
                new.replace(place)  # a part that is written twice is there once

    def _require_seen(self) -> None:
        """Refuse to write where the folder is not: on a machine that has other disks."""
        if not self.temporary.is_dir():
            raise ModelFileError(
                f"codes could not be written to {self.path}: {socket.gethostname()}, where they "
                "were made, does not have this folder; name one that all workers share."
            )

    def finish(self, account: Account) -> StoredCodes:
        """Give the folder its name."""
        with _in_words(self.path):
            text = json.dumps(asdict(account))
            (self.temporary / SUMMARY).write_text(text, encoding="utf-8")
            self.temporary.rename(self.path)
        return StoredCodes(path=self.path, **asdict(account))


@contextmanager
def codes_folder(path: str | PathLike[str]) -> Iterator[CodesFolder]:
    """Make a folder for codes; if anything fails nothing of it is left."""
    place = as_path(path, "to").absolute()
    _require_parquet()
    if place.exists():
        raise ModelFileError(f"{place} is there already; name a folder that is not, or remove it.")
    folder = CodesFolder(place, place.with_name(f".{place.name}.{secrets.token_hex(8)}.part"))
    try:
        with _in_words(place):
            for name in (ATOMS, SAMPLES):
                (folder.temporary / name).mkdir(parents=True)
        yield folder
    finally:
        shutil.rmtree(folder.temporary, ignore_errors=True)


@contextmanager
def _in_words(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:  # pyarrow's are too
        reason = error.strerror or str(error).split(". Detail")[0]
        raise ModelFileError(
            f"codes could not be written to {path}: {reason}; make room, or name another place."
        ) from error


def _require_parquet() -> None:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise ModelFileError(install_hint("writing codes", "pyarrow", "parquet")) from None
