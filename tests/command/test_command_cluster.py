"""The command line with workers of Dask: the same results, and sentences where there are none."""

import shutil
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from test_command import FIT, LEARN, LENGTH, SIGNAL, run

import orbitdl

distributed = pytest.importorskip("distributed", reason="needs orbitdl[distributed]")
dask = pytest.importorskip("dask")

# fits end early here, on purpose
pytestmark = pytest.mark.filterwarnings("ignore:max_iter=:sklearn.exceptions.ConvergenceWarning")

WINDOWS = SIGNAL.reshape(-1, LENGTH)
SHORT = [*FIT, "--restarts", 1, "--group", "integer-shift", "--max-iter", 3]
LINE = [*LEARN, "--restarts", 1, "--max-iter", 3, "--length", 30, "--noise", "white"]


@pytest.fixture(scope="module")
def address():
    """Return where a cluster of two workers is, which test and command run in."""
    settings = {"threads_per_worker": 1, "processes": False, "dashboard_address": None}
    with distributed.LocalCluster(n_workers=2, **settings) as cluster:
        yield cluster.scheduler_address


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with windows, a recording, and a model of each that was learned here."""
    path = tmp_path_factory.mktemp("cluster")
    np.save(path / "windows.npy", WINDOWS)
    np.save(path / "rec.npy", SIGNAL)
    run("fit", path / "windows.npy", "-o", path / "windows", *SHORT).fine()
    run("fit", path / "rec.npy", "-o", path / "line", *LINE).fine()
    return path


def assert_same_model(one, other):
    one, other = orbitdl.load(one), orbitdl.load(other)
    assert_allclose(one.components_, other.components_, atol=1e-6)
    assert_allclose(one.history_[-1].objective, other.history_[-1].objective, rtol=1e-6)


def test_workers_are_started_learn_the_same_and_are_stopped(folder, tmp_path):
    command = ("fit", folder / "windows.npy", "-o", tmp_path / "m", *SHORT, "--workers", 2)
    run(*command).fine()
    assert_same_model(tmp_path / "m", folder / "windows")
    assert orbitdl.executors.choice.active_client() is None


@pytest.mark.parametrize("more", [(), ("--normalize",)])
def test_windows_are_learned_from_on_a_cluster(folder, tmp_path, address, more):
    command = ("fit", folder / "windows.npy", *SHORT, *more)
    run(*command, "-o", tmp_path / "there", "--scheduler", address).fine()
    run(*command, "-o", tmp_path / "here").fine()
    assert_same_model(tmp_path / "there", tmp_path / "here")
    assert orbitdl.executors.choice.active_client() is None


def test_a_recording_is_learned_from_by_one_worker_and_that_is_said(folder, tmp_path, address):
    command = ("fit", folder / "rec.npy", "-o", tmp_path / "m", *LINE, "--scheduler", address)
    assert "the others have nothing to do" in run(*command).fine().out
    assert_same_model(tmp_path / "m", folder / "line")


@pytest.mark.parametrize(("model", "data"), [("windows", "windows.npy"), ("line", "rec.npy")])
def test_events_are_those_found_in_one_process(folder, tmp_path, address, model, data):
    command = ("events", folder / model, folder / data, "--jobs", 1)
    run(*command, "-o", tmp_path / "here.csv").fine()
    run(*command, "-o", tmp_path / "there.csv", "--scheduler", address).fine()
    pd.testing.assert_frame_equal(
        *map(pd.read_csv, (tmp_path / "here.csv", tmp_path / "there.csv"))
    )


def test_workers_and_a_scheduler_exclude_each_other(folder, tmp_path):
    command = ("fit", folder / "rec.npy", "-o", tmp_path / "m", *LINE)
    result = run(*command, "--workers", 1, "--scheduler", "tcp://127.0.0.1:1")
    assert result.code == 2
    assert "leave out one of them" in " ".join(result.err.replace("│", " ").split())


@pytest.mark.parametrize("where", ["tcp://127.0.0.1:1", "nonsense://x"])
def test_an_address_where_nobody_answers_is_refused(folder, tmp_path, monkeypatch, where):
    monkeypatch.setattr("orbitdl.command.team.TIMEOUT", 1)
    command = ("fit", folder / "rec.npy", "-o", tmp_path / "m", *LINE, "--scheduler", where)
    before = dask.config.get("scheduler", None)
    run(*command).refused(f"no Dask scheduler answers at {where}")
    assert dask.config.get("scheduler", None) == before


@pytest.fixture
def certificates(tmp_path):
    """Return Dask's configuration of a certificate that was made for this test."""
    key, cert = tmp_path / "key.pem", tmp_path / "cert.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    command += ["-subj", "/CN=127.0.0.1", "-keyout", key, "-out", cert]
    subprocess.run(command, check=True, capture_output=True)
    own = {"cert": str(cert), "key": str(key)}
    names = ("client", "scheduler", "worker")
    return {f"distributed.comm.tls.{one}.{what}": own[what] for one in names for what in own} | {
        "distributed.comm.tls.ca-file": str(cert)
    }


@pytest.mark.skipif(shutil.which("openssl") is None, reason="OpenSSL is not installed")
def test_an_encrypted_cluster_is_joined_with_the_certificates_of_dask(
    folder, tmp_path, certificates
):
    command = ("fit", folder / "windows.npy", *SHORT, "-o", tmp_path / "there", "--scheduler")
    settings = {"threads_per_worker": 1, "processes": False, "dashboard_address": None}
    with dask.config.set(certificates):
        security = distributed.Security(require_encryption=True)
        settings |= {"protocol": "tls", "security": security, "dashboard_address": ":0"}
        with distributed.LocalCluster(n_workers=1, **settings) as cluster:
            address = cluster.scheduler_address
            assert address.startswith("tls://")
            run(*command, address).fine()
    assert_same_model(tmp_path / "there", folder / "windows")
    run(*command, address).refused("names no certificates; set distributed.comm.tls.ca-file")


def test_without_dask_it_is_said_what_to_install(folder, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    command = ("fit", folder / "rec.npy", "-o", tmp_path / "m", *LINE, "--workers", 1)
    run(*command).refused(r"needs dask and distributed; pip install dask distributed")


def test_chunks_of_a_file_are_read_by_workers_and_not_sent(folder):
    """What is sent is small, however large the file is."""
    import pickle

    from orbitdl.command.team import WorkerTeam

    class TwoWorkers:
        def nthreads(self):
            return {"a": 1, "b": 1}

    team, large = WorkerTeam(TwoWorkers()), np.tile(WINDOWS, (40, 1))
    np.save(folder / "large.npy", large)
    chunks = team.chunks(large, folder / "large.npy")
    assert len(chunks.chunks[0]) == 8
    assert len(pickle.dumps(chunks)) < large.nbytes / 20
    assert_allclose(chunks.compute(scheduler="synchronous"), large)
