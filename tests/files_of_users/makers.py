"""Files as users have them, each made by the program that writes it where that installs.

A maker writes the recording below to a folder and returns what is passed to `read` and the other
arguments; `known` says what the file tells of the recording.
"""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pytest

RATE, N = 250.0, 2000
TIME = np.arange(N) / RATE
SIGNAL = np.stack(
    [np.exp(-0.5 * ((TIME % 0.8 - 0.4) / 0.02) ** 2), 0.3 * np.sin(2 * np.pi * 1.7 * TIME)], axis=1
)
NAMES, UNITS = ("MLII", "V5"), ("mV", "mV")


@dataclass(frozen=True)
class Known:
    """What a file says of the recording, beside its numbers."""

    sfreq: float | None = None
    ch_names: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    scale: float = 1.0
    precision: float = 1e-9
    columns: tuple[int, ...] = (0, 1)
    arguments: dict = field(default_factory=dict)


MAKERS = {}


def maker(**known):
    def register(make):
        MAKERS[make.__name__.replace("_", " ")] = (make, Known(**known))
        return make

    return register


def text(path, lines, encoding="utf-8", newline="\n"):
    path.write_bytes(newline.join([*lines, ""]).encode(encoding))
    return path


def rows(separator=",", decimal=".", first=None, digits=9):
    """Return the samples as lines of text, behind a first column if there is one."""
    for k, values in enumerate(SIGNAL):
        cells = [f"{value:.{digits}f}".replace(".", decimal) for value in values]
        yield separator.join(([first(k)] if first else []) + cells)


# Text


@maker(ch_names=NAMES)
def csv_of_pandas(folder):
    pd.DataFrame(SIGNAL, columns=NAMES).to_csv(folder / "x.csv", index=False)
    return folder / "x.csv"


@maker(ch_names=NAMES)
def csv_of_pandas_compressed(folder):
    pd.DataFrame(SIGNAL, columns=NAMES).to_csv(folder / "x.csv.gz", index=False)
    return folder / "x.csv.gz"


@maker(sfreq=RATE, ch_names=NAMES, arguments={"time_column": "seconds"})
def csv_of_pandas_with_its_index(folder):
    pd.DataFrame(SIGNAL, pd.Index(TIME, name="seconds"), NAMES).to_csv(folder / "x.csv")
    return folder / "x.csv"


@maker(sfreq=RATE, ch_names=NAMES, arguments={"time_column": "0"})
def csv_of_pandas_with_dates(folder):
    index = pd.date_range("2024-05-01 12:00", periods=N, freq="4ms")
    pd.DataFrame(SIGNAL, index, NAMES).to_csv(folder / "x.csv")
    return folder / "x.csv"


@maker(sfreq=RATE, ch_names=NAMES, units=UNITS, arguments={"time_column": "Elapsed time"},
       precision=6e-4)  # fmt: skip
def csv_of_physionet(folder):
    head = ["'Elapsed time','MLII','V5'", "'hh:mm:ss.mmm','mV','mV'"]
    lines = rows(first=lambda k: f"'{int(TIME[k]) // 60}:{TIME[k] % 60:06.3f}'", digits=3)
    return text(folder / "samples.csv", [*head, *lines])


@maker(ch_names=("Spannung (µV)", "Strom (mA)"))
def csv_of_excel_in_german(folder):
    lines = ["Spannung (µV);Strom (mA)", *rows(";", ",")]
    return text(folder / "x.csv", lines, "cp1252", "\r\n")


@maker(ch_names=NAMES)
def csv_of_excel_that_names_its_separator(folder):
    return text(folder / "x.csv", ["sep=;", "MLII;V5", *rows(";")], "utf-8-sig", "\r\n")


@maker(sfreq=RATE, ch_names=NAMES, units=UNITS, arguments={"time_column": "time"})
def csv_of_excel_with_a_row_of_units(folder):
    lines = ["time,MLII,V5", "ms,mV,mV", *rows(first=lambda k: f"{1e3 * TIME[k]:g}")]
    return text(folder / "x.csv", lines, newline="\r\n")


@maker(ch_names=NAMES)
def unicode_text_of_excel(folder):
    return text(folder / "x.txt", ["MLII\tV5", *rows("\t", ",")], "utf-16", "\r\n")


@maker(sfreq=RATE, ch_names=NAMES, arguments={"time_column": "time_ms"})
def csv_in_milliseconds(folder):
    return text(folder / "x.csv", ["time_ms,MLII,V5", *rows(first=lambda k: f"{1e3 * TIME[k]:g}")])


