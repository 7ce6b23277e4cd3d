"""The report of a recording in headless Chromium: the strip shows what belongs to its time."""

import numpy as np
import pytest
from browsing import CHROMIUM, NARROW, SCREENSHOTS, WIDE, Watched, chromium
from numpy.testing import assert_allclose

from orbitdl import WaveformLearning
from orbitdl.datasets import make_ecg_recording
from orbitdl.io import Recording
from orbitdl.report import Report, resolution

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")

OFFSET = 1000


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def heart():
    whole = make_ecg_recording(duration=40, random_state=0)
    x = whole.signal.copy()
    x[5000:5400] = np.nan
    return Recording(x, whole.sfreq, ("II",), first_sample=OFFSET)


@pytest.fixture(scope="module")
def model(heart):
    return WaveformLearning(
        length=200, random_state=0, n_restarts=1, n_components=1, noise="white"
    ).fit(heart.signal)


@pytest.fixture(scope="module")
def file(model, heart, tmp_path_factory):
    file = tmp_path_factory.mktemp("report") / "heart.html"
    return Report(model, heart, title="A heart", unit="mV").write(file)


@pytest.fixture(scope="module")
def watched(browser, file):
    watched = Watched(browser.new_page(viewport=WIDE, reduced_motion="reduce"))
    watched.open(file)
    yield watched
    watched.page.close()


@pytest.fixture
def page(watched, file):
    """The report, opened once and put back to its start for every test."""
    watched.page.evaluate("shown.event = null; moveTo(0, FOCUS)")
    yield watched.page
    assert watched.faults == []
    assert watched.requests == [file.as_uri()]


def drawn(page, name):
    """Return samples and values of a line of the strip; what is not drawn is NaN."""
    layer = page.evaluate(
        """(name) => byId("strip-plot").chart.spec.rows.flatMap((row) => row.layers)
            .find((layer) => layer.name === name)""",
        name,
    )
    return np.array(layer["x"], dtype=float), np.array(layer["y"], dtype=float)


def in_view(page):
    return page.evaluate("[shown.from, shown.to]")


def test_the_strip_draws_the_data_of_the_time_it_shows(page, heart):
    for act in ("#later", "#zoom-in", "#later"):
        page.click(act)
    low, high = in_view(page)
    time, data = drawn(page, "data")
    sample = time - OFFSET
    whole = np.round(sample).astype(int)
    assert_allclose(sample, whole, atol=1e-6)
    assert whole[0] <= low
    assert whole[-1] >= high
    assert_allclose(data, heart.signal[whole], atol=1e-3)
    _, fit = drawn(page, "reconstruction")
    _, left = drawn(page, "residual")
    assert_allclose(fit + left, data, atol=1e-3)


def test_from_far_away_the_strip_draws_the_least_and_the_greatest(page, heart):
    page.click("#whole")
    assert in_view(page) == [0, len(heart.signal)]
    time, data = drawn(page, "data")
    steps = np.median(np.diff(np.unique(time)))
    assert steps > 1
    for t, pair in zip(time[::2], data.reshape(-1, 2), strict=True):
        middle = t - OFFSET
        own = heart.signal[int(np.ceil(middle - steps / 2)) : int(middle + steps / 2) + 1]
        if np.isnan(own).all():
            assert np.isnan(pair).all()
        elif len(own) == round(steps):
            assert_allclose([pair.min(), pair.max()], [np.nanmin(own), np.nanmax(own)], atol=1e-3)
    assert "Minimum and maximum of every" in page.inner_text("#strip-words")
    shaded = page.evaluate(
        """byId("strip-plot").chart.spec.rows.flatMap((row) => row.layers)
            .find((layer) => layer.kind === "shade")"""
    )
    assert (shaded["x"], shaded["end"]) == ([5000 + OFFSET - 0.5], [5400 + OFFSET - 0.5])


def test_choosing_an_unusual_event_moves_the_strip_there(page, model, heart):
    events = model.events(heart)
    worst = events.loc[events["similarity"].idxmin()]
    page.click("#unusual-events tbody tr:first-child")
    low, high = in_view(page)
    assert low <= worst["sample"] - OFFSET <= high
    assert page.evaluate("events.sample[shown.event]") == worst["sample"]
    assert f"similarity {worst['similarity']:.2f}" in page.inner_text("#strip-words")
    assert page.evaluate("byId('strip').getBoundingClientRect().top < window.innerHeight / 2")
    page.click("#next-event")
    following = events["sample"][events["sample"] > worst["sample"]]
    expected = following.min() if len(following) else worst["sample"]
    assert page.evaluate("events.sample[shown.event]") == expected
    page.click("#next-listed")
    assert page.evaluate("isListed(shown.event)")


