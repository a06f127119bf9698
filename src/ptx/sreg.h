/* Special registers. */
#ifndef WB_PTX_SREG_H
#define WB_PTX_SREG_H

/* X(enumerator, name). The components of a vector register stand together, x first. */
#define PTX_SREG_VECTOR(X, enumerator, name)                                                                 \
    X(enumerator##_X, name ".x")                                                                             \
    X(enumerator##_Y, name ".y")                                                                             \
    X(enumerator##_Z, name ".z")                                                                             \
    X(enumerator##_W, name ".w")

#define PTX_SREG_TABLE(X)                                                                                    \
    PTX_SREG_VECTOR(X, TID, "%tid")                                                                          \
    PTX_SREG_VECTOR(X, NTID, "%ntid")                                                                        \
    PTX_SREG_VECTOR(X, CTAID, "%ctaid")                                                                      \
    PTX_SREG_VECTOR(X, NCTAID, "%nctaid")                                                                    \
    PTX_SREG_VECTOR(X, CLUSTERID, "%clusterid")                                                              \
    PTX_SREG_VECTOR(X, NCLUSTERID, "%nclusterid")                                                            \
    PTX_SREG_VECTOR(X, CLUSTER_CTAID, "%cluster_ctaid")                                                      \
    PTX_SREG_VECTOR(X, CLUSTER_NCTAID, "%cluster_nctaid")                                                    \
    X(CLUSTER_CTARANK, "%cluster_ctarank")                                                                   \
    X(CLUSTER_NCTARANK, "%cluster_nctarank")                                                                 \
    X(IS_EXPLICIT_CLUSTER, "%is_explicit_cluster")                                                           \
    X(LANEID, "%laneid")                                                                                     \
    X(WARPID, "%warpid")                                                                                     \
    X(NWARPID, "%nwarpid")                                                                                   \
    X(SMID, "%smid")                                                                                         \
    X(NSMID, "%nsmid")                                                                                       \
    X(GRIDID, "%gridid")                                                                                     \
    X(LANEMASK_EQ, "%lanemask_eq")                                                                           \
    X(LANEMASK_LE, "%lanemask_le")                                                                           \
    X(LANEMASK_LT, "%lanemask_lt")                                                                           \
    X(LANEMASK_GE, "%lanemask_ge")                                                                           \
    X(LANEMASK_GT, "%lanemask_gt")                                                                           \
    X(CLOCK, "%clock")                                                                                       \
    X(CLOCK_HI, "%clock_hi")                                                                                 \
    X(CLOCK64, "%clock64")                                                                                   \
    X(GLOBALTIMER, "%globaltimer")                                                                           \
    X(GLOBALTIMER_LO, "%globaltimer_lo")                                                                     \
    X(GLOBALTIMER_HI, "%globaltimer_hi")                                                                     \
    X(TOTAL_SMEM_SIZE, "%total_smem_size")                                                                   \
    X(AGGR_SMEM_SIZE, "%aggr_smem_size")                                                                     \
    X(DYNAMIC_SMEM_SIZE, "%dynamic_smem_size")                                                               \
    X(RESERVED_SMEM_OFFSET_BEGIN, "%reserved_smem_offset_begin")                                             \
    X(RESERVED_SMEM_OFFSET_END, "%reserved_smem_offset_end")                                                 \
    X(RESERVED_SMEM_OFFSET_CAP, "%reserved_smem_offset_cap")                                                 \
    X(RESERVED_SMEM_OFFSET_0, "%reserved_smem_offset_0")                                                     \
    X(RESERVED_SMEM_OFFSET_1, "%reserved_smem_offset_1")                                                     \
    X(CURRENT_GRAPH_EXEC, "%current_graph_exec")                                                             \
    X(PM0, "%pm0")                                                                                           \
    X(PM1, "%pm1")                                                                                           \
    X(PM2, "%pm2")                                                                                           \
    X(PM3, "%pm3")                                                                                           \
    X(PM4, "%pm4")                                                                                           \
    X(PM5, "%pm5")                                                                                           \
    X(PM6, "%pm6")                                                                                           \
    X(PM7, "%pm7")                                                                                           \
    X(PM0_64, "%pm0_64")                                                                                     \
    X(PM1_64, "%pm1_64")                                                                                     \
    X(PM2_64, "%pm2_64")                                                                                     \
    X(PM3_64, "%pm3_64")                                                                                     \
    X(PM4_64, "%pm4_64")                                                                                     \
    X(PM5_64, "%pm5_64")                                                                                     \
    X(PM6_64, "%pm6_64")                                                                                     \
    X(PM7_64, "%pm7_64")                                                                                     \
    X(ENVREG0, "%envreg")

/* %envreg1 .. %envreg31 follow ENVREG0 without names of their own. */
#define PTX_ENVREG_COUNT 32

enum ptx_sreg {
#define X(enumerator, name) PTX_SREG_##enumerator,
    PTX_SREG_TABLE(X)
#undef X
        PTX_SREG_COUNT = PTX_SREG_ENVREG0 + PTX_ENVREG_COUNT
};

/* The name of a special register as PTX writes it, such as "%tid.x"; "%envreg" for all of those. */
const char *ptx_sreg_name(enum ptx_sreg sreg);

#endif
