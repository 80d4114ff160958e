/* Convolutions whose planes are connected by a table, on the device. Checks and functions: THNN/convolution/connections.h. */
#ifndef THCUNN_CONNECTIONS_H
#define THCUNN_CONNECTIONS_H

#include "convolution/direct.cuh"

__global__ static void splitRows(const index_t *table, int full, Net net, int64_t *inputs, int64_t *outputs)
{
  for (int64_t k = firstThread(); k < net.links; k += allThreads()) {
    inputs[k] = table[2 * k];
    outputs[k] = table[2 * k + 1];
    net.link[k] = full ? Link{outputs[k], inputs[k], k} : Link{inputs[k], outputs[k], k};
  }
}

static void splitTable(Call *call, const index_t *table, int full, Net *net, int64_t *inputs, int64_t *outputs)
{
  launch(call, blocksFor(net->links), BLOCK, splitRows, table, full, *net, inputs, outputs);
}

#endif
