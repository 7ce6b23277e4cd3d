"""Model files: what was saved comes back, and what is anything else is refused in a sentence."""

import errno
import json
import os
import pickle
import struct
import tracemalloc
import zipfile
from copy import deepcopy
from dataclasses import dataclass, fields

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from registry import ACTIONS, CODERS, PERMUTATIONS, action
from safetensors.numpy import save as serialise
from sklearn.exceptions import NotFittedError

import orbitdl
from orbitdl import ModelFileError, OrbitDictionaryLearning, load
from orbitdl.coding import ActiveSet, Matching, Sliding
from orbitdl.groups import (
    ContinuousShift,
    Finite,
    IntegerShift,
    InterpolatedShift,
)
from orbitdl.io import Recording
from orbitdl.preprocessing import HighPass, SplitWindows
from orbitdl.storage import container, writing
from orbitdl.storage import model_files as files
from orbitdl.storage.provenance import data_fingerprint, fingerprint

# fits end early here, on purpose
pytestmark = pytest.mark.filterwarnings("ignore:max_iter=:sklearn.exceptions.ConvergenceWarning")

RNG = np.random.default_rng(0)
X = RNG.standard_normal((8, 6))


def fit(X=X, **settings) -> OrbitDictionaryLearning:
    settings = {"n_components": 2, "alpha": 0.3, "max_iter": 1, "random_state": 0, **settings}
    return OrbitDictionaryLearning(**settings).fit(X)


@pytest.fixture(scope="module")
def model() -> OrbitDictionaryLearning:
    return fit(coder=ActiveSet(max_iter=77))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.safetensors"


@pytest.fixture(scope="module")
def content(model, tmp_path_factory) -> bytes:
    place = tmp_path_factory.mktemp("files") / "model"
    model.save(place)
    return place.read_bytes()


def parts(content: bytes) -> tuple[dict, dict]:
    """Return header and arrays of a file."""
    length = struct.unpack("<Q", content[:8])[0]
    header = json.loads(json.loads(content[8 : 8 + length])["__metadata__"]["orbitdl"])
    views = container.safetensors.deserialize(content)
    return header, {name: container._array(view) for name, view in views}


def assert_refused(path, message: str = ".") -> None:
    with pytest.raises(ModelFileError, match=message) as caught:
        load(path)
    text = str(caught.value)
    assert text.startswith(str(path))
    assert text.endswith(".")
    assert "\n" not in text
    assert len(text.replace(str(path), "")) < 250


def assert_same(again: OrbitDictionaryLearning, model: OrbitDictionaryLearning, X) -> None:
    assert_array_equal(again.components_, model.components_)
    assert again.history_ == model.history_
    assert again.n_iter_ == model.n_iter_
    assert again.converged_ == model.converged_
    assert again.n_features_in_ == model.n_features_in_
    assert again.provenance_ == model.provenance_
    assert again.score(X) == model.score(X)
    assert_array_equal(again.transform(X), model.transform(X))
    assert_array_equal(again.reconstruct(X), model.reconstruct(X))
    assert_array_equal(again.get_feature_names_out(), model.get_feature_names_out())


# Round trips


@pytest.mark.parametrize("name", ACTIONS)
def test_every_group_comes_back_and_saves_to_the_same_bytes(name, path):
    rep = action(name, 6)
    data = np.random.default_rng(0).standard_normal((5, *rep.shape))
    model = fit(data, group=rep.group)
    model.save(path)
    again = load(path)
    assert_same(again, model, data)
    assert type(again.group) is type(rep.group)
    assert again.group.as_code() == rep.group.as_code()
    if not isinstance(getattr(rep.group, "finite", rep.group), Finite):  # which equals itself only
        assert again.group == rep.group
    first = path.read_bytes()
    again.save(path)
    assert path.read_bytes() == first
    assert os.listdir(path.parent) == [path.name]


