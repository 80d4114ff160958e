/* GRUFused on the device. Story, checks and functions: THNN/recurrent/GRUFused.c. */
#include "recurrent/gates.cuh"

__global__ static void forward(const real *input, Addends to, const real *hx, real *output, real *storage, Cells s)
{
  const int64_t size = s.hidden;
  for (int64_t at = firstThread(); at < s.samples * size; at += allThreads()) {
    const int64_t sample = at / size, kr = at % size, ki = kr + size, kn = ki + size;
    const real *in = input + sample * 3 * size, *h = to.hidden + sample * 3 * size;
    real *stored = storage + sample * 5 * size;
    const accreal r = sigmoid((accreal)in[kr] + (accreal)h[kr] + (bias(to.bias1, kr) + bias(to.bias2, kr)));
    const accreal i = sigmoid((accreal)in[ki] + (accreal)h[ki] + (bias(to.bias1, ki) + bias(to.bias2, ki)));
    const accreal hn = (accreal)h[kn] + bias(to.bias2, kn), was = (accreal)hx[at];
    const accreal n = tanh((accreal)in[kn] + bias(to.bias1, kn) + r * hn);
    output[at] = (real)(n + i * (was - n));
    stored[kr] = (real)r;
    stored[ki] = (real)i;
    stored[kn] = (real)n;
    stored[kr + 3 * size] = (real)was;
    stored[kr + 4 * size] = (real)hn;
  }
}

static void gruForward(Call *call, const real *x, Addends to, const real *hx, real *y, real *stored, Cells s)
{
  launch(call, blocksFor(s.samples * s.hidden), BLOCK, forward, x, to, hx, y, stored, s);
}

__global__ static void backward(real *gradInput, real *gradHidden, const real *gradOutput, real *gradHx, const real *storage, Cells s)
{
  const int64_t size = s.hidden;
  for (int64_t at = firstThread(); at < s.samples * size; at += allThreads()) {
    const int64_t sample = at / size, kr = at % size, ki = kr + size, kn = ki + size;
    const real *stored = storage + sample * 5 * size;
    real *gx = gradInput + sample * 3 * size, *gh = gradHidden + sample * 3 * size;
    const accreal r = (accreal)stored[kr], i = (accreal)stored[ki], n = (accreal)stored[kn];
    const accreal h = (accreal)stored[kr + 3 * size], hn = (accreal)stored[kr + 4 * size], g = (accreal)gradOutput[at];
    const accreal gn = g * (1 - i) * (1 - n * n);
    gx[kr] = gh[kr] = (real)(gn * hn * r * (1 - r));
    gx[ki] = gh[ki] = (real)(g * (h - n) * i * (1 - i));
    gx[kn] = (real)gn;
    gh[kn] = (real)(gn * r);
    gradHx[at] = (real)(g * i);
  }
}

static void gruBackward(Call *call, real *gx, real *gh, const real *g, real *ghx, const real *stored, Cells s)
{
  launch(call, blocksFor(s.samples * s.hidden), BLOCK, backward, gx, gh, g, ghx, stored, s);
}

#include "recurrent/GRUFused.c"
