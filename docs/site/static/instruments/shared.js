/* What all instruments share: calls of THNN's functions, which thnn.js has as WebAssembly, and the parts that pages are made of. */
"use strict";

const Instruments = (() => {
  /* ---- tensors and calls */

  /* What a function gets and gives: sizes, and elements in row-major order. `long` is for indices. */
  const count = (shape) => shape.reduce((n, size) => n * size, 1);
  const tensor = (shape, values) => ({ shape, data: Float32Array.from(values ?? new Float32Array(count(shape))) });
  const filled = (shape, value) => ({ shape, data: new Float32Array(count(shape)).fill(value) });
  const longs = (shape, values) => ({ shape, data: BigInt64Array.from(values ?? new BigInt64Array(count(shape)), BigInt) });

  /* Where the parts of THNN_base.h's THFloatTensor and THLongTensor lie when pointers have 32 bits. */
  const SIZE = 8, STRIDE = 72, RANK = 136, FLAGS = 140, WHOLE = 144;

  let library;

  class Library {
    constructor(module) {
      this.module = module;
      module._THNN_setNumThreads(0, 1);
    }

    /* Elements of type A at an address. The heap moves when it grows, so nothing keeps this. */
    at(A, address, n) {
      return new A(this.module.HEAPU8.buffer, address, n);
    }

    /* Calls THNN_Float<name>. `given` has its arguments by their names; tensors that it writes are written there. */
    call(name, given) {
      const owned = [], back = [];
      const allocate = (bytes) => {
        owned.push(this.module._malloc(Math.max(bytes, 8)));
        return owned[owned.length - 1];
      };
      const place = (value) => {
        const A = value.data.constructor, n = value.data.length;
        const data = allocate(n * A.BYTES_PER_ELEMENT), descriptor = allocate(WHOLE);
        this.at(A, data, n).set(value.data);
        const view = new DataView(this.module.HEAPU8.buffer, descriptor, WHOLE);
        view.setUint32(0, data, true);
        let stride = n;
        value.shape.forEach((size, axis) => {
          stride = size ? stride / size : 0;
          view.setBigInt64(SIZE + 8 * axis, BigInt(size), true);
          view.setBigInt64(STRIDE + 8 * axis, BigInt(stride), true);
        });
        view.setInt32(RANK, value.shape.length, true);
        view.setUint32(FLAGS, 0, true);
        return [descriptor, () => value.data.set(this.at(A, data, n))];
      };
      try {
        const values = THNN_SIGNATURES[name].map(([argument, kind]) => {
          if (kind === "state") return 0; /* the library's own */
          const value = given[argument];
          if (value === undefined) throw new Error(`${name}: ${argument}: expected a value, got none`);
          if (kind === "integer") return BigInt(value);
          if (kind === "number") return Number(value);
          if (kind === "size") {
            const address = allocate(64);
            back.push(() => this.at(BigInt64Array, address, 8).forEach((size, axis) => (value[axis] = Number(size))));
            return address;
          }
          if (value === null) return 0;
          const [address, copy] = place(value);
          if (kind.startsWith("out")) back.push(copy);
          return address;
        });
        if (this.module[`_THNN_Float${name}`](...values)) throw new Error(this.module.UTF8ToString(this.module._THNN_lastError()));
        for (const copy of back) copy();
      } finally {
        for (const address of owned) this.module._free(address);
      }
    }

    /* Runs a layer forward on `input`. Gives what both directions need: `arguments` with input, output and what else was written. */
    forward(layer, input, options = {}) {
      const all = { ...options, input };
      let shape = input.shape;
      if (THNN_SIGNATURES[`${layer}_outputSize`]) {
        const size = [];
        this.call(`${layer}_outputSize`, { ...all, size });
        shape = size.slice(0, input.shape.length);
      }
      for (const [argument, kind] of THNN_SIGNATURES[`${layer}_updateOutput`])
        if (!(argument in all) && kind.startsWith("out")) all[argument] = kind === "out" ? tensor(shape) : longs(shape);
      this.call(`${layer}_updateOutput`, all);
      return all;
    }

    /* And back: the gradient with regard to the input of `pass`, which forward gave. */
    backward(layer, pass, gradOutput, options = {}) {
      const all = { ...pass, ...options, gradOutput };
      for (const [argument, kind] of THNN_SIGNATURES[`${layer}_updateGradInput`])
        if (!(argument in all) && kind === "out") all[argument] = tensor(pass.input.shape);
      this.call(`${layer}_updateGradInput`, all);
      return all.gradInput;
    }

    /* n numbers, uniform in [0, 1), of Torch7's random sequence after `seed`. */
    uniform(n, seed) {
      const address = this.module._malloc(8);
      this.module._THNN_manualSeed(0, BigInt(seed));
      const numbers = Array.from({ length: n }, () => {
        this.module._THNN_random(0, address);
        return this.at(Uint32Array, address, 1)[0] / 2 ** 32;
      });
      this.module._free(address);
      return numbers;
    }
  }

  /* ---- parts of a page */

  const build = (space) => (tag, attributes = {}, ...children) => {
    const node = space ? document.createElementNS(space, tag) : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (value === true) node.setAttribute(name, "");
      else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
    }
    node.append(...children);
    return node;
  };
  const el = build(null), svg = build("http://www.w3.org/2000/svg");

  let fields = 0;
  const labelled = (label, field, ...more) => {
    field.id = `instrument-field-${++fields}`;
    return el("div", { class: "field" }, el("label", { for: field.id }, label), field, ...more);
  };

  /* Controls. Each has `value`, and calls `change` when a person changes it. `node` is what to show. */
  const whole = (label, lowest, highest, value, change) => {
    const field = el("input", { type: "number", min: lowest, max: highest, step: 1, value });
    const read = () => {
      const number = field.value === "" ? NaN : Math.round(Number(field.value));
      return Number.isNaN(number) ? lowest : Math.min(highest, Math.max(lowest, number));
    };
    field.addEventListener("change", () => {
      field.value = read();
      change();
    });
    return { node: labelled(label, field), field, get value() { return read(); }, set value(to) { field.value = to; } };
  };
  const slider = (label, lowest, highest, step, value, change) => {
    const field = el("input", { type: "range", min: lowest, max: highest, step, value });
    const shown = el("output", { "aria-hidden": "true" }, short(value)); /* the slider says it itself */
    field.addEventListener("input", () => {
      shown.textContent = short(Number(field.value));
      change();
    });
    return { node: labelled(label, field, shown), field, get value() { return Number(field.value); } };
  };
  const choice = (label, options, value, change) => {
    const field = el("select", { onchange: () => change() });
    for (const [name, text] of Object.entries(options)) field.append(el("option", { value: name, selected: name === value }, text));
    return { node: labelled(label, field), field, get value() { return field.value; }, set value(to) { field.value = to; } };
  };
  const button = (label, press) => el("button", { type: "button", onclick: press }, label);

  /* What just happened, in words: shown, and read aloud. */
  const speaker = () => {
    const node = el("p", { class: "said", role: "status", "aria-live": "polite" });
    return { node, say: (text) => { if (node.textContent !== text) node.textContent = text; } };
  };

  const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0],
                  Home: [0, -Infinity], End: [0, Infinity], PageUp: [-Infinity, 0], PageDown: [Infinity, 0] };
  const within = (value, size) => Math.min(size - 1, Math.max(0, value));

  /* A table of numbers that arrow keys walk through. `choose(row, column)` is called when a cell becomes the chosen one. */
  const grid = (label, choose) => {
    const table = el("table", { role: "grid", class: "plane", "aria-label": label });
    const node = el("figure", {}, el("figcaption", { "aria-hidden": "true" }, label), table);
    let cells = [], chosen = [0, 0];
    const self = { node, table, get chosen() { return chosen; } };

    const mark = (row, column) => {
      const old = cells[chosen[0]]?.[chosen[1]];
      if (old) old.tabIndex = -1;
      chosen = [within(row, cells.length), within(column, cells[0].length)];
      cells[chosen[0]][chosen[1]].tabIndex = 0;
    };
    const go = (row, column) => {
      mark(row, column);
      cells[chosen[0]][chosen[1]].focus();
      choose(...chosen);
    };
    /* Makes the table anew if its size has changed, and fills it: `cell(row, column)` gives text, class and, for readers, label. */
    self.fill = (rows, columns, cell) => {
      if (cells.length !== rows || cells[0].length !== columns) {
        cells = Array.from({ length: rows }, (_, row) => Array.from({ length: columns }, (_, column) =>
          el("td", { role: "gridcell", tabindex: -1, onclick: () => go(row, column) })));
        table.replaceChildren(...cells.map((row) => el("tr", { role: "row" }, ...row)));
        mark(...chosen);
      }
      cells.forEach((line, row) => line.forEach((node, column) => {
        const { text, name = "", says = "", isChosen = false } = cell(row, column);
        node.textContent = text;
        node.className = name;
        node.setAttribute("aria-selected", isChosen);
        node.setAttribute("aria-label", `row ${row}, column ${column}: ${text}${says && `, ${says}`}`);
      }));
    };
    self.mark = mark;
    table.addEventListener("keydown", (event) => {
      const step = STEPS[event.key];
      if (!step || event.altKey || event.metaKey || event.ctrlKey) return;
      event.preventDefault();
      go(chosen[0] + step[0], chosen[1] + step[1]);
    });
    return self;
  };

  /* ---- numbers */

  /* As few digits as tell it. */
  const short = (value) => {
    if (Number.isNaN(value)) return "NaN";
    if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
    const size = Math.abs(value);
    const text = size && (size < 0.001 || size >= 1e5) ? value.toExponential(1) : String(Number(value.toFixed(size < 10 ? 3 : 2)));
    return (text === "-0" ? "0" : text).replace("-", "−");
  };
  /* "1, 2 and 5" */
  const list = (words) => (words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`);

  /* ---- instruments */

  /* mount(root, library) fills the place of an instrument. What it computed last stands in root.numbers, for tests and the curious. */
  const define = (name, mount) => {
    const start = async () => {
      for (const root of document.querySelectorAll(`[data-instrument="${name}"]`)) {
        try {
          library ??= createTHNN().then((module) => new Library(module));
          const body = el("div", { class: "body" });
          root.numbers = null;
          mount(body, await library, (computed) => (root.numbers = computed));
          root.replaceChildren(body);
        } catch (error) {
          root.replaceChildren(el("p", { role: "alert" }, `This part of the page cannot run here: ${error.message}`));
        }
      }
    };
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
    else start();
  };

  return { define, tensor, filled, longs, el, svg, whole, slider, choice, button, speaker, grid, short, list, within, STEPS };
})();
