"""Events seen by turned sensors, and turned digits, are what their docstrings say."""

import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_digits

from orbitdl.datasets import load_earthquake, make_oriented_events, make_rotated_digits
from orbitdl.datasets.earthquake import cut_event
from orbitdl.groups import ContinuousShift, ImageRotation, Orthogonal, Product

# Oriented events


@pytest.mark.parametrize("length", [40, 41])
def test_sensors_see_the_event_shifted_and_turned(length):
    data = make_oriented_events(4, length, spread=3.0, random_state=0)
    moves = Product(ContinuousShift(), Orthogonal()).on((length, 3))
    element = np.column_stack([data.shifts % length, data.rotations.reshape(4, 9)])
    assert_allclose(moves.act(element, data.event), data.clean, atol=1e-12)
    assert np.abs(data.shifts).max() <= 3


def test_sensors_are_turned_and_never_mirrored():
    rotations = make_oriented_events(50, random_state=0).rotations
    assert_allclose(np.linalg.det(rotations), 1.0)
    assert_allclose(rotations @ rotations.swapaxes(1, 2), np.eye(3)[None].repeat(50, 0), atol=1e-12)
    assert np.linalg.norm(rotations.mean(axis=0)) < 0.5  # they point everywhere


@pytest.mark.parametrize("snr_db", [-6.0, 0.0, 20.0])
def test_noise_has_the_energy_asked_for(snr_db):
    data = make_oriented_events(200, snr_db=snr_db, random_state=0)
    ratio = np.sum(data.clean**2) / np.sum((data.X - data.clean) ** 2)
    assert 10 * np.log10(ratio) == pytest.approx(snr_db, abs=0.2)


def test_the_simulated_event_moves_in_all_directions_of_space():
    event = make_oriented_events(1).event
    assert np.linalg.svd(event, compute_uv=False).min() > 0.1
    assert np.linalg.norm(event) == pytest.approx(1.0)


def test_another_event_is_taken_in_its_length_and_given_unit_norm():
    own = np.random.default_rng(0).standard_normal((31, 3))
    data = make_oriented_events(2, event=own, random_state=0)
    assert_allclose(data.event, own / np.linalg.norm(own), atol=1e-12)
    assert data.X.shape == (2, 31, 3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"event": np.zeros((30, 2))}, r"shape \(length, 3\)"),
        ({"event": np.zeros((30, 3))}, "not zero everywhere"),
        ({"event": np.full((30, 3), np.nan)}, "must be finite"),
        ({"length": 8}, "length must be an integer of at least 16"),
        ({"n_samples": 0}, "n_samples must be an integer"),
        ({"snr_db": np.nan}, "snr_db must be"),
        ({"spread": -1.0}, "spread must be a number of at least 0"),
    ],
)
def test_events_that_cannot_be_made_are_refused_in_one_sentence(arguments, message):
    with pytest.raises(ValueError, match=message):
        make_oriented_events(**arguments)


def test_the_cut_of_a_record_has_no_drift_and_fades_at_both_ends():
    t = np.arange(3000) / 100
    record = np.stack([1000 * t, np.sin(2 * np.pi * 4 * t), np.sin(2 * np.pi * 30 * t)], axis=1)
    event = cut_event(record, sfreq=100.0)
    assert event.shape == (101, 3)
    assert np.abs(event[[0, -1]]).max() == 0
    sizes = np.abs(event).max(axis=0)
    assert 0.94 < sizes[1] < 1.01  # 4 Hz pass, seen five times a period; a trend and 30 Hz do not
    assert sizes[0] < 1
    assert sizes[2] < 0.01


def test_without_obspy_the_record_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "obspy", None)
    with pytest.raises(ImportError, match="pip install obspy"):
        load_earthquake()


# Turned digits


def test_digits_turned_back_are_the_ones_that_scikit_learn_brings():
    data = make_rotated_digits(12, 24, digits=(2, 7), random_state=0)
    moves = ImageRotation().on((24, 24))
    upright = moves.act(-data.angles[:, None], moves.project(data.X))
    images, labels = load_digits(return_X_y=True)
    # a pixel of a digit is not quite two pixels here
    small = upright[:, 5:19, 5:19].reshape(12, 7, 2, 7, 2).mean(axis=(2, 4)).reshape(12, -1)
    plain = images.reshape(-1, 8, 8)
    coarse = (plain[:, :-1, :-1] + plain[:, 1:, :-1] + plain[:, :-1, 1:] + plain[:, 1:, 1:]) / 4
    coarse = coarse.reshape(len(images), -1)
    similarity = (small @ coarse.T) / np.linalg.norm(coarse, axis=1)
    nearest = np.argmax(similarity, axis=1)
    assert (labels[nearest] == data.labels).all()
    assert (similarity.max(axis=1) > 0.93 * np.linalg.norm(small, axis=1)).all()


def test_turned_digits_lie_in_a_disc_and_can_be_turned_on():
    X = make_rotated_digits(20, 24, random_state=0).X
    x = (2 * np.arange(24) - 23) / 24
    assert not X[:, np.hypot(x[:, None], x) >= 1].any()
    kept = ImageRotation().on((24, 24)).project(X)
    assert np.sum((X - kept) ** 2) < 1e-3 * np.sum(X**2)


def test_every_digit_is_taken_before_one_is_taken_again():
    counts = np.bincount(load_digits().target)[[2, 7]]
    labels = make_rotated_digits(2 * counts.sum(), 8, digits=(7, 2), random_state=0).labels
    for half in np.split(labels, 2):
        assert np.bincount(half)[[2, 7]].tolist() == counts.tolist()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"digits": ()}, "digits must be some of the numbers 0 to 9"),
        ({"digits": (3, 10)}, "digits must be some of the numbers 0 to 9"),
        ({"size": 7}, "size must be an integer of at least 8"),
        ({"n_samples": 0}, "n_samples must be an integer"),
    ],
)
def test_digits_that_cannot_be_made_are_refused_in_one_sentence(arguments, message):
    with pytest.raises(ValueError, match=message):
        make_rotated_digits(**arguments)
