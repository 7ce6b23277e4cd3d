"""The report in headless Chromium: it works by mouse and keys, fits every screen, stays inside."""

import numpy as np
import pytest
from browsing import CHROMIUM, NARROW, SCREENSHOTS, WIDE, Watched, chromium
from numpy.testing import assert_allclose
from registry import PENTAGON

from orbitdl import OrbitDictionaryLearning
from orbitdl.datasets import make_ecg_like
from orbitdl.groups import (
    Azimuth,
    ContinuousShift,
    Finite,
    IntegerShift,
    IntegerTranslation,
    InterpolatedShift,
    Orthogonal,
    Product,
    ShiftAndPhase,
    Trivial,
)
from orbitdl.report import Report
from orbitdl.windows import Windows

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
    # fits end early here, on purpose
    pytest.mark.filterwarnings("ignore:max_iter=:sklearn.exceptions.ConvergenceWarning"),
]


def fitted(group, X, **settings):
    settings = {"n_components": 2, "alpha": 0.2, "max_iter": 2, "random_state": 0} | settings
    return OrbitDictionaryLearning(group=group, **settings).fit(X)


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def heart(tmp_path_factory):
    data = make_ecg_like(n_windows=60, length=65, random_state=0)
    model = fitted(ContinuousShift(), data.X, alpha=0.1, max_iter=20)
    file = tmp_path_factory.mktemp("report") / "heart.html"
    labels = {"sfreq": data.sfreq, "n_windows": 20, "title": "A simulated heart", "unit": "mV"}
    Report(model, data.X, **labels).write(file)
    return model, data, file


@pytest.fixture(scope="module")
def watched(browser):
    page = browser.new_page(viewport=WIDE, color_scheme="light")
    yield Watched(page)
    page.close()


@pytest.fixture(scope="module")
def opened(browser, heart):
    page = browser.new_page(viewport=WIDE, color_scheme="light")
    opened = Watched(page)
    opened.open(heart[2])
    yield opened
    page.close()


@pytest.fixture
def page(opened):
    """The report of a heart, opened once and put back to its start for every test."""
    page = opened.page
    page.set_viewport_size(WIDE)
    page.emulate_media(color_scheme="light", media="screen")
    if page.get_attribute("#theme", "aria-pressed") == "true":
        page.click("#theme")
    page.select_option("#order", "number")
    page.evaluate("goTo(0)")
    yield page
    assert opened.faults == []


def layers(page, place):
    return page.evaluate(
        f"byId('{place}').chart.spec.rows.flatMap((row) => row.layers.map((layer) => layer))"
    )


def curve(page, place, layer):
    return np.array(layers(page, place)[layer]["y"], dtype=float)


def slide(page, selector, value):
    page.eval_on_selector(
        selector,
        """(slider, value) => {
            slider.value = value;
            slider.dispatchEvent(new Event("input", { bubbles: true }));
        }""",
        value,
    )


def wait_until(page, expression):
    """Wait for what happens a moment later; the page's policy forbids playwright's own way."""
    for _ in range(100):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"this never came true: {expression}")


def words(page):
    return page.inner_text("#window-words")


def window_number(page):
    return int(page.input_value("#number"))


# Whole


def test_nothing_is_asked_of_the_network(page, opened, heart):
    outside = [url for url in opened.requests if not url.startswith(("data:", "blob:"))]
    assert outside == [heart[2].as_uri()]
    blocked = page.evaluate("fetch('https://example.org').then(() => 'open', () => 'blocked')")
    assert blocked == "blocked"
    opened.faults.clear()  # the refusal itself is a message on the console


def test_all_parts_are_there_and_the_title_is_ours(page):
    assert page.title() == "A simulated heart"
    titles = page.locator("h2").all_inner_texts()
    assert titles == [
        "Summary", "Remarks", "Components", "Decomposition", "Amplitudes", "Convergence",
        "Provenance",
    ]  # fmt: skip
    for plot in page.locator(".plot:visible").all():
        assert plot.locator("svg").count() == 1
        assert plot.get_attribute("aria-label")