@pytest.mark.parametrize("name", CODERS)
def test_every_coder_comes_back_with_its_settings(name, path):
    coder = CODERS[name](tol=2e-3, max_iter=432)
    group = ContinuousShift() if name in ("sliding", "semidefinite") else IntegerShift()
    model = fit(X[:4], coder=coder, group=group, max_iter=0)
    model.save(path)
    again = load(path)
    assert again.coder == coder
    assert_array_equal(again.transform(X[:4]), model.transform(X[:4]))


def test_every_parameter_is_stored_or_known_not_to_be():
    elsewhere = {"group", "callback", "checkpoint", "preprocessing"}
    stored = {field.name for field in fields(files.Parameters)}
    assert set(OrbitDictionaryLearning().get_params()) == stored | elsewhere


def test_parameters_come_back(path):
    settings = {
        "alpha": np.float32(0.25),
        "max_iter": np.int64(3),
        "tol": 1e-3,
        "n_restarts": 2,
        "random_state": np.int32(7),
        "n_jobs": 1,
        "init": "random",
        "normalize_after": True,
    }
    fit(**settings).save(path)
    assert {name: getattr(load(path), name) for name in settings} == settings


def test_the_alpha_that_was_used_and_how_starts_compared_come_back(path):
    model = fit(alpha="auto", n_restarts=3)
    model.save(path)
    again = load(path)
    assert again.alpha == "auto"
    assert again.alpha_ == model.alpha_
    assert_array_equal(again.starts_, model.starts_)
    assert_array_equal(again.transform(X), model.transform(X))


def test_a_start_array_comes_back(path):
    start = np.random.default_rng(1).standard_normal((2, 6))
    fit(init=start.tolist()).save(path)
    again = load(path)
    assert_array_equal(again.init, start)
    assert_array_equal(again.fit(X).components_, fit(init=start).components_)


def test_what_cannot_be_stored_is_left_out(path):
    fit(random_state=np.random.RandomState(0), callback=lambda iteration: None).save(path)
    again = load(path)
    assert again.random_state is None
    assert again.callback is None


def test_names_of_features_come_back(path):
    frame = pd.DataFrame(X, columns=[f"µ{k}" for k in range(6)])
    fit(frame).save(path)
    again = load(path)
    assert list(again.feature_names_in_) == list(frame.columns)
    with pytest.raises(ValueError, match="feature names should match"):
        again.transform(frame.rename(columns={"µ0": "other"}))


def test_preprocessing_and_provenance_come_back(model, path):
    steps = [HighPass(0.1).fit(Recording(X[0], 360.0)), SplitWindows(6).fit(X[0])]
    model.preprocessing_, model.acquisition_ = steps, {"sfreq": np.float64(360.0)}
    model.save(path, provenance={"file": "100.dat"})
    again = load(path)
    assert list(map(str, again.preprocessing_)) == list(map(str, steps))
    assert [step.sfreq_ for step in again.preprocessing_] == [360.0, None]
    assert (again.acquisition_, again.sfreq_) == ({"sfreq": 360.0}, 360.0)
    assert again.provenance_ == {**model.provenance_, "file": "100.dat"}
    again.save(path)
    assert list(map(str, load(path).preprocessing_)) == list(map(str, steps))
    again.set_params(preprocessing=None).fit(X)
    assert (again.preprocessing_, again.acquisition_) == ([], {})


def test_provenance_knows_the_data_and_the_software(model):
    assert model.provenance_["samples"] == 8
    assert model.provenance_["fingerprint"] == data_fingerprint(X)
    assert fingerprint(X) != fingerprint(X.reshape(6, 8)) != fingerprint(X + 1e-16)
    assert model.provenance_["orbitdl"] == orbitdl.__version__
    assert model.provenance_["numpy"] == np.__version__


def test_a_model_of_several_channels_comes_back(path):
    data = RNG.standard_normal((6, 5, 3))
    model = fit(data, group=ContinuousShift())
    model.save(str(path))
    assert_same(load(str(path)), model, data)


# What cannot be saved


@dataclass(frozen=True)
class MyShift(IntegerShift):
    """A user's own group."""


