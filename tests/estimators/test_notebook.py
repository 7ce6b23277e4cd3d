"""What notebooks show of models and codes is true, whole HTML, and asks for nothing."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest
import sklearn
from sklearn.utils import estimator_html_repr

from orbitdl import OrbitDictionaryLearning, WaveformLearning, encode
from orbitdl.display.estimator_html import MOST, sparklines
from orbitdl.groups import ImageRotation, IntegerShift, Orthogonal, Trivial
from orbitdl.groups.presentation import view_of_image, view_of_signals
from orbitdl.markup.html import box, facts_table
from tests.registry import KINDS, action

RNG = np.random.default_rng(0)
VOID = {"path", "rect", "circle", "polyline"}


class Reader(HTMLParser):
    """Keeps what is open, all tags, and all words."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.words = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def read(html):
    reader = Reader()
    reader.feed(html)
    assert not reader.open
    return reader


def own_part(model):
    """Return what is shown of a model without scikit-learn's diagram."""
    html = model._repr_html_()
    return html[: html.index("<details")] + "</div>"


@pytest.fixture(scope="module")
def fitted():
    X = RNG.standard_normal((30, 9))
    return OrbitDictionaryLearning(2, alpha=0.7, n_restarts=2, random_state=0).fit(X), X


@pytest.fixture(scope="module")
def recorded():
    t = np.arange(12)
    signal = 0.01 * RNG.standard_normal(300)
    signal[100:112] += np.exp(-0.3 * (t - 5) ** 2)
    model = WaveformLearning(1, 12, alpha=0.2, n_restarts=1, random_state=0, noise="white").fit(
        signal
    )
    return model, signal


def test_a_fitted_model_says_what_was_learned(fitted):
    model, _ = fitted
    words = " ".join(read(own_part(model)).words)
    many = np.bincount(model.codes_.atoms.component, minlength=2)
    for said in (
        "30 data points",
        "2 of 9 values, which may be shifted by integer samples",
        "0.7, as given",
        f"converged after {model.n_iter_} iterations",
        f"{model.history_[-1].objective:.6g}",
        f"{model.history_[-1].gap:.1e}",
        f"0: {many[0]} atoms",
        "2, of which the worst was",
    ):
        assert said in words


def test_an_alpha_that_was_chosen_says_why():
    model = OrbitDictionaryLearning(1, max_iter=1, n_restarts=1, random_state=0, tol=0.9)
    model.fit(RNG.standard_normal((20, 6)))
    assert model.provenance_["alpha"] in own_part(model)


def test_a_model_that_did_not_converge_says_so(fitted):
    model, X = fitted
    early = OrbitDictionaryLearning(2, alpha=0.7, callback=lambda iteration: True).fit(X)
    assert "not converged after 0 iterations" in own_part(early)


def test_a_model_learned_in_batches_says_so(fitted):
    _, X = fitted
    model = OrbitDictionaryLearning(2, alpha=0.7, random_state=0)
    assert "2 batches, one step each" in own_part(model.partial_fit(X).partial_fit(X))


def test_waveforms_are_shown_likewise(recorded):
    model, _ = recorded
    words = " ".join(read(own_part(model)).words)
    assert "300 samples" in words
    assert "which may begin at any time" in words
    assert "0: 1 atom" in words


def test_a_model_without_a_past_is_shown():
    model = OrbitDictionaryLearning(2)
    model.components_ = np.eye(2)
    assert "component 1" in own_part(model)


def test_the_diagram_of_scikit_learn_is_below(fitted):
    model, _ = fitted
    html = model._repr_html_()
    mark = 'id="sk-container-id'
    assert mark in estimator_html_repr(model)
    assert 0 < html.index("largest gap") < html.index("<details") < html.index(mark)


def test_an_unfitted_model_is_shown_by_scikit_learn():
    without_number = re.compile(r"sk-(container|estimator)-id-\d+")
    shown, theirs = (
        OrbitDictionaryLearning()._repr_html_(),
        estimator_html_repr(OrbitDictionaryLearning()),
    )
    assert without_number.sub("", shown) == without_number.sub("", theirs)


def test_the_setting_of_scikit_learn_is_kept(fitted):
    model, _ = fitted
    assert "largest gap" in model._repr_mimebundle_()["text/html"]
    with sklearn.config_context(display="text"):
        assert not hasattr(model, "_repr_html_")
        assert set(model._repr_mimebundle_()) == {"text/plain"}