@maker(sfreq=RATE, ch_names=NAMES, arguments={"time_column": "t (us)"})
def csv_in_microseconds(folder):
    return text(folder / "x.csv", ["t (us),MLII,V5", *rows(first=lambda k: f"{1e6 * TIME[k]:.0f}")])


@maker(sfreq=RATE, ch_names=NAMES, arguments={"time_column": "t", "time_unit": "ms"})
def csv_whose_unit_of_time_is_passed(folder):
    return text(folder / "x.csv", ["t,MLII,V5", *rows(first=lambda k: f"{1e3 * TIME[k]:g}")])


@maker(ch_names=NAMES)
def tsv(folder):
    return text(folder / "x.tsv", ["MLII\tV5", *rows("\t")])


@maker()
def text_of_numpy(folder):
    np.savetxt(folder / "x.txt", SIGNAL)
    return folder / "x.txt"


@maker()
def text_of_numpy_with_a_header(folder):
    np.savetxt(folder / "x.txt", SIGNAL, delimiter=",", header="two leads, 250 Hz")
    return folder / "x.txt"


@maker(arguments={"channel": "1,2"}, columns=(0, 1), precision=1e-6)
def text_of_openbci(folder):
    head = ["%OpenBCI Raw EXG Data", "%Number of channels = 2", "%Sample Rate = 250 Hz"]
    lines = (f"{k % 256}, {a:.7f}, {b:.7f}, 12:00:00.{k % 1000:03d}"
             for k, (a, b) in enumerate(SIGNAL))  # fmt: skip
    return text(folder / "x.txt", [*head, *lines])


@maker(sfreq=RATE, arguments={"skiprows": 4, "time_column": "0"}, precision=1e-8)
def text_of_labchart(folder):
    head = [
        "Interval=\t0.004 s",
        "ExcelDateTime=\t4.5e4",
        "ChannelTitle=\tMLII\tV5",
        "Range=\t1\t1",
    ]
    return text(folder / "x.txt", [*head, *rows("\t", first=lambda k: f"{TIME[k]:g}")])


@maker(ch_names=NAMES)
def csv_with_commas_at_the_ends(folder):
    return text(folder / "x.csv", ["MLII,V5,", *(f"{line}," for line in rows())])


@maker(ch_names=NAMES)
def parquet(folder):
    pd.DataFrame(SIGNAL, columns=NAMES).to_parquet(folder / "x.parquet")
    return folder / "x.parquet"


# Arrays


@maker(precision=1e-7)
def npy_in_single_precision(folder):
    np.save(folder / "x.npy", SIGNAL.astype(np.float32))
    return folder / "x.npy"


@maker(scale=1000.0, precision=0.51)
def npy_of_counts(folder):
    np.save(folder / "x.npy", np.rint(1000 * SIGNAL).astype(np.int16))
    return folder / "x.npy"


@maker(arguments={"transpose": True})
def npy_of_channels_first(folder):
    np.save(folder / "x.npy", SIGNAL.T)
    return folder / "x.npy"


@maker(sfreq=RATE)
def npz_with_its_rate(folder):
    np.savez(folder / "x.npz", data=SIGNAL, fs=RATE)
    return folder / "x.npz"


@maker(ch_names=NAMES, arguments={"key": "MLII,V5"})
def npz_of_two_channels(folder):
    np.savez(folder / "x.npz", **dict(zip(NAMES, SIGNAL.T, strict=True)))
    return folder / "x.npz"


@maker(sfreq=RATE, columns=(0,))
def mat_of_a_row(folder):
    from scipy.io import savemat

    savemat(folder / "x.mat", {"ecg": SIGNAL[None, :, 0], "Fs": RATE, "who": "nobody"})
    return folder / "x.mat"


@maker(ch_names=("X105_DE_time", "X105_FE_time"), arguments={"key": "X105_DE_time,X105_FE_time"})
def mat_of_the_bearing_data_center(folder):
    from scipy.io import savemat

    names = ("X105_DE_time", "X105_FE_time")
    ends = {name: x[:, None] for name, x in zip(names, SIGNAL.T, strict=True)}
    savemat(folder / "x.mat", {**ends, "X105RPM": 1797.0})
    return folder / "x.mat"


@maker(sfreq=RATE, arguments={"key": "data"})
def mat_of_version_7_3(folder):
    import h5py

    path = folder / "x.mat"
    with h5py.File(path, "w", userblock_size=512) as file:  # MATLAB stores columns first
        file["data"], file["fs"] = SIGNAL.T, np.array([[RATE]])
    with path.open("r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM")
    return path


