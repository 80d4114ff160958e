/* One output of a convolution: its window, the products, the sum. The layer gives all of them: the gradient of one output with regard
 * to the weights is its window. */
"use strict";

Instruments.define("convolution", (root, thnn, publish) => {
  const { el, tensor, grid, whole, choice, button, speaker, short } = Instruments;
  const LAYER = "SpatialDilatedConvolution", CELLS = 7;

  /* Weights of 3 x 3; other kernels are drawn. */
  const KERNELS = {
    edge: ["an edge: left minus right", [1, 0, -1, 2, 0, -2, 1, 0, -1]],
    blur: ["a blur: nine times 1/9", Array(9).fill(1 / 9)],
    sharp: ["sharper: the middle minus its neighbours", [0, -1, 0, -1, 5, -1, 0, -1, 0]],
    random: ["drawn numbers", null],
  };
  let seed = 1, input, weight, pass, at = [0, 0];

  const draw = (n, from) => thnn.uniform(n, from).map((u) => Math.floor(10 * u));
  const kernel = choice("Kernel", Object.fromEntries(Object.entries(KERNELS).map(([name, [text]]) => [name, text])), "edge", () => {
    if (KERNELS[kernel.value][1]) size.value = 3;
    reweigh();
  });
  const size = whole("Kernel size", 1, 5, 3, () => {
    if (size.value !== 3) kernel.value = "random";
    reweigh();
  });
  const stride = whole("Stride", 1, 4, 1, () => update()), padding = whole("Padding", 0, 4, 0, () => update());
  const dilation = whole("Dilation", 1, 3, 1, () => update());
  const bias = whole("Bias", -9, 9, 0, () => update());
  const said = speaker(), about = el("p", { class: "about" }), sum = el("p", { class: "sum" });

  const tellNumber = (what, value) => (row, column) => said.say(`${what} row ${row}, column ${column}: ${short(value(row, column))}.`);
  const padded = grid("Input and its padding", (row, column) => {
    const p = padding.value;
    said.say(isPadding(row - p, column - p) ? `Padding: 0.` : `Input row ${row - p}, column ${column - p}: ${short(cellOf(row - p, column - p))}.`);
  });
  const kernelGrid = grid("Weights", tellNumber("Weight", (i, j) => weight.data[i * size.value + j]));
  const windowGrid = grid("Its window", tellNumber("Cell of the window", (i, j) => seen.data[i * size.value + j]));
  const productGrid = grid("Products", tellNumber("Product", (i, j) => products[i * size.value + j]));
  const outputGrid = grid("Output", (row, column) => choose(row, column));
  let seen, products;

  const isPadding = (row, column) => row < 0 || column < 0 || row >= CELLS || column >= CELLS;
  const cellOf = (row, column) => (isPadding(row, column) ? 0 : input.data[row * CELLS + column]);
  const options = () => ({ weight, bias: tensor([1], [bias.value]), kW: size.value, kH: size.value, dW: stride.value, dH: stride.value,
    padW: padding.value, padH: padding.value, dilationW: dilation.value, dilationH: dilation.value });

  const choose = (row, column) => {
    const k = size.value, [, height, width] = pass.output.shape;
    at = [Instruments.within(row, height), Instruments.within(column, width)];
    const one = Instruments.filled(pass.output.shape, 0), o = at[0] * width + at[1];
    one.data[o] = 1;
    seen = tensor([1, 1, k, k]);
    thnn.call(`${LAYER}_accGradParameters`, { ...pass, gradOutput: one, gradWeight: seen, gradBias: null, scale: 1 });
    products = seen.data.map((x, i) => x * weight.data[i]);
    const gradInput = thnn.backward(LAYER, pass, one);
    publish({ input, weight, bias: bias.value, output: pass.output, window: seen, products, gradInput, at,
              stride: stride.value, padding: padding.value, dilation: dilation.value });
    show(o);
  };

  const show = (o) => {
    const k = size.value, p = padding.value, [, height, width] = pass.output.shape;
    const top = at[0] * stride.value, left = at[1] * stride.value;
    const tap = (from) => (i) => { const d = i - from; return d >= 0 && d % dilation.value === 0 && d / dilation.value < k; };
    const isRow = tap(top), isColumn = tap(left);
    padded.fill(CELLS + 2 * p, CELLS + 2 * p, (row, column) => {
      const isSeen = isRow(row) && isColumn(column), isZero = isPadding(row - p, column - p);
      return { text: short(cellOf(row - p, column - p)), name: [isSeen && "adaptive", isZero && "padding"].filter(Boolean).join(" "),
               says: [isZero && "padding", isSeen && "in the window"].filter(Boolean).join(", "), isChosen: isSeen };
    });
    const square = (numbers) => (i, j) => ({ text: short(numbers[i * k + j]) });
    windowGrid.fill(k, k, square(seen.data));
    kernelGrid.fill(k, k, square(weight.data));
    productGrid.fill(k, k, square(products));
    outputGrid.fill(height, width, (row, column) => {
      const isChosen = row === at[0] && column === at[1];
      return { text: short(pass.output.data[row * width + column]), name: isChosen ? "adaptive" : "", isChosen };
    });
    outputGrid.mark(...at);
    const terms = [...products].filter((x) => x !== 0).map(short);
    sum.textContent = `${terms.join(" + ") || "0"} + bias ${short(bias.value)} = ${short(pass.output.data[o])}`.replaceAll("+ −", "− ");
    said.say(`Output row ${at[0]}, column ${at[1]}: the sum of ${k * k} products and the bias is ${short(pass.output.data[o])}. ` +
      `Its window begins at input row ${top - p}, column ${left - p}.`);
  };

  const update = () => {
    try {
      pass = thnn.forward(LAYER, input, options());
    } catch (error) {
      said.say(`The layer refuses: ${error.message}`);
      return;
    }
    const [, height, width] = pass.output.shape;
    about.textContent = `${CELLS} x ${CELLS} cells become ${height} x ${width} outputs.`;
    choose(...at);
  };
  const reweigh = () => {
    const k = size.value;
    weight = tensor([1, 1, k, k], KERNELS[kernel.value][1] ?? draw(k * k, seed + 1000).map((x) => x - 4));
    update();
  };
  const restart = () => {
    input = tensor([1, CELLS, CELLS], draw(CELLS * CELLS, seed));
    reweigh();
  };

  root.append(
    el("form", { class: "controls", "aria-label": "The convolution", onsubmit: (event) => event.preventDefault() },
      kernel.node, size.node, stride.node, padding.node, dilation.node, bias.node, button("Other numbers", () => { seed++; restart(); })),
    el("p", { class: "hint" }, "Choose an output by a click or with the arrow keys: the window moves over the input."),
    el("div", { class: "planes" }, outputGrid.node, padded.node), 
    el("div", { class: "planes" }, windowGrid.node, kernelGrid.node, productGrid.node), sum, about, said.node);
  restart();
});
