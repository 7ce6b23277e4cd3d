"""What tests of reports share: small models, and what a reader sees of a page."""

import json
import re
from html import unescape

import numpy as np

from orbitdl import OrbitDictionaryLearning
from orbitdl.report import Report
from orbitdl.report.phrasing import NO_BREAK


def fitted(group, X, **settings):
    settings = {"n_components": 2, "alpha": 0.3, "max_iter": 3, "random_state": 0} | settings
    return OrbitDictionaryLearning(group=group, **settings).fit(X)


def given(components, X, group, alpha=0.1, converged=True, **labels):
    """Return facts of components and data made up for the purpose."""
    values = np.asarray(getattr(X, "values", X), dtype=float)
    model = fitted(
        group, np.nan_to_num(values), n_components=len(components), max_iter=0, alpha=alpha
    )
    model.components_ = np.asarray(components, dtype=float)
    model.converged_ = converged
    return Report(model, X, **labels).facts


def bump(length=41, width=1.5):
    t = np.arange(length) - length // 2
    wave = np.exp(-0.5 * (t / width) ** 2)
    return wave / np.linalg.norm(wave)


def words_of(text):
    """Return what a reader sees of a page or of a section."""
    body = text[text.find("<body") + 1 :].split('<script type="application/json"')[0]
    body = re.sub(r"\s+", " ", unescape(re.sub("<[^>]*>", " ", body)).replace(NO_BREAK, " "))
    return re.sub(r" ([,.])", r"\1", body)


def data_of(text):
    """Return the data that a page draws."""
    return json.loads(re.search(r'id="data">(.*?)</script>', text, re.S)[1])


def layers_of(chart, kind):
    return [layer for row in chart["rows"] for layer in row["layers"] if layer["kind"] == kind]