@maker(sfreq=RATE, ch_names=NAMES, units=UNITS)
def hdf5_with_attributes(folder):
    import h5py

    with h5py.File(folder / "x.h5", "w") as file:
        file["recording/ecg"] = SIGNAL
        about = {"sampling_rate": RATE, "ch_names": list(NAMES), "unit": "mV"}
        file["recording/ecg"].attrs.update(about)
    return folder / "x.h5"


@maker(sfreq=RATE, arguments={"key": "ecg"})
def zarr_group(folder):
    import zarr

    group = zarr.open_group(str(folder / "x.zarr"), mode="w")
    for name, values in (("ecg", SIGNAL), ("notes", np.zeros(3))):
        make = getattr(group, "create_array", None) or group.create_dataset
        make(name, shape=values.shape, dtype=values.dtype)
        group[name][:] = values
    group.attrs["fs"] = RATE
    return folder / "x.zarr"


# Sound


@maker(sfreq=RATE, precision=4e-5)
def wav_of_16_bits(folder):
    from scipy.io import wavfile

    wavfile.write(folder / "x.wav", int(RATE), np.rint(32767 * SIGNAL).astype(np.int16))
    return folder / "x.wav"


@maker(sfreq=RATE, precision=1e-6)
def wav_of_24_bits(folder):
    import soundfile

    soundfile.write(folder / "x.wav", SIGNAL, int(RATE), "PCM_24")
    return folder / "x.wav"


@maker(sfreq=RATE, precision=4e-5)
def flac(folder):
    import soundfile

    soundfile.write(folder / "x.flac", SIGNAL, int(RATE))
    return folder / "x.flac"


# Physiology


@maker(sfreq=RATE, ch_names=NAMES, units=("V", "V"), scale=1e-3, precision=4e-8)
def edf_of_edfio(folder):
    import edfio

    signals = [
        edfio.EdfSignal(x, RATE, label=name, physical_dimension="mV", physical_range=(-2, 2))
        for x, name in zip(SIGNAL.T, NAMES, strict=True)
    ]
    edfio.Edf(signals).write(folder / "x.edf")
    return folder / "x.edf"


@maker(sfreq=RATE, ch_names=NAMES, units=("V", "V"), scale=1e-6, precision=4e-13)
def bdf_of_pyedflib(folder):
    pyedflib = pytest.importorskip("pyedflib")  # has no wheel for every Python

    heads = pyedflib.highlevel.make_signal_headers(
        NAMES, dimension="uV", sample_frequency=RATE, physical_min=-2, physical_max=2,
        digital_min=-(2**23), digital_max=2**23 - 1,
    )  # fmt: skip
    kind = pyedflib.FILETYPE_BDFPLUS
    pyedflib.highlevel.write_edf(str(folder / "x.bdf"), SIGNAL.T.copy(), heads, file_type=kind)
    return folder / "x.bdf"


def raw_of_mne():
    import mne

    info = mne.create_info(list(NAMES), RATE, "eeg")
    return mne.io.RawArray(1e-6 * SIGNAL.T, info, verbose="error")


VOLTS = {"sfreq": RATE, "ch_names": NAMES, "units": ("V", "V"), "scale": 1e-6}


@maker(**VOLTS, precision=1e-12)
def fif_of_mne(folder):
    raw_of_mne().save(folder / "x_raw.fif", verbose="error")
    return folder / "x_raw.fif"


@maker(**VOLTS, precision=2e-10)
def brainvision(folder):
    raw_of_mne().export(folder / "x.vhdr", verbose="error")
    return folder / "x.vhdr"


@maker(**VOLTS, precision=1e-12)
def eeglab(folder):
    raw_of_mne().export(folder / "x.set", verbose="error")
    return folder / "x.set"


@maker(sfreq=RATE, ch_names=NAMES, units=UNITS, precision=6e-4)
def wfdb_of_format_212_with_gain_and_offset(folder):
    import wfdb

    wfdb.wrsamp("x", fs=RATE, units=list(UNITS), sig_name=list(NAMES), p_signal=SIGNAL,
                fmt=["212", "212"], adc_gain=[1000.0, 1000.0], baseline=[100, -200],
                write_dir=str(folder))  # fmt: skip
    return folder / "x.hea"


@maker(sfreq=RATE, ch_names=NAMES, units=UNITS, precision=4e-5)
def wfdb_of_format_16(folder):
    import wfdb

    wfdb.wrsamp("x", fs=RATE, units=list(UNITS), sig_name=list(NAMES), p_signal=SIGNAL,
                fmt=["16", "16"], write_dir=str(folder))  # fmt: skip
    return folder / "x"
