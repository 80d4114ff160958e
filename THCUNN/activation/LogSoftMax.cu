/* LogSoftMax on the device. Story, checks and functions: THNN/activation/LogSoftMax.c. */
#include "activation/channels.cuh"

__global__ static void forwardRows(Channels c)
{
  const Team team = thisTeam(c.wide);
  for (int64_t i = team.number; i < c.n; i += team.count) {
    const real *x = c.x + i * c.channels;
    const Exponentials e = exponentialsOf(team, x, c.channels);
    const accreal logSum = log(e.sum);
    for (int64_t k = team.rank; k < c.channels; k += team.size) c.y[i * c.channels + k] = (real)((accreal)x[k] - e.largest - logSum);
  }
}

__global__ static void forwardNeighbours(Channels c)
{
  for (int64_t i = firstThread(); i < c.n; i += allThreads()) {
    const int64_t at = positionOf(c, i);
    const Exponentials e = exponentialsAt(c, at);
    const accreal logSum = log(e.sum);
    for (int64_t k = 0; k < c.channels; k++) c.y[at + k * c.stride] = (real)((accreal)c.x[at + k * c.stride] - e.largest - logSum);
  }
}

/* In backward kernels x is the output, y gradInput. */
__global__ static void backwardRows(Channels c)
{
  const Team team = thisTeam(c.wide);
  for (int64_t i = team.number; i < c.n; i += team.count) {
    const real *output = c.x + i * c.channels, *g = c.g + i * c.channels;
    accreal sum = 0;
    for (int64_t k = team.rank; k < c.channels; k += team.size) sum += (accreal)g[k];
    sum = teamSum(team, sum);
    for (int64_t k = team.rank; k < c.channels; k += team.size) c.y[i * c.channels + k] = (real)((accreal)g[k] - exp((accreal)output[k]) * sum);
  }
}

__global__ static void backwardNeighbours(Channels c)
{
  for (int64_t i = firstThread(); i < c.n; i += allThreads()) {
    const int64_t at = positionOf(c, i);
    accreal sum = 0;
    for (int64_t k = 0; k < c.channels; k++) sum += (accreal)c.g[at + k * c.stride];
    for (int64_t k = 0; k < c.channels; k++)
      c.y[at + k * c.stride] = (real)((accreal)c.g[at + k * c.stride] - exp((accreal)c.x[at + k * c.stride]) * sum);
  }
}

#include "activation/LogSoftMax.c"
