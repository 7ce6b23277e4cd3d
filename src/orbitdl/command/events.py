"""``orbitdl events``: list the events of a recording."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from orbitdl.command import options
from orbitdl.command.choices import Symbols, annotation_symbols, number_or
from orbitdl.command.display import Screen
from orbitdl.command.failures import guarded
from orbitdl.command.lengths import Length, parse_time
from orbitdl.command.numbers import non_negative_number


@guarded
def events(
    model: options.Model,
    data: options.Data,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="TABLE",
            help="The table to write: .csv, .parquet or .json; or annotations of a WFDB record: "
            ".atr, .qrs or .ann.",
        ),
    ],
    alpha: Annotated[
        str,
        typer.Option(
            metavar="NUMBER|model",
            help="Regularisation weight: a number, or the model's own; larger means fewer events.",
        ),
    ] = "model",
    threshold: Annotated[
        float | None,
        typer.Option(
            metavar="NUMBER",
            parser=non_negative_number,
            help="Waveforms: list atoms of the sparse code of at least this coefficient (with "
            "--noise auto in standard deviations of the background noise), without p-values and "
            "standard errors; by default the events of the calibrated detector.",
        ),
    ] = None,
    refractory: Annotated[
        Length | None,
        typer.Option(
            metavar="LENGTH",
            parser=parse_time,
            help="Waveforms: of events of a component closer than this list the strongest, such as "
            "0.2s or 72 samples. 0 lists every atom.",
        ),
    ] = None,
    symbols: Annotated[
        Symbols | None,
        typer.Option(
            metavar="LIST",
            parser=annotation_symbols,
            help="Annotations: WFDB codes of components that you have identified, such as 0=N,1=V. "
            'Others are comments ("), which claim no diagnosis.',
        ),
    ] = None,
    reading: options.ReadingOptions = options.AS_FOUND,
    jobs: options.Jobs = -1,
    overwrite: options.Overwrite = False,
    workers: options.ClusterOptions = options.LOCAL,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """List where the components of a model occur in data, one row per event.

    The data are treated as those that the model was learned from: channels, filters and windows
    are in the model file. Waveforms (fit --length) are looked for at any time of the recording,
    which is coded as a whole. Windows overlap, a new one every quarter of their length unless the
    model was learned from windows that overlap or --step says otherwise, and each lists only the
    events in its middle, every one once. With --step as long as a window they adjoin, which is
    quicker, and an event that lies across a border may be lost.

    Examples:
      orbitdl events ecg.safetensors mitdb/100 -o events.csv
      orbitdl events ecg.safetensors mitdb/100 -o 100.ann --symbols 0=N,1=V
      orbitdl events ecg.safetensors mitdb/101 -o events.parquet \\
          --threshold 1.5 --refractory 0.2s
      orbitdl events ecg.safetensors mitdb/100 -o part.csv --from 90s --to 300s
      orbitdl events cut.safetensors mitdb/101 -o events.csv --step 100
      orbitdl events waves.safetensors windows.npy -o events.json --json

    Columns of the table, of waveforms:
      onset        time of the waveform's peak in seconds, if the rate is known
      sample       the same in samples, to a fraction of one
      component    number of the waveform, from 0
      amplitude    factor of the unit-norm component, in the unit of the data,
                   refitted without the penalty
      coefficient  the same in standard deviations of the background noise; of a
                   sparse code (--threshold, --noise white) shrunk by the penalty
      onset_sd, sample_sd, amplitude_sd   standard errors
      p_value      probability of such a peak in noise
      q_value      false discovery rate of a list that ends with this event
      runner_up    the second-best component; evidence: log-likelihood ratio
      explained    share of the energy in its support that is explained
      similarity   cosine similarity with the data there, 1 at most
      overlapping  whether it shares samples with another event
      truncated    whether an end of the recording or a gap truncates it
      interval     samples since the previous event of any waveform;
                   interval_s is the same in seconds
      own_interval samples since the previous event of the same waveform

    Columns of the table, of windows:
      onset        time of the component's peak in seconds, if the rate is known
      sample       the same in samples, to a fraction of one
      window       number of the window, from 0
      component    number of the component, from 0
      shift        samples it was shifted by (other groups: their parameters)
      amplitude    factor of the component, in the unit of the data, refitted
                   without the penalty; with --matrices atoms at almost one time
                   are one event, of so many (n_atoms), and minor_share is the part
                   of the amplitude that is not the largest atom's
      coefficient  that of the sparse code, shrunk by the penalty
      interval     samples since the previous event; interval_s is the same in
                   seconds, own_interval since one of the same component

    With --from and --to too, onset and sample count from the start of the whole recording. Where
    the data are windows instead of a recording, sample counts from the start of the window.

    Annotations are at integer samples. Each is a comment ("), which claims no diagnosis, unless
    --symbols gives its component a code; the number of the component is its num and in aux_note.
    """
    from orbitdl import load
    from orbitdl.command.listing import Listing
    from orbitdl.command.output import require_events_writable
    from orbitdl.command.reading import data_for
    from orbitdl.command.team import cluster_for

    screen = Screen(as_json=as_json, quiet=quiet)
    weight = number_or(alpha, "--alpha", "model")
    codes = symbols or Symbols()
    require_events_writable(output, (model, data), codes, overwrite=overwrite)
    learned = load(model).set_params(n_jobs=jobs)
    listing = Listing(learned, weight, threshold, refractory, reading.step, codes, output)
    listing.require_possible()
    found = data_for(learned, data, reading, screen)
    with cluster_for(workers) as team:
        listing.run(found, screen, team)