def test_nothing_is_cut_off_and_screenshots_are_kept(page, opened):
    page.screenshot(path=SCREENSHOTS / "report-wide.png", full_page=True)
    page.click("#theme")
    page.screenshot(path=SCREENSHOTS / "report-dark.png", full_page=True)
    page.click("#theme")
    page.set_viewport_size(NARROW)
    wait_until(page, "byId('window-plot').chart.width < 360")
    page.screenshot(path=SCREENSHOTS / "report-narrow.png", full_page=True)
    assert opened.clipped() == []
    assert len(list(SCREENSHOTS.glob("report-*.png"))) >= 3


# Components


@pytest.mark.parametrize("shift", [0.0, 12.3, 40.7, 65.0])
def test_the_slider_moves_the_curve_by_the_exact_continuous_shift(page, heart, shift):
    model = heart[0]
    before = curve(page, "component-1", 0)
    slide(page, "#slider-1", shift)
    expected = ContinuousShift().on((65,)).act(np.array([shift]), model.components_[1])
    assert_allclose(curve(page, "component-1", 1), expected, atol=1e-6)
    assert_allclose(curve(page, "component-1", 0), before)  # grey stays
    assert not np.allclose(before, expected, atol=1e-3)
    assert f"{shift:.1f} samples ({shift / 64:.3f} s)" in page.inner_text(".card:nth-child(2)")


def test_the_slider_starts_with_the_peak_in_the_middle_and_obeys_keys(page):
    assert np.argmax(np.abs(curve(page, "component-0", 1))) == 65 // 2
    slider = page.locator("#slider-0")
    before = float(slider.input_value())
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert float(slider.input_value()) == pytest.approx(before + 0.1)
    assert slider.get_attribute("aria-valuetext").startswith(f"{before + 0.1:.1f} samples")
    assert slider.get_attribute("aria-label") == "Shift of component 0"


def test_every_control_has_a_name(page):
    nameless = page.evaluate(
        """Array.from(document.querySelectorAll("input, select, button")).filter((control) =>
            !(control.labels?.length || control.getAttribute("aria-label") ||
              control.textContent.trim())).length"""
    )
    assert nameless == 0


# Windows


def test_buttons_go_on_and_back(page):
    assert "1 of 20" in words(page)
    assert page.is_disabled("#previous")
    first = curve(page, "window-plot", 0)
    page.click("#next")
    assert "2 of 20" in words(page)
    assert not np.allclose(first, curve(page, "window-plot", 0))
    page.click("#previous")
    assert_allclose(curve(page, "window-plot", 0), first)


def test_keys_go_on_and_back_and_to_the_ends(page):
    page.focus("#browser")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert "3 of 20" in words(page)
    page.keyboard.press("ArrowLeft")
    assert "2 of 20" in words(page)
    page.keyboard.press("End")
    assert "20 of 20" in words(page)
    assert page.is_disabled("#next")
    page.keyboard.press("Home")
    assert "1 of 20" in words(page)


def test_a_number_leads_to_its_window_or_the_nearest(page):
    page.fill("#number", "59")
    page.keyboard.press("Tab")
    assert window_number(page) == 59
    shown = set(page.evaluate("data.windows.shown.map((window) => window.number)"))
    absent = min(set(range(60)) - shown)
    page.fill("#number", str(absent))
    page.keyboard.press("Tab")
    assert window_number(page) in shown
    assert f"Window {absent} is not in this file" in words(page)


def test_the_worst_window_comes_first_when_asked_for(page, heart):
    model, data, _ = heart
    middle = 33 - np.abs(np.arange(65) - 32)  # counts most
    left = (data.X - model.reconstruct(data.X)) ** 2 @ middle
    page.select_option("#order", "worst")
    assert window_number(page) == np.argmax(left)
    page.select_option("#order", "random")
    page.select_option("#order", "number")
    assert window_number(page) == 0


