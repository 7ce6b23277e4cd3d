"""Bridges to other packages: recordings from them, events to them.

`from_mne` and `from_spikeinterface` make a `Recording` of theirs, without a copy of its samples;
`to_annotations`, `to_sorting` and `to_wfdb` turn a table of events into annotations, spike trains
and annotation files; `from_pandas`, `to_pandas`, `from_xarray` and `to_xarray` do so with labelled
arrays.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