@dataclass(frozen=True)
class MyCoder(ActiveSet):
    """A user's own coder."""


@pytest.mark.parametrize("settings", [{"group": MyShift()}, {"coder": MyCoder(max_iter=70)}])
def test_a_class_of_one_s_own_comes_back(settings, path):
    model = fit(**settings)
    model.save(path)
    assert_same(load(path), model, X)


def test_a_class_that_is_not_loaded_is_named_in_a_sentence(path):
    fit(group=MyShift()).save(path)
    header, tensors = parts(path.read_bytes())
    header["group"]["name"] = "waves.groups:Mirror"
    container.write(path, header, tensors)
    assert_refused(path, "its group 'waves.groups:Mirror' is not loaded: import waves.groups first")


def test_a_class_whose_settings_are_not_known_is_refused_before_anything_is_written(path):
    class Nameless(IntegerShift):
        pass

    with pytest.raises(ModelFileError, match="cannot be saved: Nameless is not a dataclass"):
        fit(group=Nameless()).save(path)
    assert not path.exists()


@pytest.mark.parametrize(
    "provenance", [{"f": max}, {"x": np.nan}, {1: 2}, {"x": X}, {"n": 2**70}, "window"]
)
def test_provenance_is_text_and_numbers(provenance, path):
    with pytest.raises(ModelFileError, match="this model cannot be saved"):
        fit().save(path, provenance=provenance)
    assert not path.exists()


@pytest.mark.parametrize("step", ["HighPass", {"kind": "os.system"}, {"kind": "HighPass"}, 7])
def test_a_step_that_is_none_is_refused(step, path):
    model = fit()
    model.save(path)
    header, tensors = parts(path.read_bytes())
    container.write(path, changed(header, ("steps",), [step]), tensors)
    assert_refused(path)


def test_a_model_with_broken_results_is_refused(path):
    model = fit()
    model.components_ = model.components_ * np.nan
    with pytest.raises(ModelFileError, match="cannot be saved: components contains NaN"):
        model.save(path)
    with pytest.raises(NotFittedError):
        OrbitDictionaryLearning().save(path)


@pytest.mark.parametrize("place", [3, None, b"model", "", "mo\0del"])
def test_a_place_is_the_name_of_a_file(model, place):
    for call in (model.save, load):
        with pytest.raises(ValueError, match="path must be the name of a file"):
            call(place)


# Written whole or not at all


