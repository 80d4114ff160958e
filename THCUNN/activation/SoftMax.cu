/* SoftMax on the device. Story, checks and functions: THNN/activation/SoftMax.c. */
#include "activation/channels.cuh"

__global__ static void forwardRows(Channels c)
{
  const Team team = thisTeam(c.wide);
  for (int64_t i = team.number; i < c.n; i += team.count) {
    const real *x = c.x + i * c.channels;
    const Exponentials e = rowExponentials(team, x, c.channels);
    const accreal share = 1 / e.sum;
    writeRow(team, c.y + i * c.channels, x, x, c.channels, [=](accreal v, accreal) { return exp(v - e.largest) * share; });
  }
}

__global__ static void forwardNeighbours(Channels c)
{
  eachNeighbour(c, [&](auto walk) {
    const Exponentials e = walkExponentials(c, walk);
    const accreal share = 1 / e.sum;
    for (int64_t k = walk.first; k < walk.end; k += walk.STEP) c.y[walk.at + k * c.stride] = (real)(exp((accreal)c.x[walk.at + k * c.stride] - e.largest) * share);
  });
}

/* Backward: x is the output, y is gradInput. */
__global__ static void backwardRows(Channels c)
{
  const Team team = thisTeam(c.wide);
  for (int64_t i = team.number; i < c.n; i += team.count) {
    const real *output = c.x + i * c.channels, *g = c.g + i * c.channels;
    const accreal sum = sumOfRow(team, g, output, c.channels, [](accreal slope, accreal y) { return slope * y; });
    writeRow(team, c.y + i * c.channels, g, output, c.channels, [=](accreal slope, accreal y) { return y * (slope - sum); });
  }
}

__global__ static void backwardNeighbours(Channels c)
{
  eachNeighbour(c, [&](auto walk) {
    accreal sum = 0;
    for (int64_t k = walk.first; k < walk.end; k += walk.STEP) sum += (accreal)c.g[walk.at + k * c.stride] * (accreal)c.x[walk.at + k * c.stride];
    sum = walk.sum(sum);
    for (int64_t k = walk.first; k < walk.end; k += walk.STEP)
      c.y[walk.at + k * c.stride] = (real)((accreal)c.x[walk.at + k * c.stride] * ((accreal)c.g[walk.at + k * c.stride] - sum));
  });
}

#include "activation/SoftMax.c"
