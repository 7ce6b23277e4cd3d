// The waveforms, as large as their typical events.
const MOST_ROWS = 6;
const waveformTime = ({ lines, peak }) => lines[0].map((_, n) => (n - peak) * (view.sfreq ? 1000 / view.sfreq : 1));
const waveformFigure = (j) => {
  const waveform = data.waveforms[j], size = waveform.typical ?? 1, x = waveformTime(waveform);
  const own = { x, colour: colour(j), width: 2.2, dash: cycle(DASHES, j) };
  const band = (line, c) => {
    const sd = waveform.sd[c], edge = (sign) => line.map((value, n) => size * (value + sign * 2 * sd[n]));
    return { ...own, x: [...x, ...[...x].reverse()], y: [...edge(1), ...edge(-1).reverse()], width: 0, fill: "toself", fillcolor: `${colour(j)}44`, name: "± 2 standard errors" };
  };
  const bands = waveform.sd ? waveform.lines.map(band) : [];
  const layers = waveform.lines.map((line, c) => ({ ...own, y: line.map((value) => size * value), name: view.channels[c] }));
  const range = room(layers.flatMap((layer) => layer.y), 0.1), label = `time (${view.sfreq ? "ms" : "samples"})${channels > 1 && view.unit ? `; values in ${view.unit}` : ""}`;
  const rows = channels <= MOST_ROWS ? layers.map((layer, c) => ({ label: channels > 1 ? view.channels[c] : valueLabel("signal"), layers: [...(bands.length ? [bands[c]] : []), layer], range })) : [{ label: valueLabel("all channels"), layers, range }];
  return stacked(rows, rows.length > 1 ? 90 + 90 * rows.length : 215, label);
};
const waveformWords = (j) => {
  const { events: count, typical } = data.waveforms[j];
  return typical === null ? "no events" : `${several(count, "event")}, median amplitude ${digits(typical)}`;
};
const drawWaveforms = () => {
  byId("waveform-cards").classList.toggle("two", [2, 4].includes(data.waveforms.length));
  const drawn = waveformNumbers.map((j) => {
    const plot = make("div", { class: "plot", id: `waveform-${j}`, role: "img", "aria-label": `Shape of waveform ${j}` });
    byId("waveform-cards").append(make("article", { class: "card" }, make("h3", {}, swatch(j), `Waveform ${j}`), make("p", { class: "small" }, waveformWords(j)), plot));
    return draw(plot.id, () => waveformFigure(j));
  });
  drawn.forEach((show) => show());
};