def test_keys_and_the_mouse_move_the_strip(page, heart):
    start = in_view(page)
    page.focus("#strip")
    page.keyboard.press("ArrowRight")
    moved = in_view(page)
    assert_allclose(moved, np.array(start) + 0.25 * (start[1] - start[0]))
    page.keyboard.press("ArrowUp")
    assert_allclose(np.diff(in_view(page)), 0.5 * np.diff(moved))
    page.keyboard.press("End")
    assert in_view(page)[1] == len(heart.signal)
    page.keyboard.press("Home")
    assert in_view(page)[0] == 0
    place = page.locator("#strip-plot").bounding_box()
    box = page.evaluate("byId('strip-plot').chart.rows[1].box")
    x = place["x"] + box["left"] + box["width"] / 2
    y = place["y"] + box["top"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 0.5 * box["width"], y, steps=5)
    page.mouse.up()
    width = np.diff(in_view(page))[0]
    assert_allclose(in_view(page)[0], 0.5 * width, rtol=0.05)


def test_outlines_are_named_where_the_file_holds_no_more(
    browser, model, heart, tmp_path, monkeypatch
):
    monkeypatch.setattr(resolution, "VALUES", 5000)
    monkeypatch.setattr(resolution, "AROUND", 1)
    file = tmp_path / "small.html"
    Report(model, heart).write(file)
    opened = Watched(browser.new_page(viewport=WIDE))
    page = opened.open(file)
    page.click("#whole")
    assert "the file holds no more here" in page.inner_text("#strip-words")
    boxes = page.evaluate(
        """byId("strip-plot").chart.spec.rows.flatMap((row) => row.layers)
            .find((layer) => layer.kind === "boxes" && layer.name === "data")"""
    )
    low, high = (np.array(boxes[name], dtype=float) for name in ("low", "high"))
    assert_allclose(
        [np.nanmin(low), np.nanmax(high)],
        [np.nanmin(heart.signal), np.nanmax(heart.signal)],
        atol=1e-3,
    )
    page.close()
    assert opened.faults == []


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_the_screen(browser, file, size, scheme):
    opened = Watched(browser.new_page(viewport=size, color_scheme=scheme))
    page = opened.open(file)
    page.screenshot(path=SCREENSHOTS / f"recording-{size['width']}-{scheme}.png", full_page=True)
    assert not opened.overflows()
    assert opened.clipped() == []
    page.close()
    assert opened.faults == []


@pytest.mark.parametrize("channels", [1, 3])
def test_a_recording_without_events_or_rate_is_shown(browser, tmp_path, channels):
    x = np.random.default_rng(0).standard_normal((3000, channels))
    model = WaveformLearning(
        length=50, random_state=0, n_restarts=1, alpha=50.0, n_components=1, noise="white"
    ).fit(x)
    file = tmp_path / "quiet.html"
    Report(model, Recording(1e-3 * x)).write(file)
    opened = Watched(browser.new_page(viewport=NARROW))
    page = opened.open(file)
    assert not page.locator("#unusual-events").count()
    assert page.locator("#channel").count() == (channels > 1)
    if channels > 1:
        page.select_option("#channel", "2")
    _, data = drawn(page, "data")
    assert_allclose(data, 1e-3 * x[: len(data), -1], atol=1e-6)
    assert not opened.overflows()
    page.close()
    assert opened.faults == []


def test_channels_are_below_each_other_at_one_scale_with_their_names(browser, tmp_path):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((3000, 12)) * np.linspace(1, 2, 12) + np.arange(12) * 50
    model = WaveformLearning(
        length=50, random_state=0, n_restarts=1, alpha=50.0, n_components=1, noise="white"
    ).fit(x)
    names = tuple(f"V{k}" for k in range(12))
    file = Report(model, Recording(x, 250.0, names)).write(tmp_path / "leads.html")
    opened = Watched(browser.new_page(viewport=WIDE))
    page = opened.open(file)
    rows = page.evaluate(
        "byId('strip-plot').chart.rows.map(({ row, range, box }) => [row.label, range, box])"
    )
    assert [label for label, _, _ in rows] == list(names)
    spans = [high - low for _, (low, high), _ in rows]
    assert_allclose(spans, spans[0])
    for c, (_, (low, high), _) in enumerate(rows):
        assert low <= np.median(x[:, c]) <= high
    page.select_option("#channel", "3")
    assert "V3" in page.evaluate("byId('strip-plot').chart.spec.rows[0].label")
    page.close()
    assert opened.faults == []