def test_a_window_shows_data_approximation_and_atoms(page, heart):
    model, data, _ = heart
    codes = model.encode(data.X[:1])
    assert_allclose(curve(page, "window-plot", 0), data.X[0], atol=1e-4)
    assert_allclose(curve(page, "window-plot", 1), model.decode(codes)[0], atol=1e-4)
    n = len(layers(page, "window-plot"))
    total = sum(curve(page, "window-plot", k) for k in range(2, n))
    assert_allclose(total, model.decode(codes)[0], atol=1e-3)
    rows = page.locator("#atoms tbody tr").all_inner_texts()
    assert len(rows) == n
    largest = np.argmax(np.abs(codes.atoms.coefficient))
    assert f"component {codes.atoms.component[largest]}" in rows[2]
    assert f"{codes.atoms.element[largest, 0]:.2f}" in rows[2]


def test_sizes_and_times_are_those_of_the_recording(watched, heart, tmp_path):
    """X was normalised: the report draws the recording, in its unit and at its times."""
    model, data, _ = heart
    raw = data.signal.reshape(60, 65)
    mean = raw.mean(axis=1, keepdims=True)
    scale = np.linalg.norm(raw - mean, axis=1, keepdims=True)
    windows = Windows(
        data.X,
        mean,
        scale,
        data.signal,
        65 * np.arange(60),
        64.0,
        first_sample=640,
        units=("<mV>",),
    )
    page = watched.open(Report(model, windows).write(tmp_path / "r.html"))
    page.evaluate("goTo(7)")
    assert_allclose(curve(page, "window-plot", 0), raw[7], atol=1e-3)
    begin = f"0:00:{(7 * 65 + 640) / 64:.1f}"
    assert f"Window 7, from {begin} on (8 of 60 in this file)" in words(page)
    assert "\u00a0<mV> (root mean square) of residual in its middle" in words(page)
    assert page.inner_text("#atoms th:nth-child(2)") == "coefficient (norm, <mV>)"
    rows = page.locator("#atoms tbody tr").all_inner_texts()
    largest = np.abs(model.encode(data.X[7:8]).atoms.coefficient).max() * scale[7, 0]
    assert_allclose(
        abs(float(rows[2].split("\t")[1].replace("\N{MINUS SIGN}", "-"))), largest, rtol=0.01
    )
    assert page.evaluate("byId('component-0').chart.spec.rows[0].label") == "shape"  # unit norm
    drawn = page.evaluate("byId('amplitude-over-time').chart.range")
    assert drawn == [640, 640 + data.signal.size]
    assert watched.faults == []


# Events


def test_a_mark_leads_to_its_window(page):
    found = layers(page, "amplitude-over-time")
    event = found[0]["event"][-1]
    page.evaluate(f"document.dispatchEvent(new CustomEvent('see', {{ detail: {event} }}))")
    wanted = page.evaluate(f"data.windows.row_window[{event}]")
    shown = page.evaluate("data.windows.shown.map((window) => window.number)")
    assert window_number(page) == min(shown, key=lambda number: abs(number - wanted))


def test_the_value_of_a_point_is_read_where_the_pointer_is(page):
    page.locator("#convergence-0").scroll_into_view_if_needed()
    x, y = page.evaluate(
        """(() => { const { rows: [{ x, y, row }] } = byId("convergence-0").chart;
            const place = byId("convergence-0").getBoundingClientRect(), layer = row.layers[0];
            return [place.left + x(layer.x[1]), place.top + y(layer.y[1])]; })()"""
    )
    page.mouse.move(x, y)
    value = layers(page, "convergence-0")[0]["y"][1]
    assert page.inner_text("#convergence-0 .tip") == f"1: {value:.4g}"
    page.mouse.move(2, 2)


# Colours, screens, paper


def background(page):
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def ink(page):
    """Return the colour in which the approximation is drawn."""
    return page.evaluate(
        "getComputedStyle(byId('window-plot').querySelectorAll('g[clip-path] path')[1]).stroke"
    )


