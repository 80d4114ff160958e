/* SpatialS3Pooling on all planes: SpatialS3Pooling_fast.c has the fast loops of the host, THCUNN/pooling/SpatialS3Pooling.cu the kernels
 * of the device. Rows or columns are NULL for the mean over all choices. */
#ifndef THNN_POOLING_SPATIAL_S3_POOLING_H
#define THNN_POOLING_SPATIAL_S3_POOLING_H

#include "pooling/MaxPooling.h"

/* Returns 0 if it can be computed, else the largest allowed distance of the cells of a pool. */
int64_t THNN_(s3Limit)(const Space *p);
void THNN_(s3Choose)(Call *call, real *y, index_t *index, const real *x, const index_t *rows, const index_t *columns, const Space *p);
void THNN_(s3Mix)(Call *call, real *y, const real *x, const index_t *rows, const index_t *columns, const Space *p);
void THNN_(s3SpreadChosen)(Call *call, real *gx, const real *g, const index_t *index, const index_t *rows, const index_t *columns,
                           const Space *p);
void THNN_(s3SpreadMixed)(Call *call, real *gx, const real *x, const real *g, const index_t *rows, const index_t *columns,
                          const Space *p);

#endif
