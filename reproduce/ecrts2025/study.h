/* Everything that is measured: the kernels of kernels/index.txt, the matrix products of table 4 of the paper,
 * and the features of table 2. */
#ifndef WB_REPRODUCE_STUDY_H
#define WB_REPRODUCE_STUDY_H

#include "ablation.h"
#include "base/base.h"
#include "specimen.h"

/* Name of a case of kernels/index.txt, with room. */
#define STUDY_NAME_MAX 128

#define LATENCY_COUNT 7u
#define WARPS_COUNT 4u

/* The machines: GPGPU-Sim as the paper used it, and the plain model that the proofs are about. */
enum model { MODEL_GPGPUSIM, MODEL_PLAIN, MODEL_COUNT };

/* The two products of the paper, and the second with the loads of its first tiles together, and as well with
 * tiles 8 deep and four elements a thread. */
enum sgemm { SGEMM_NAIVE, SGEMM_DOUBLE_BUFFERED, SGEMM_LOADS_TOGETHER, SGEMM_REGISTER_TILED, SGEMM_COUNT };

extern const unsigned study_latencies[LATENCY_COUNT]; /* of global memory, in cycles */
extern const unsigned study_warps[WARPS_COUNT];       /* of the matrix products' blocks */
extern const struct sgemm_kernel study_sgemm_kernels[SGEMM_COUNT];

/* Latency of the ablation (ablation.h), as an index into study_latencies: 200 cycles, which the paper calls
 * realistic. */
#define STUDY_TYPICAL 5u

/* The latency that has a configuration of its own, and a setting that undoes one difference of it: the first
 * level cache takes all accesses of a store in one cycle. */
#define STUDY_SHORTEST 0u
#define STUDY_WIDE_STORES "gpgpusim.store_banks=128"

/* The preset that stands for a model at a latency, to be loaded with the latency set. */
const char *study_preset(enum model model, size_t latency);

struct study_kernel {
    char name[STUDY_NAME_MAX];
    uint32_t warps;
    uint64_t instructions; /* of all warps */
    uint64_t jumps;        /* places where warp 0 does not go on with the next instruction of the text */
    struct measurement at[MODEL_COUNT][LATENCY_COUNT];
    struct measurement wide_stores; /* STUDY_SHORTEST with STUDY_WIDE_STORES */
    struct ablation ablation;       /* at STUDY_TYPICAL */
};

struct study {
    VEC(struct study_kernel) kernels;                                  /* in the order of kernels/index.txt */
    struct measurement sgemm[SGEMM_COUNT][LATENCY_COUNT][WARPS_COUNT]; /* on MODEL_GPGPUSIM */
};

/* Runs everything, from the project's top folder. The study is freed in any case. */
wb_status study_run(wb_diagnostics *diagnostics, struct study *study);
void study_free(struct study *study);

#endif
