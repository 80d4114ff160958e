/* Adaptive windows beside fixed ones of a plane. The layers themselves say where their windows lie. */
"use strict";

Instruments.define("adaptive", (root, thnn, publish) => {
  const { el, tensor, grid, whole, choice, button, speaker, short, list } = Instruments;
  const LAYERS = { average: "mean", maximum: "maximum" };
  const ADAPTIVE = { average: "SpatialAdaptiveAveragePooling", maximum: "SpatialAdaptiveMaxPooling" };
  const FIXED = { average: "SpatialAveragePooling", maximum: "SpatialMaxPooling" };
  let seed = 1, values;

  /* Which cells feed which output, along one axis: a NaN goes into one cell after the other, and comes out where the cell is seen. */
  const windows = (run, cells) => {
    const feeds = [];
    for (let i = 0; i < cells; i++) {
      const line = Array(cells).fill(0);
      line[i] = NaN;
      run(line).forEach((value, o) => (feeds[o] ??= []).push(Number.isNaN(value)));
    }
    return feeds;
  };

  /* Fixed windows with the same number of outputs that reach the end. There are none where outputs outnumber cells. */
  const fixedSizes = (cells, outputs) => {
    const stride = Math.floor(cells / outputs);
    return stride && { stride, kernel: cells - (outputs - 1) * stride };
  };
  const fixedOptions = (h, w) => ({ kH: h.kernel, kW: w.kernel, dH: h.stride, dW: w.stride, padH: 0, padW: 0, ceil_mode: 0, count_include_pad: 1 });
  const ONE = { stride: 1, kernel: 1 };

  const axisOf = (cells, outputs) => {
    const plane = (line) => tensor([1, 1, cells], line);
    const fixed = fixedSizes(cells, outputs);
    return {
      cells, outputs, fixed,
      adaptive: windows((line) => [...thnn.forward("SpatialAdaptiveAveragePooling", plane(line), { oheight: 1, owidth: outputs }).output.data], cells),
      steady: fixed && windows((line) => [...thnn.forward("SpatialAveragePooling", plane(line), fixedOptions(ONE, fixed)).output.data], cells),
    };
  };

  const kind = choice("One number of a window", LAYERS, "average", () => update());
  const inH = whole("Input rows", 1, 12, 5, () => restart()), inW = whole("Input columns", 1, 16, 8, () => restart());
  const outH = whole("Output rows", 1, 12, 3, () => update()), outW = whole("Output columns", 1, 16, 5, () => update());
  const said = speaker();
  const input = grid("Input", (h, w) => tellCell(h, w));
  const adaptive = grid("Adaptive output", (h, w) => choose(h, w)), fixed = grid("Fixed output", (h, w) => choose(h, w));
  const about = el("p", { class: "about" });
  let h, w, results, at = [0, 0];

  const spans = (axis, which, o) => axis[which][o].flatMap((isFed, i) => (isFed ? [i] : []));
  const span = (cells) => (cells.length === 1 ? `${cells[0]}` : `${cells[0]} to ${cells[cells.length - 1]}`);
  const sees = (which, oh, ow) => `rows ${span(spans(h, which, oh))}, columns ${span(spans(w, which, ow))}`;
  const isIn = (which, ih, iw) => h[which][at[0]][ih] && w[which][at[1]][iw];

  const draw = () => {
    const hasFixed = h.fixed && w.fixed;
    input.fill(h.cells, w.cells, (ih, iw) => {
      const marks = [isIn("adaptive", ih, iw) && "adaptive", hasFixed && isIn("steady", ih, iw) && "fixed"].filter(Boolean);
      return { text: short(values.data[ih * w.cells + iw]), name: marks.join(" "),
               says: marks.length ? `in the ${list(marks)} window` : "", isChosen: marks.length > 0 };
    });
    const output = (table, which, name, result) => table.fill(h.outputs, w.outputs, (oh, ow) => ({
      text: short(result.output.data[oh * w.outputs + ow]), name: oh === at[0] && ow === at[1] ? name : "",
      says: sees(which, oh, ow), isChosen: oh === at[0] && ow === at[1] }));
    output(adaptive, "adaptive", "adaptive", results.adaptive);
    fixed.node.hidden = !hasFixed;
    if (hasFixed) output(fixed, "steady", "fixed", results.fixed);
  };

  const tell = () => {
    const [oh, ow] = at, o = oh * w.outputs + ow, hasFixed = h.fixed && w.fixed;
    const one = `Output row ${oh}, column ${ow}: the adaptive window has ${sees("adaptive", oh, ow)}; its ${LAYERS[kind.value]} is ${short(results.adaptive.output.data[o])}.`;
    said.say(hasFixed ? `${one} The fixed window has ${sees("steady", oh, ow)}; its ${LAYERS[kind.value]} is ${short(results.fixed.output.data[o])}.` : one);
  };
  const tellCell = (ih, iw) => {
    const fed = (axis, i) => span(axis.adaptive.flatMap((cells, o) => (cells[i] ? [o] : [])));
    said.say(`Cell row ${ih}, column ${iw}: ${short(values.data[ih * w.cells + iw])}. It is in the adaptive windows of output rows ${fed(h, ih)}, columns ${fed(w, iw)}.`);
  };
  const choose = (oh, ow) => {
    at = [oh, ow];
    adaptive.mark(oh, ow);
    if (h.fixed && w.fixed) fixed.mark(oh, ow);
    draw();
    tell();
  };

  const update = () => {
    h = axisOf(inH.value, outH.value);
    w = axisOf(inW.value, outW.value);
    at = [Instruments.within(at[0], h.outputs), Instruments.within(at[1], w.outputs)];
    results = { adaptive: thnn.forward(ADAPTIVE[kind.value], values, { oheight: h.outputs, owidth: w.outputs }) };
    if (h.fixed && w.fixed) results.fixed = thnn.forward(FIXED[kind.value], values, fixedOptions(h.fixed, w.fixed));
    const differ = (axis) => axis.steady && axis.adaptive.filter((cells, o) => cells.some((isFed, i) => isFed !== axis.steady[o][i])).length;
    const say = (axis, name) => `${differ(axis)} of ${axis.outputs} along the ${name} (kernel ${axis.fixed.kernel}, stride ${axis.fixed.stride})`;
    about.textContent = h.fixed && w.fixed
      ? `Adaptive windows that differ from the fixed ones: ${say(h, "rows")}, ${say(w, "columns")}.`
      : "There are more outputs than cells along an axis. Adaptive windows repeat cells there; fixed windows cannot.";
    publish({ input: values, adaptive: results.adaptive.output, fixed: results.fixed?.output,
              rows: h.adaptive, columns: w.adaptive, fixedRows: h.steady, fixedColumns: w.steady });
    draw();
    tell();
  };
  const restart = () => {
    values = tensor([1, inH.value, inW.value], thnn.uniform(inH.value * inW.value, seed).map((u) => Math.floor(20 * u)));
    update();
  };

  root.append(
    el("form", { class: "controls", "aria-label": "Sizes", onsubmit: (event) => event.preventDefault() },
      kind.node, inH.node, inW.node, outH.node, outW.node, button("Other numbers", () => { seed++; restart(); })),
    el("p", { class: "hint" }, "Choose an output by a click or with the arrow keys. Its adaptive window has a solid frame, the fixed one a dashed frame."),
    el("div", { class: "planes" }, input.node, adaptive.node, fixed.node), about, said.node);
  restart();
});
