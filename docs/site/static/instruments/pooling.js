/* A picture through any pooling layer: the output, and what each cell of the picture counts for, the gradient. */
"use strict";

Instruments.define("pooling", (root, thnn, publish) => {
  const { el, tensor, longs, filled, whole, slider, choice, button, speaker, short, within, STEPS } = Instruments;
  const CELLS = 32, SCALE = 6, NAME = "Picture, to draw on";

  /* ---- the layers: the controls they have, and what their C functions take */

  const windows = (v) => ({ kW: v.kernel, kH: v.kernel, dW: v.stride, dH: v.stride, padW: v.padding, padH: v.padding, ceil_mode: 0, count_include_pad: 1 });
  const sized = (v) => ({ owidth: v.size, oheight: v.size });
  const outputs = (v) => Math.floor((CELLS + 2 * v.padding - v.kernel) / v.stride) + 1;
  /* In each stretch of `cells` rows one in `pool` is kept: those with the smallest of drawn numbers. */
  const kept = (pool, cells, drawn) => drawn.map((u, i) => [Math.floor(i / cells), u, i]).sort((a, b) => a[0] - b[0] || a[1] - b[1])
    .filter((_, i) => i % cells < Math.floor(cells / pool)).map(([, , i]) => i).sort((a, b) => a - b);
  const W = ["kernel", "stride", "padding"];
  const LAYERS = {
    SpatialMaxPooling: { has: W, take: windows },
    SpatialAveragePooling: { has: W, take: windows },
    SpatialDilatedMaxPooling: { has: [...W, "dilation"], take: (v) => ({ ...windows(v), dilationW: v.dilation, dilationH: v.dilation }) },
    SpatialAdaptiveAveragePooling: { has: ["size"], take: sized },
    SpatialAdaptiveMaxPooling: { has: ["size"], take: sized },
    SpatialGlobalAveragePooling: { has: [], take: () => ({}) },
    SpatialGlobalMaxPooling: { has: [], take: () => ({}) },
    SpatialFractionalMaxPooling: { has: ["size"], take: (v) => ({ outputW: v.size, outputH: v.size, poolSizeW: 2, poolSizeH: 2, randomSamples: tensor([1, 1, 2], thnn.uniform(2, seed)) }) },
    SpatialMaxUnpooling: { has: W, after: "SpatialMaxPooling", take: (v, pooled) => ({ indices: pooled.indices, owidth: CELLS, oheight: CELLS }) },
    SpatialLPPooling: { layer: "SpatialPowerAveragePooling", has: [...W, "p"], take: (v) => ({ ...windows(v), power: v.p, use_abs: 0 }) },
    SpatialPowerAveragePooling: { has: [...W, "p"], take: (v) => ({ ...windows(v), power: v.p, use_abs: 1 }) },
    SpatialSubSampling: { has: ["kernel", "stride"], take: (v) => ({ ...windows(v), weight: tensor([1], [1 / v.kernel ** 2]), bias: tensor([1], [0]) }) },
    SpatialSoftPool: { has: [...W, "beta"], take: (v) => ({ ...windows(v), beta: v.beta, exact: 1 }) },
    SpatialLocalImportancePooling: { has: [...W, "beta"], take: (v) => ({ ...windows(v), logit: tensor(picture.shape, picture.data.map((x) => v.beta * x)) }) },
    SpatialStochasticPooling: { has: W, take: (v) => ({ ...windows(v), noise: tensor([1, outputs(v), outputs(v)], thnn.uniform(outputs(v) ** 2, seed)) }) },
    SpatialGaussianPooling: { has: [...W, "mean", "variance"], take: (v) => ({ ...windows(v), count_include_pad: 0, mean: filled([1, 1, 2], v.mean), precision: filled([1, 1, 2], 1 / v.variance) }) },
    SpatialS3Pooling: { has: [], take: () => {
      const [rows, columns] = [seed, seed + 1].map((from) => kept(4, 8, thnn.uniform(CELLS, from)));
      return { pool: 4, gridW: 8, gridH: 8, rows: longs([rows.length], rows), columns: longs([columns.length], columns) };
    } },
    SpatialMixedPooling: { has: [...W, "share"], take: (v) => ({ ...windows(v), weight: tensor([1], [v.share]) }) },
    SpatialGatedPooling: { has: [...W, "gate"], take: (v) => ({ ...windows(v), weight: filled([1, v.kernel, v.kernel], v.gate) }) },
  };

  /* ---- pictures */

  const at = (f) => Float32Array.from({ length: CELLS * CELLS }, (_, i) => f(Math.floor(i / CELLS), i % CELLS));
  const PICTURES = {
    rings: ["rings", () => at((y, x) => 0.5 + 0.5 * Math.cos(Math.hypot(y - 12, x - 18) / 1.6))],
    stripes: ["stripes", () => at((y, x) => (Math.floor((x + y) / 3) % 2 ? 0.9 : 0.1))],
    noise: ["drawn numbers", () => Float32Array.from(thnn.uniform(CELLS * CELLS, 7))],
    empty: ["empty, to draw on", () => new Float32Array(CELLS * CELLS)],
  };
  let seed = 1, picture, pass, gradient, values, chosen = [0, 0], pen = [16, 16];

  const layer = choice("Layer", Object.fromEntries(Object.keys(LAYERS).map((name) => [name, name.replace("Spatial", "")])), "SpatialMaxPooling", () => update());
  const image = choice("Picture", Object.fromEntries(Object.entries(PICTURES).map(([name, [text]]) => [name, text])), "rings", () => load(PICTURES[image.value][1]()));
  const back = choice("Gradient of", { all: "all outputs", one: "the chosen output" }, "all", () => update());
  const file = el("input", { type: "file", accept: "image/*", onchange: () => read(file.files[0]), id: "instrument-file" });
  const C = {
    kernel: whole("Kernel", 1, 16, 4, () => update()), stride: whole("Stride", 1, 16, 4, () => update()), padding: whole("Padding", 0, 8, 0, () => update()),
    dilation: whole("Dilation", 1, 4, 2, () => update()), size: whole("Output size", 1, 31, 20, () => update()),
    p: slider("p", 1, 16, 0.5, 2, () => update()), beta: slider("beta", 0, 20, 0.5, 4, () => update()),
    mean: slider("mean", -4, 4, 0.25, 0, () => update()), variance: slider("variance", 0.1, 16, 0.1, 4, () => update()),
    share: slider("share of the maximum", 0, 1, 0.05, 0.5, () => update()), gate: slider("weight of the gate", -1, 1, 0.05, 0.1, () => update()),
  };
  const said = speaker(), about = el("p", { class: "about" });

  const canvas = (title, attributes) => {
    const node = el("canvas", { "aria-label": title, ...attributes });
    return { node, figure: el("figure", {}, el("figcaption", { "aria-hidden": "true" }, title), node) };
  };
  const drawn = canvas(NAME, { tabindex: 0, role: "application", class: "drawn" });
  const output = canvas("Output", { tabindex: 0, role: "application", class: "output" });
  const counted = canvas("Gradient", { role: "img", class: "gradient" });

  const grey = (x) => Array(3).fill(Math.round(255 * Math.min(1, Math.max(0, x))));
  /* Red where more makes more, blue where it makes less, white where it makes nothing. */
  const signed = (x) => { const rest = Math.round(255 * (1 - Math.min(1, Math.abs(x)))); return x >= 0 ? [255, rest, rest] : [rest, rest, 255]; };
  const paint = (node, { shape, data }, colour, mark) => {
    const [, height, width] = shape, context = node.getContext("2d");
    node.width = width; node.height = height;
    const pixels = context.createImageData(width, height);
    data.forEach((x, i) => pixels.data.set([...colour(x), 255], 4 * i));
    if (mark) pixels.data.set([232, 134, 46, 255], 4 * (mark[0] * width + mark[1]));
    context.putImageData(pixels, 0, 0);
    node.style.width = `${CELLS * SCALE}px`;
  };
  /* The pen is marked while keys move it. */
  const showPen = () => paint(drawn.node, picture, grey, document.activeElement === drawn.node && pen);
  const describe = ({ shape, data }) => `${shape[1]} x ${shape[2]}, from ${short(Math.min(...data))} to ${short(Math.max(...data))}, mean ${short(data.reduce((a, b) => a + b, 0) / data.length)}`;

  const update = (words) => {
    const one = LAYERS[layer.value], name = one.layer ?? layer.value;
    for (const [field, control] of Object.entries(C)) control.node.hidden = !one.has.includes(field);
    values = Object.fromEntries(one.has.map((field) => [field, C[field].value]));
    const taken = { padding: 0, ...values };
    let given, result, ways;
    try {
      given = one.after ? thnn.forward(one.after, picture, windows(taken)) : null;
      result = thnn.forward(name, given ? given.output : picture, one.take(taken, given));
      const [, height, width] = result.output.shape;
      chosen = [within(chosen[0], height), within(chosen[1], width)];
      const gradOutput = filled(result.output.shape, back.value === "all" ? 1 : 0);
      gradOutput.data[chosen[0] * width + chosen[1]] = 1;
      ways = thnn.backward(name, result, gradOutput);
      if (given) ways = thnn.backward(one.after, given, ways);
    } catch (error) {
      said.say(`The layer refuses: ${error.message}`);
      return;
    }
    pass = result; gradient = ways;
    const most = gradient.data.reduce((a, x) => Math.max(a, Math.abs(x)), 0) || 1, top = Math.max(1, ...pass.output.data);
    showPen();
    paint(output.node, pass.output, (x) => grey(x / top), back.value === "one" && chosen);
    paint(counted.node, gradient, (x) => signed(x / most));
    counted.node.setAttribute("aria-label", `Gradient: ${describe(gradient)}`);
    about.textContent = `Picture ${describe(picture)}. Output ${describe(pass.output)}. Gradient ${describe(gradient)}. Red: more makes more. Blue: more makes less.`;
    publish({ layer: layer.value, values, picture, output: pass.output, gradient, chosen, back: back.value,
              noise: pass.noise, randomSamples: pass.randomSamples, rows: pass.rows, columns: pass.columns });
    said.say(words ?? `${layer.value}: ${CELLS} x ${CELLS} cells become ${pass.output.shape[1]} x ${pass.output.shape[2]}.`);
  };
  const load = (data) => { picture = tensor([1, CELLS, CELLS], data); update(); };

  /* A picture from a file, grey, its middle square made as small as ours. It stays on this machine. */
  const read = (blob) => {
    if (!blob) return;
    const shown = new Image(), address = URL.createObjectURL(blob);
    shown.onload = () => {
      const context = el("canvas", { width: CELLS, height: CELLS }).getContext("2d"), side = Math.min(shown.width, shown.height);
      context.drawImage(shown, (shown.width - side) / 2, (shown.height - side) / 2, side, side, 0, 0, CELLS, CELLS);
      const { data } = context.getImageData(0, 0, CELLS, CELLS);
      URL.revokeObjectURL(address);
      load(at((y, x) => { const i = 4 * (y * CELLS + x); return (0.299 * data[i] + 0.587 * data[i + 1] + 0.114 * data[i + 2]) / 255; }));
    };
    shown.onerror = () => said.say("The file is no picture that this browser reads.");
    shown.src = address;
  };

  /* ---- hands: the mouse draws, and arrow keys walk */

  const cellAt = (event, node) => {
    const box = node.getBoundingClientRect();
    return [within(Math.floor(((event.clientY - box.top) / box.height) * node.height), node.height), within(Math.floor(((event.clientX - box.left) / box.width) * node.width), node.width)];
  };
  const touch = (event) => { if (event.buttons & 1) { pen = cellAt(event, drawn.node); ink(1); } };
  const ink = (value) => {
    picture.data[pen[0] * CELLS + pen[1]] = value;
    update(`Row ${pen[0]}, column ${pen[1]} is ${value}.`);
  };
  for (const event of ["focus", "blur"]) drawn.node.addEventListener(event, showPen);
  drawn.node.addEventListener("pointerdown", touch);
  drawn.node.addEventListener("pointermove", touch);
  const walk = (event, from, node, arrive) => {
    const step = STEPS[event.key];
    if (!step || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    arrive([within(from[0] + step[0], node.height), within(from[1] + step[1], node.width)]);
  };
  drawn.node.addEventListener("keydown", (event) => {
    if (event.key === " " || event.key === "Delete") { event.preventDefault(); ink(event.key === " " ? 1 : 0); return; }
    walk(event, pen, drawn.node, (to) => { pen = to; showPen(); said.say(`Row ${pen[0]}, column ${pen[1]}: ${short(picture.data[pen[0] * CELLS + pen[1]])}.`); });
  });
  const pick = (to) => {
    chosen = to;
    update(`Output row ${to[0]}, column ${to[1]} is ${short(pass.output.data[to[0] * pass.output.shape[2] + to[1]])}.`);
  };
  output.node.addEventListener("keydown", (event) => walk(event, chosen, output.node, pick));
  output.node.addEventListener("click", (event) => pick(cellAt(event, output.node)));

  root.append(
    el("form", { class: "controls", "aria-label": "Picture and layer", onsubmit: (event) => event.preventDefault() }, image.node,
      el("div", { class: "field" }, el("label", { for: file.id }, "Or a picture from a file"), file), layer.node,
      ...Object.values(C).map((control) => control.node), back.node, button("Draw again", () => { seed += 2; update(); })),
    el("p", { class: "hint" }, "Draw with the mouse. With the keyboard, arrow keys move, space draws, Delete clears. On the output arrow keys choose."),
    el("div", { class: "planes" }, drawn.figure, output.figure, counted.figure), about, said.node);
  load(PICTURES.rings[1]());
});
