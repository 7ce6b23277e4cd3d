"""Out-of-core codes: two Parquet datasets in a folder, with one file per shard."""

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
    """Summary of codes; additive over shards."""

    samples: int
    atoms: int
    objective: float
    gap: float
    not_converged: int

    @classmethod
    def of(cls, codes: Codes, tol: float) -> Account:
        """Return the summary of codes with a tolerance of the gap."""
        return cls(
            samples=len(codes),
            atoms=len(codes.atoms.coefficient),
            objective=float(codes.objective.sum()),
            gap=float(codes.gap.max(initial=0.0)),
            not_converged=int((codes.gap > tol).sum()),
        )

    def __add__(self, other: Account) -> Account:
        return Account(
            self.samples + other.samples,
            self.atoms + other.atoms,
            self.objective + other.objective,
            max(self.gap, other.gap),
            self.not_converged + other.not_converged,
        )


@dataclass(frozen=True, kw_only=True)
class StoredCodes(Account):
    """Codes in a folder, as written by ``model.encode(X, to=folder)``.

    Attributes
    ----------
    path : Path
        In its folder ``atoms`` is a Parquet dataset with a row per atom: sample (or recording),
        component, coefficient and the group's parameters; in ``samples`` one with a row per data
        point: its number, objective, gap and status.
    samples, atoms : int
        Numbers of data points and atoms.
    objective : float
        Sum over data points.
    gap : float
        Largest relative duality gap.
    not_converged : int
        Number of data points with a gap above the tolerance.
    """

    path: Path

    @classmethod
    def open(cls, path: str | PathLike[str]) -> StoredCodes:
        """Return the codes in a folder."""
        folder = as_path(path)
        try:
            known = json.loads((folder / SUMMARY).read_text(encoding="utf-8"))
            return cls(path=folder, **known)
        except (OSError, ValueError, TypeError) as error:
            raise ModelFileError(
                f"{folder} is not a folder of codes from encode(X, to=...); pass another."
            ) from error

    def __len__(self) -> int:
        return self.samples

    def to_frame(self) -> pd.DataFrame:
        """Return one row per atom, all in memory."""
        import pandas as pd

        return pd.concat(list(self.frames(ATOMS)), ignore_index=True)

    def frames(self, table: str = ATOMS) -> Iterator[pd.DataFrame]:
        """Yield the rows of the table "atoms" or "samples", shard by shard."""
        import pandas as pd

        return (pd.read_parquet(file) for file in sorted((self.path / table).iterdir()))


@dataclass(frozen=True)
class CodesFolder:
    """A temporary folder to which codes are written shard by shard, renamed when complete."""

    path: Path
    temporary: Path

    def write(self, number: int, first: int, codes: Codes) -> None:
        """Write the codes of a shard, whose first data point is `first`."""
        import pandas as pd

        self._require_seen()
        atoms, column = codes.to_frame(), codes.representation.data_point
        atoms[column] += first
        samples: dict[str, Any] = {column: range(first, first + len(codes))}
        samples |= {"objective": codes.objective, "gap": codes.gap}
        samples["status"] = [str(status) for status in codes.status]
        with _as_model_file_error(self.path):
            for name, frame in ((ATOMS, atoms), (SAMPLES, pd.DataFrame(samples))):
                target = self.temporary / name / f"part-{number:06d}.parquet"
                new = target.with_suffix(f".{secrets.token_hex(4)}")
                frame.to_parquet(new, index=False)
                new.replace(target)  # idempotent if a task runs twice

    def _require_seen(self) -> None:
        """Raise ModelFileError if the folder does not exist on this machine."""
        if not self.temporary.is_dir():
            raise ModelFileError(
                f"codes could not be written to {self.path}: the folder does not exist on "
                f"{socket.gethostname()}; pass one that all workers share."
            )

    def finish(self, account: Account) -> StoredCodes:
        """Write the summary and rename the folder."""
        with _as_model_file_error(self.path):
            text = json.dumps(asdict(account))
            (self.temporary / SUMMARY).write_text(text, encoding="utf-8")
            self.temporary.rename(self.path)
        return StoredCodes(path=self.path, **asdict(account))


@contextmanager
def codes_folder(path: str | PathLike[str]) -> Iterator[CodesFolder]:
    """Create a folder for codes; on errors it is removed."""
    target = as_path(path, "to").absolute()
    _require_parquet()
    if target.exists():
        raise ModelFileError(f"{target} exists; pass another folder, or remove it.")
    folder = CodesFolder(target, target.with_name(f".{target.name}.{secrets.token_hex(8)}.part"))
    try:
        with _as_model_file_error(target):
            for name in (ATOMS, SAMPLES):
                (folder.temporary / name).mkdir(parents=True)
        yield folder
    finally:
        shutil.rmtree(folder.temporary, ignore_errors=True)


@contextmanager
def _as_model_file_error(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:  # pyarrow's are too
        reason = error.strerror or str(error).split(". Detail")[0]
        raise ModelFileError(
            f"codes could not be written to {path}: {reason}; free disk space, or pass another "
            "folder."
        ) from error


def _require_parquet() -> None:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise ModelFileError(install_hint("writing codes", "pyarrow", "parquet")) from None
