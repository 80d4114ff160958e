/* Curves of activations, and what each cell of a window counts for in pooling, with sliders for the parameters. */
"use strict";

Instruments.define("curves", (root, thnn, publish) => {
  const { el, svg, tensor, filled, slider, choice, speaker, short } = Instruments;
  const WIDTH = 480, HEIGHT = 300, LEFT = 56, FROM = -5, TO = 5, POINTS = 201, CELLS = 9;

  /* Parameters: name, lowest, highest, step, first. Arguments: what the C function takes. */
  const alpha = ["alpha", 0.1, 3, 0.1, 1], lambda = ["lambda", 0, 3, 0.1, 0.5];
  const ACTIVATIONS = {
    ReLU: { layer: "Threshold", sliders: [["threshold", -3, 3, 0.1, 0], ["value", -3, 3, 0.1, 0]], options: (t, val) => ({ threshold: t, val, inplace: 0 }) },
    Tanh: { layer: "Tanh", sliders: [], options: () => ({}) },
    Sigmoid: { layer: "Sigmoid", sliders: [], options: () => ({}) },
    LogSigmoid: { layer: "LogSigmoid", sliders: [], options: () => ({}) },
    ELU: { layer: "ELU", sliders: [alpha], options: (a) => ({ alpha: a, inplace: 0 }) },
    LeakyReLU: { layer: "LeakyReLU", sliders: [["slope", -0.5, 1, 0.05, 0.1]], options: (negval) => ({ negval, inplace: 0 }) },
    SoftPlus: { layer: "SoftPlus", sliders: [["beta", 0.1, 5, 0.1, 1]], options: (beta) => ({ beta, threshold: 20 }) },
    HardTanh: { layer: "HardTanh", sliders: [["lowest", -4, 0, 0.1, -1], ["highest", 0.1, 4, 0.1, 1]], options: (min_val, max_val) => ({ min_val, max_val, inplace: 0 }) },
    HardShrink: { layer: "HardShrink", sliders: [lambda], options: (l) => ({ lambda_: l }) },
    SoftShrink: { layer: "SoftShrink", sliders: [lambda], options: (l) => ({ lambda_: l }) },
    Abs: { layer: "Abs", sliders: [], options: () => ({}) },
    Square: { layer: "Square", sliders: [], options: () => ({}) },
  };

  /* One window of nine cells in a row. What a cell counts for is the gradient of the output. */
  const window9 = { kW: CELLS, kH: 1, dW: 1, dH: 1, padW: 0, padH: 0, ceil_mode: 0, count_include_pad: 1 };
  const middle = ["mean", -6, 6, 0.25, 0], variance = ["variance", 0.1, 20, 0.1, 4];
  const WEIGHTS = {
    "weights of SoftPool": { layer: "SpatialSoftPool", sliders: [["beta", 0, 4, 0.1, 1]], options: (beta) => ({ ...window9, beta, exact: 0 }) },
    "gradient of SoftPool": { layer: "SpatialSoftPool", sliders: [["beta", 0, 4, 0.1, 1]], options: (beta) => ({ ...window9, beta, exact: 1 }) },
    "gradient of LP pooling": { layer: "SpatialPowerAveragePooling", sliders: [["p", 1, 12, 0.25, 2]], options: (power) => ({ ...window9, power, use_abs: 1 }) },
    "weights of Gaussian pooling": { layer: "SpatialGaussianPooling", sliders: [middle, variance],
      options: (m, v) => ({ ...window9, mean: tensor([1, 1, 2], [m, 0]), precision: tensor([1, 1, 2], [1 / v, 1]) }) },
  };
  const VALUES = [1, 0.5, 2, 3, 2.5, 4, 1.5, 3.5, 0.75];
  const names = [...Object.keys(ACTIVATIONS), ...Object.keys(WEIGHTS)];

  const shown = choice("Function", Object.fromEntries(names.map((name) => [name, name])), "ELU", () => restart());
  const sliders = el("div", { class: "controls" }), said = speaker();
  const picture = svg("svg", { class: "curves", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", width: WIDTH, height: HEIGHT });
  const table = el("table", { class: "numbers" });
  let parameters, point;

  const px = (x) => LEFT + ((x - FROM) / (TO - FROM)) * (WIDTH - LEFT - 10);
  const scaleOf = (numbers) => {
    const low = Math.min(0, ...numbers), high = Math.max(0, ...numbers), room = 0.08 * (high - low || 1);
    return { low, high, y: (value) => HEIGHT - 30 - ((value - low + room) / (high - low + 2 * room)) * (HEIGHT - 40) };
  };
  const text = (x, y, words, anchor = "middle") => svg("text", { x, y, "text-anchor": anchor }, words);
  const line = (name, x1, y1, x2, y2) => svg("line", { class: name, x1, y1, x2, y2 });

  const run = (one, values, shape) => {
    const pass = thnn.forward(one.layer, tensor(shape, values), one.options(...parameters.map((p) => p.value)));
    const gradient = thnn.backward(one.layer, pass, filled(pass.output.shape, 1));
    return { input: pass.input, output: pass.output, gradient };
  };
  const settings = () => ({ name: shown.value, parameters: parameters.map((p) => p.value) });

  const curve = () => {
    const one = ACTIVATIONS[shown.value];
    const xs = Array.from({ length: POINTS }, (_, i) => FROM + ((TO - FROM) * i) / (POINTS - 1));
    const { input, output, gradient } = run(one, xs, [POINTS]), here = run(one, [point.value], [1]);
    const scale = scaleOf([...output.data, ...gradient.data].map((v) => Math.max(-6, Math.min(6, v))));
    const path = (data) => [...data].map((v, i) => `${i ? "L" : "M"}${px(xs[i]).toFixed(1)},${Math.max(-999, Math.min(999, scale.y(v))).toFixed(1)}`).join("");
    const [y, slope] = [here.output.data[0], here.gradient.data[0]];
    picture.replaceChildren(
      ...[-4, -2, 0, 2, 4].flatMap((x) => [line(x ? "grid" : "axis", px(x), 8, px(x), HEIGHT - 28), text(px(x), HEIGHT - 12, short(x))]),
      ...[scale.low, 0, scale.high].filter((v, i, all) => all.indexOf(v) === i).flatMap((v) =>
        [line(v ? "grid" : "axis", LEFT, scale.y(v), WIDTH - 10, scale.y(v)), text(LEFT - 4, scale.y(v) + 4, short(v), "end")]),
      svg("path", { class: "slope", d: path(gradient.data) }), svg("path", { class: "curve", d: path(output.data) }),
      svg("circle", { class: "point", cx: px(point.value), cy: scale.y(y), r: 5 }));
    picture.setAttribute("aria-label", `Curve of ${shown.value} from ${FROM} to ${TO}, and its derivative, dashed.`);
    table.replaceChildren(row("th", "x", "y", "derivative"), ...[-4, -2, -1, 0, 1, 2, 4].map((x) => {
      const i = Math.round(((x - FROM) / (TO - FROM)) * (POINTS - 1));
      return row("td", short(x), short(output.data[i]), short(gradient.data[i]));
    }));
    said.say(`${shown.value} of ${short(point.value)} is ${short(y)}; its derivative there is ${short(slope)}.`);
    publish({ ...settings(), input, output, gradient });
  };

  const bars = () => {
    const { input, output, gradient } = run(WEIGHTS[shown.value], VALUES, [1, 1, CELLS]);
    const scale = scaleOf(gradient.data), step = (WIDTH - LEFT - 10) / CELLS, i = point.value;
    picture.replaceChildren(
      ...[scale.low, 0, scale.high].filter((v, n, all) => all.indexOf(v) === n).flatMap((v) =>
        [line(v ? "grid" : "axis", LEFT, scale.y(v), WIDTH - 10, scale.y(v)), text(LEFT - 4, scale.y(v) + 4, short(v), "end")]),
      ...[...gradient.data].flatMap((v, n) => [
        svg("rect", { class: n === i ? "bar chosen" : "bar", x: LEFT + n * step + 4, width: step - 8, y: Math.min(scale.y(v), scale.y(0)), height: Math.abs(scale.y(v) - scale.y(0)) }),
        text(LEFT + (n + 0.5) * step, HEIGHT - 12, short(VALUES[n]))]));
    picture.setAttribute("aria-label", `The ${shown.value} for nine cells, as bars; below each the value of the cell.`);
    table.replaceChildren(row("th", "cell", "value", "counts for"), ...VALUES.map((value, n) => row("td", n, short(value), short(gradient.data[n]))));
    said.say(`The output is ${short(output.data[0])}. Cell ${i} holds ${short(VALUES[i])} and counts for ${short(gradient.data[i])}.`);
    publish({ ...settings(), input, output, gradient });
  };

  const row = (tag, ...words) => el("tr", {}, ...words.map((word) => el(tag, tag === "th" ? { scope: "col" } : {}, String(word))));
  const update = () => (ACTIVATIONS[shown.value] ? curve : bars)();
  const restart = () => {
    const one = ACTIVATIONS[shown.value] ?? WEIGHTS[shown.value];
    parameters = one.sliders.map((s) => slider(...s, () => update()));
    point = ACTIVATIONS[shown.value] ? slider("x, the point to read", FROM, TO, 0.1, 1, () => update()) : slider("Cell to read", 0, CELLS - 1, 1, 5, () => update());
    sliders.replaceChildren(...parameters.map((p) => p.node), point.node);
    update();
  };

  root.append(
    el("form", { "aria-label": "The function", onsubmit: (event) => event.preventDefault() }, el("div", { class: "controls" }, shown.node), sliders),
    el("figure", {}, picture), said.node, el("details", {}, el("summary", {}, "The numbers"), table));
  restart();
});
