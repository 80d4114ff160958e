/* What SpatialS3Pooling does on all planes: s3.c is fast on the host, THCUNN/pooling/s3.cu on the device. Rows or columns that are NULL
 * stand for the mean over all choices. */
#ifndef THNN_POOLING_S3_H
#define THNN_POOLING_S3_H

#include "pooling/MaxPooling.h"

/* 0 if it can be done; else how many cells may lie between those of a pool. */
int64_t THNN_(s3Limit)(const Space *p);
void THNN_(s3Choose)(Call *call, real *y, index_t *index, const real *x, const index_t *rows, const index_t *columns, const Space *p);
void THNN_(s3Mix)(Call *call, real *y, const real *x, const index_t *rows, const index_t *columns, const Space *p);
void THNN_(s3SpreadChosen)(Call *call, real *gx, const real *g, const index_t *index, const index_t *rows, const index_t *columns,
                           const Space *p);
void THNN_(s3SpreadMixed)(Call *call, real *gx, const real *x, const real *g, const index_t *rows, const index_t *columns,
                          const Space *p);

#endif