def test_codes_say_how_many_atoms_and_how_good(fitted):
    model, X = fitted
    codes = model.encode(X)
    reader = read(codes._repr_html_())
    words = " ".join(reader.words)
    many = np.bincount(codes.atoms.component, minlength=2)
    kinds, counts = np.unique(codes.atoms.counts, return_counts=True)
    assert "Codes of 30 data points" in words
    assert f"{many[0]}, {many[1]}" in words
    assert f"{kinds[0]} in {counts[0]} data point" in words
    assert f"{codes.gap.max():.1e}" in words
    assert f"{codes.objective.sum():.6g}" in words
    assert "30 converged: gap within the tolerance" in words
    first = codes.to_frame().head(5)
    for value in first["coefficient"]:
        assert f"{value:.4g}" in words
    assert reader.tags.count("tr") == 5 + 1 + 5  # facts, names of columns, atoms


def test_codes_of_a_recording_say_the_same(recorded):
    model, signal = recorded
    codes = model.encode(signal)
    words = " ".join(read(codes._repr_html_()).words)
    assert "Codes of 1 recording" in words
    assert "per data point" not in words
    assert f"{codes.atoms.time[0]:.4g}" in words
    assert "converged: gap within the tolerance" in words


def test_codes_without_atoms_are_shown():
    codes = encode(np.eye(3), np.eye(3)[:1], group=Trivial(), alpha=10.0)
    assert "0 in 3 data points" in codes._repr_html_()


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_component_has_a_picture(name):
    space = action(name)
    pictures = sparklines(
        RNG.standard_normal((3, *space.shape)), space.presentation.view, list("abc")
    )
    assert read(pictures).tags.count("svg") == 3


def test_a_line_goes_through_its_values():
    line = np.array([0.0, 1.0, -1.0, 0.5])
    html = sparklines(line[None], view_of_signals((4,)), ["it"])
    points = re.search(r'points="([^"]*)"', html).group(1).split()
    y = np.array([float(point.split(",")[1]) for point in points])
    drawn = -(y - y[0]) / (y.max() - y.min()) * 2
    np.testing.assert_allclose(drawn, line, atol=0.01)


def test_the_peak_of_a_long_line_is_kept():
    line = np.zeros(5000)
    line[3333] = 1.0
    html = sparklines(line[None], view_of_signals((5000,)), ["it"])
    points = re.search(r'points="([^"]*)"', html).group(1).split()
    assert len(points) <= 200
    assert min(float(point.split(",")[1]) for point in points) == 1.5


def test_pixels_are_as_solid_as_their_values_and_negative_ones_differ():
    image = np.array([[1.0, 0.0], [-0.5, 0.25]])
    html = sparklines(image[None], view_of_image((2, 2)), ["it"])
    found = re.findall(r'fill="([^"]*)" opacity="([^"]*)"', html)
    assert found == [("currentColor", "1.00"), ("#d55e00", "0.50"), ("currentColor", "0.25")]


def test_many_components_are_counted():
    html = sparklines(np.eye(MOST + 3), view_of_signals((MOST + 3,)), [""] * (MOST + 3))
    assert html.count("<svg") == MOST
    assert "and 3 more" in html


def test_words_are_escaped():
    html = box("<b>", facts_table({"<i>": "<script>alert(1)</script>"}))
    assert "script" not in read(html).tags
    assert "<b>" not in html
    assert '"it"' not in sparklines(np.eye(1), view_of_signals((1,)), ['"it"'])


@pytest.mark.parametrize(
    ("group", "shape"), [(IntegerShift(), (9,)), (ImageRotation(), (5, 5)), (Orthogonal(), (2, 3))]
)
def test_what_is_shown_asks_for_nothing_and_takes_the_colours_around_it(group, shape):
    X = RNG.standard_normal((4, *shape))
    model = OrbitDictionaryLearning(
        2, group, alpha=0.5, max_iter=0, n_restarts=1, random_state=0
    ).fit(X)
    for html in (own_part(model), model.codes_._repr_html_()):
        reader = read(html)
        assert not {"script", "link", "img", "style", "iframe"} & set(reader.tags)
        assert "http" not in html
        assert "color:inherit" in html
        assert not re.search(r"(?<![-\w])(color|background):\s*(#|rgb|white|black)", html)
