from .labelled import from_pandas, from_xarray, to_pandas, to_xarray
from .mne import from_mne, to_annotations
from .spikeinterface import from_spikeinterface, to_sorting
from .wfdb import annotation_file, to_wfdb

__all__ = [
    "annotation_file",
    "from_mne",
    "from_pandas",
    "from_spikeinterface",
    "from_xarray",
    "to_annotations",
    "to_pandas",
    "to_sorting",
    "to_wfdb",
    "to_xarray",
]