def fail_in_the_middle(error):
    def write(file, content):
        file.write(content[: len(content) // 2])
        raise error

    return write


def test_a_full_disk_leaves_the_old_file_and_nothing_else(content, path, monkeypatch):
    path.write_bytes(content)
    error = OSError(errno.ENOSPC, "No space left on device")
    monkeypatch.setattr(writing, "_write_through", fail_in_the_middle(error))
    with pytest.raises(ModelFileError, match="could not be written: no space left on device"):
        fit(alpha=0.5).save(path)
    assert path.read_bytes() == content
    assert os.listdir(path.parent) == [path.name]


def test_an_interrupted_write_leaves_the_old_file_and_nothing_else(content, path, monkeypatch):
    path.write_bytes(content)
    monkeypatch.setattr(writing, "_write_through", fail_in_the_middle(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        fit(alpha=0.5).save(path)
    assert path.read_bytes() == content
    assert os.listdir(path.parent) == [path.name]


def test_a_folder_that_cannot_be_written_gives_a_sentence(model, path, monkeypatch):
    def refuse(name, mode):
        raise PermissionError(errno.EACCES, "Permission denied", str(name))

    monkeypatch.setattr(writing, "open", refuse, raising=False)
    with pytest.raises(
        ModelFileError, match="could not be written: permission denied; free disk space"
    ):
        model.save(path)
    assert os.listdir(path.parent) == []


def test_places_that_are_no_files_are_refused_and_left_alone(model, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path, tmp_path / "pipe", tmp_path / "missing" / "model"):
        with pytest.raises(ModelFileError, match="could not be written"):
            model.save(place)
        with pytest.raises(ModelFileError, match="could not be read"):
            load(place)
    assert os.listdir(tmp_path) == ["pipe"]


def test_a_link_is_followed(model, content, path):
    path.write_bytes(b"old")
    link = path.with_name("link")
    link.symlink_to(path)
    model.save(link)
    assert link.is_symlink()
    assert path.read_bytes() == content


# Truncated, foreign, hostile, from the future


def test_a_file_cut_anywhere_is_refused(content, path):
    for length in range(0, len(content), 64):
        path.write_bytes(content[:length])
        assert_refused(path, "is not an orbitdl model file, or it is damaged")


def test_a_file_with_bytes_to_spare_is_refused(content, path):
    path.write_bytes(content + b"\0")
    assert_refused(path, "damaged")


def test_flipped_bytes_are_refused_or_change_numbers_only(content, path):
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(400):
        damaged = bytearray(content)
        for place in rng.integers(len(content), size=rng.integers(1, 4)):
            damaged[place] ^= 1 << rng.integers(8)
        path.write_bytes(damaged)
        try:
            assert np.isfinite(load(path).components_).all()
        except ModelFileError:
            refused += 1
    assert refused > 200


class Trap:
    """An object whose unpickling would leave a mark."""

    def __reduce__(self):
        return os.mkdir, ("trapped",)


def test_foreign_files_are_refused_and_not_executed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pickled = pickle.dumps(Trap())
    with zipfile.ZipFile(tmp_path / "archive", "w") as archive:
        archive.writestr("model", pickled)
    (tmp_path / "pickle").write_bytes(pickled)
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "text").write_text("sample,component\n0,1\n")
    (tmp_path / "json").write_text('{"format": "orbitdl model file"}')
    np.save(tmp_path / "array.npy", X)
    np.savez(tmp_path / "arrays.npz", X=X)
    (tmp_path / "other").write_bytes(serialise({"components": X}))
    (tmp_path / "noted").write_bytes(serialise({"components": X}, metadata={"orbitdl": "[1]"}))
    (tmp_path / "types").write_bytes(serialise({"x": X.astype("f2")}, metadata={"orbitdl": "{}"}))
    for name in sorted(os.listdir(tmp_path)):
        assert_refused(tmp_path / name, "is not an orbitdl model file, or it is damaged")
    assert not (tmp_path / "trapped").exists()


def test_a_missing_file_gives_a_sentence(path):
    assert_refused(path, "could not be read: no such file or directory; check the name")


@pytest.mark.parametrize("length", [2**63, 2**64 - 1, 10**8, 2**24 + 1, 10**4, 1, 0])
def test_a_header_of_another_length_is_refused(content, path, length):
    path.write_bytes(struct.pack("<Q", length) + content[8:])
    assert_refused(path, "is not an orbitdl model file, or it is damaged")


@pytest.mark.parametrize("text", ["[" * 10**5, '{"a":' * 10**5, "{" * 10**5, '{"version": NaN}'])
def test_a_deep_or_odd_header_is_refused(path, text):
    path.write_bytes(serialise({"components": X}, metadata={"orbitdl": text}))
    assert_refused(path, "damaged")


@pytest.mark.parametrize("version", [0, container.VERSION + 1])
def test_a_file_of_another_version_is_refused(version, content, path):
    header, tensors = parts(content)
    container.write(path, {**header, "version": version, "new": 1}, {**tensors, "new": X})
    assert_refused(path, f"has version {version} of the file format.* use the orbitdl that wrote")


def test_a_file_of_another_kind_is_refused(content, path):
    header, tensors = parts(content)
    container.write(path, {**header, "format": "orbitdl checkpoint"}, tensors)
    assert_refused(path, "is not an orbitdl model file")


def places(value, place=()):
    """Yield the place of every entry of nested tables and lists."""
    if place:
        yield place
    children = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in children:
        if isinstance(item, dict | list):
            yield from places(item, (*place, key))
        else:
            yield (*place, key)


def changed(header, place, value=None, *, delete=False):
    header = deepcopy(header)
    table = header
    for key in place[:-1]:
        table = table[key]
    if delete:
        del table[place[-1]]
    else:
        table[place[-1]] = value
    return header


ODD = [None, -1, 0, 2**62, 1e308, -0.5, True, "x" * 300, [], [[]], {}, {"name": "eval"}, "\ud800"]


def test_no_odd_header_does_anything_but_load_or_be_refused(content, path, monkeypatch):
    monkeypatch.setattr(writing.os, "fsync", lambda descriptor: None)  # hundreds of writes
    header, tensors = parts(content)
    refused = 0
    for place in places(header):
        for value in ODD:
            container.write(path, changed(header, place, value), tensors)
            try:
                load(path)
            except ModelFileError as error:
                refused += 1
                assert len(str(error).replace(str(path), "")) < 250  # noqa: PT017
        if place[0] not in ("steps", "acquisition", "provenance") or len(place) == 1:
            container.write(path, changed(header, place, delete=True), tensors)
            assert_refused(path)
    assert refused > 200


HOSTILE_HEADERS = {
    "unknown group": (("group", "name"), "os.system", "has no group 'os.system'"),
    "abstract group": (("group", "name"), "Group", "has no group 'Group'"),
    "unknown coder": (("parameters", "coder", "name"), "eval", "has no coder 'eval'"),
    "other coder": (("parameters", "coder", "name"), "Sliding", "lacks the entry 'max_atoms'"),
    "setting": (("parameters", "coder", "settings", "tol"), -1.0, "tol of ActiveSet must be"),
    "alpha": (("parameters", "alpha"), 0.0, "alpha must be a positive number"),
    "word for alpha": (("parameters", "alpha"), "noise", 'alpha must be .* or "auto"'),
    "alpha used": (("fitted", "alpha"), -1.0, "alpha must be a positive number"),
    "negative size": (("shape",), [-6], "not a list of positive integers"),
    "no size": (("shape",), [], "not a list of positive integers"),
    "other size": (("shape",), [3, 2], r"components is not an array of shape \(2, 3, 2\)"),
    "other q": (("parameters", "n_components"), 3, "components is not an array of shape"),
    "no steps": (("fitted", "n_iter"), -1, "number is not an array"),
    "text for a number": (("parameters", "max_iter"), "9", "max_iter of the parameters is of the"),
    "features": (("fitted", "n_features_in"), 7, "the number of features is not 6"),
    "names": (("fitted", "feature_names_in"), ["a"], "feature_names_in is not a list of one"),
    "start": (("parameters", "init"), "noise", "there is no start of the name 'noise'"),
    "no start": (("parameters", "init"), None, "it lacks the array init"),
    "seed": (("parameters", "random_state"), -1, "-1 cannot be a random_state"),
    "unknown field": (("extra",), 1, "the header has an unknown entry 'extra'"),
    "unknown parameter": (("parameters", "callback"), "f", "has an unknown entry 'callback'"),
}


@pytest.mark.parametrize("case", HOSTILE_HEADERS)
def test_a_hostile_header_is_refused(content, path, case):
    place, value, message = HOSTILE_HEADERS[case]
    header, tensors = parts(content)
    container.write(path, changed(header, place, value), tensors)
    assert_refused(path, f"is not a sound model file: .*{message}")


HOSTILE_ARRAYS = {
    "NaN": ({"components": np.full((2, 6), np.nan)}, "components contains NaN"),
    "infinite": ({"components": np.full((2, 6), np.inf)}, "components contains infinite values"),
    "integers": ({"components": np.ones((2, 6), dtype=int)}, "components is not an array"),
    "flat": ({"components": np.ones(12)}, "components is not an array"),
    "unknown": ({"extra": np.ones(12)}, "unknown array 'extra'"),
    "of no group": ({"group.generators": np.ones(12)}, "IntegerShift has no array 'generators'"),
    "short history": ({"history.gap": np.ones(1)}, "gap is not an array of shape"),
    "odd history": ({"history.number": np.array([1, 0])}, "history does not count from 0"),
}


@pytest.mark.parametrize("case", HOSTILE_ARRAYS)
def test_hostile_arrays_are_refused(content, path, case):
    arrays, message = HOSTILE_ARRAYS[case]
    header, tensors = parts(content)
    container.write(path, header, {**tensors, **arrays})
    assert_refused(path, message)


@pytest.mark.parametrize(
    ("generators", "size", "message"),
    [
        (np.array([[1, 2, 0]]), 6, "do not make a group of 6 elements"),
        (np.array([[1, 2, 0], [1, 0, 2]]), 3, "generators generate more than 3 elements"),
        (np.array([[1, 1, 0]]), 6, "must be a permutation"),
        (np.ones((1, 3, 3)), 6, "must be orthogonal matrices"),
        (np.full((1, 3, 3), np.nan), 6, "must be orthogonal matrices"),
        (np.array([[1, 2, 0]]), -6, "group of -6 matrices of size 3 is not possible"),
        (np.array([[1, 2, 0]]), 10**6, "group of 1000000 matrices of size 3 is not possible"),
        (np.arange(10**5)[None], 1, "is not possible here"),
        (np.array(3), 1, "generators must be real matrices"),
        (np.array([[1, 2, 3, 0]]), 4, "4 x 4 matrices act on data points with first axis 4"),
    ],
)
def test_hostile_generators_are_refused(path, generators, size, message):
    fit(X.reshape(-1, 3), group=PERMUTATIONS).save(path)
    header, tensors = parts(path.read_bytes())
    header["group"]["settings"]["size"] = size
    container.write(path, header, {**tensors, "group.generators": generators})
    assert_refused(path, message)


def test_a_coder_that_does_not_serve_the_group_is_refused(path):
    fit(coder=Matching()).save(path)
    header, tensors = parts(path.read_bytes())
    header["parameters"]["coder"] = {
        "name": "Sliding",
        "settings": {"tol": 1e-4, "max_iter": 1, "max_atoms": 1},
    }
    container.write(path, header, tensors)
    assert_refused(path, "Sliding does not serve IntegerShift")


NUMEROUS = {
    "interpolated shifts": ({"group": InterpolatedShift(2)}, ("group", "settings", "subdivisions")),
    "interpolated shifts, matched": (
        {"group": InterpolatedShift(2), "coder": Matching()},
        ("group", "settings", "subdivisions"),
    ),
    "atoms": ({"coder": Matching()}, ("parameters", "coder", "settings", "n_atoms")),
}


@pytest.mark.parametrize("many", [2**31, 2**53, 2**62, 10**18])
@pytest.mark.parametrize("case", NUMEROUS)
def test_settings_that_would_fill_the_memory_are_refused(case, many, path):
    settings, place = NUMEROUS[case]
    fit(**settings).save(path)
    header, tensors = parts(path.read_bytes())
    container.write(path, changed(header, place, many), tensors)
    assert_refused(path, "than coding has memory for|must be at most")


def memory_to_encode(model: OrbitDictionaryLearning) -> int:
    """Return the largest number of bytes in use while a model codes."""
    tracemalloc.start()
    try:
        model.encode(X)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "settings",
    [
        {"group": InterpolatedShift(3)},
        {"group": ContinuousShift(), "coder": Sliding()},
        {"coder": Matching(2)},
        {"coder": ActiveSet()},
    ],
)
def test_whatever_numbers_a_header_has_coding_stays_small(settings, path, monkeypatch):
    monkeypatch.setattr(writing.os, "fsync", lambda descriptor: None)
    fit(**settings).save(path)
    header, tensors = parts(path.read_bytes())
    numbers = [p for p in places(header) if p[0] in ("group", "shape", "parameters", "fitted")]
    for place in numbers:
        for value in (0, -1, 2**31, 2**62):
            container.write(path, changed(header, place, value), tensors)
            try:
                model = load(path)
            except ModelFileError:
                continue
            assert memory_to_encode(model) < 50e6, place
