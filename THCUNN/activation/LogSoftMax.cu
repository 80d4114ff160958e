/* LogSoftMax on the device. Story, checks and functions: THNN/activation/LogSoftMax.c. */
#include "activation/channels.cuh"

__global__ static void forwardRows(Channels c)
{
  const Team team = thisTeam(c.wide);
  for (int64_t i = team.number; i < c.n; i += team.count) {
    const real *x = c.x + i * c.channels;
    const Exponentials e = rowExponentials(team, x, c.channels);
    const accreal logSum = log(e.sum);
    writeRow(team, c.y + i * c.channels, x, x, c.channels, [=](accreal v, accreal) { return v - e.largest - logSum; });
  }
}

__global__ static void forwardNeighbours(Channels c)
{
  eachNeighbour(c, [&](auto walk) {
    const Exponentials e = walkExponentials(c, walk);
    const accreal logSum = log(e.sum);
    for (int64_t k = walk.first; k < walk.end; k += walk.STEP) c.y[walk.at + k * c.stride] = (real)((accreal)c.x[walk.at + k * c.stride] - e.largest - logSum);
  });
}

/* Backward: x is the output, y is gradInput. */
__global__ static void backwardRows(Channels c)
{
  const Team team = thisTeam(c.wide);
  for (int64_t i = team.number; i < c.n; i += team.count) {
    const real *output = c.x + i * c.channels, *g = c.g + i * c.channels;
    const accreal sum = sumOfRow(team, g, g, c.channels, [](accreal slope, accreal) { return slope; });
    writeRow(team, c.y + i * c.channels, g, output, c.channels, [=](accreal slope, accreal y) { return slope - exp(y) * sum; });
  }
}

__global__ static void backwardNeighbours(Channels c)
{
  eachNeighbour(c, [&](auto walk) {
    accreal sum = 0;
    for (int64_t k = walk.first; k < walk.end; k += walk.STEP) sum += (accreal)c.g[walk.at + k * c.stride];
    sum = walk.sum(sum);
    for (int64_t k = walk.first; k < walk.end; k += walk.STEP)
      c.y[walk.at + k * c.stride] = (real)((accreal)c.g[walk.at + k * c.stride] - exp((accreal)c.x[walk.at + k * c.stride]) * sum);
  });
}

#include "activation/LogSoftMax.c"