def test_the_button_changes_paper_and_figures(page):
    light, drawn = background(page), ink(page)
    page.click("#theme")
    assert page.get_attribute("#theme", "aria-pressed") == "true"
    assert background(page) != light
    assert ink(page) != drawn
    page.click("#theme")
    assert (background(page), ink(page)) == (light, drawn)


def test_the_system_chooses_the_colours_at_first(watched, heart):
    watched.page.emulate_media(color_scheme="dark")
    page = watched.open(heart[2])
    assert page.inner_text("#theme") == "Light"
    dark = background(page)
    page.emulate_media(color_scheme="light")
    wait_until(page, "document.getElementById('theme').textContent === 'Dark'")
    assert background(page) != dark


def test_print_is_light_and_complete(page):
    page.click("#theme")
    page.emulate_media(media="print")
    assert background(page) == "rgb(255, 255, 255)"
    assert ink(page) == "rgb(28, 33, 38)"
    assert page.is_hidden("nav")
    assert all(section.is_visible() for section in page.locator("section").all())


def test_figures_fit_the_paper_and_then_the_screen_again(page, tmp_path):
    width = "byId('window-plot').chart.width"
    before = page.evaluate(width)
    page.evaluate(f"window.addEventListener('beforeprint', () => (window.onPaperWidth = {width}))")
    page.pdf(path=tmp_path / "r.pdf", format="A4")
    assert 500 < page.evaluate("onPaperWidth") < 700
    assert page.evaluate(width) == before


def test_a_component_has_one_colour_throughout(page):
    colours = page.evaluate(
        """[...["component-1", "amplitude-over-time", "amplitude-distribution"].map((name) => {
            const layers = byId(name).chart.spec.rows.flatMap((row) => row.layers);
            return colourOf(layers.find((layer) => layer.component === 1)); }),
            getComputedStyle(document.documentElement).getPropertyValue("--c1")]"""
    )
    assert colours == ["var(--c1)", "var(--c1)", "var(--c1)", "#d55e00"]
    swatch = page.locator(".card:nth-child(2) .swatch")
    assert swatch.evaluate("(mark) => getComputedStyle(mark).color") == "rgb(213, 94, 0)"


# Every kind of group, and what may be odd about data


def noise(*shape):
    return np.random.default_rng(0).standard_normal((12, *shape))


def with_gaps(X):
    X = X.copy()
    X[0, 3:6] = np.nan
    X[1] = np.nan
    return X


QUARTERS = Finite([np.rot90(np.arange(9).reshape(3, 3)).ravel()])  # turns of an image
CASES = {
    "fractions, two channels": (
        InterpolatedShift(3),
        noise(12, 2),
        {"ch_names": ["<i>I</i>", "V"]},
    ),
    "many channels": (ContinuousShift(), noise(15, 10), {"sfreq": 5.0}),
    "fixed": (Trivial(), noise(12), {}),
    "turns of space": (Orthogonal(), noise(3, 6), {}),
    "turns of vectors": (Orthogonal(), noise(4), {}),
    "images": (QUARTERS, noise(3, 3), {}),
    "gaps": (IntegerShift(), with_gaps(noise(12)), {"sfreq": 10.0}),
    "silence": (IntegerShift(), 1e-3 * noise(12), {}),
}


@pytest.fixture
def phone(watched, tmp_path):
    """Return a function that fits, reports and opens on a phone; all must be well in the end."""

    def opened(group, X, **labels):
        model = fitted(group, np.nan_to_num(X))
        page = watched.open(Report(model, X, **labels).write(tmp_path / "r.html"))
        return model, page

    watched.page.set_viewport_size(NARROW)
    yield opened
    assert not watched.overflows()
    assert watched.clipped() == []
    assert watched.faults == []


@pytest.mark.parametrize("name", CASES)
def test_every_kind_of_report_works_on_a_phone(phone, name):
    group, X, labels = CASES[name]
    _, page = phone(group, X, **labels)
    page.click("#next")
    for slider in page.locator(".card input").all():
        slider.focus()
        page.keyboard.press("ArrowRight")
    page.click("#theme")


def test_turning_in_the_plane_keeps_lengths_and_turns_by_the_angle(phone):
    model, page = phone(Orthogonal(), noise(2, 6))
    slide(page, "#slider-0", 90)
    x = layers(page, "component-0")[1]["x"]
    assert_allclose(x, -model.components_[0][1], atol=1e-6)
    assert_allclose(curve(page, "component-0", 1), model.components_[0][0], atol=1e-6)


def test_the_list_of_a_finite_group_steps_through_its_elements(phone):
    model, page = phone(PENTAGON, noise(2, 3))
    slide(page, "#slider-1", 7)
    expected = PENTAGON.on((2, 3)).act(np.array([7.0]), model.components_[1])
    assert_allclose(curve(page, "component-1", 1), expected[1], atol=1e-3)
    assert "element 7" in page.inner_text(".card:nth-child(2)")


def test_vectors_are_turned_and_shifted_by_two_sliders_and_seen_in_space(phone):
    group, X = Product(ContinuousShift(), Azimuth()), noise(9, 3)
    model, page = phone(group, X)
    slide(page, "#slider-0", 30)
    slide(page, "#slider-0-1", 2.5)
    expected = group.on((9, 3)).act(np.array([2.5, 30.0]), model.components_[0])
    for channel in range(3):
        drawn = curve(page, "component-0", 2 * channel + 1)
        assert_allclose(drawn, expected[:, channel], atol=1e-5)
    arrow = layers(page, "space-0")[-1]
    right, up = np.array([[-0.5, 0.866, 0.0], [-0.296, -0.171, 0.94]])
    longest = expected[np.argmax(np.sum(expected**2, axis=1))]
    assert_allclose([arrow["x"][1], arrow["y"][1]], [longest @ right, longest @ up], atol=1e-5)


def test_a_slider_turns_the_phase(phone):
    model, page = phone(ShiftAndPhase(), noise(9))
    slide(page, "#slider-0", 1.5)
    slide(page, "#slider-0-1", 40)
    expected = ShiftAndPhase().on((9,)).act(np.array([1.5, 40.0]), model.components_[0])
    assert_allclose(curve(page, "component-0", 1), expected, atol=1e-5)


def test_sliders_move_every_channel_of_an_image_down_and_right(phone):
    model, page = phone(IntegerTranslation(), noise(4, 5, 2))
    slide(page, "#slider-0", 1)
    slide(page, "#slider-0-1", 2)
    drawn = layers(page, "component-0")[0]["values"]
    for channel, begin in enumerate((0, 6)):  # a column of nothing is between them
        shown = np.array([row[begin : begin + 5] for row in drawn], dtype=float)
        expected = np.roll(model.components_[0][..., channel], (1, 2), (0, 1))
        assert_allclose(shown, expected, atol=1e-5)


def test_many_channels_are_small_multiples_that_fit_a_phone(phone):
    names = [f"V{k}" for k in range(12)]
    model, page = phone(ContinuousShift(), noise(15, 12), ch_names=names)
    for place in ("component-0", "window-plot"):
        rows = page.evaluate(
            f"byId('{place}').chart.rows.map(({{ row, box, range }}) => [row.label, box, range])"
        )
        assert [label for label, _, _ in rows] == names
        assert len({tuple(scale) for _, _, scale in rows}) == 1
        width = page.evaluate(f"byId('{place}').clientWidth")
        assert all(box["left"] + box["width"] <= width for _, box, _ in rows)
    assert_allclose(curve(page, "component-0", 0), model.components_[0][:, 0], atol=1)


def test_a_report_of_the_model_alone_has_no_empty_parts(watched, heart, tmp_path):
    page = watched.open(Report(heart[0]).write(tmp_path / "r.html"))
    titles = page.locator("h2").all_inner_texts()
    assert titles == ["Summary", "Remarks", "Components", "Convergence", "Provenance"]
    assert watched.faults == []
