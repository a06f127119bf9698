/* Import of gpgpusim.config, the flag file of GPGPU-Sim 4 and Accel-Sim. */
#ifndef WB_WINGS_GPGPUSIM_IMPORT_H
#define WB_WINGS_GPGPUSIM_IMPORT_H

#include "machine/files.h"

/* Most numbers in one flag's value that the import looks at. */
#define IMPORT_NUMBERS_MAX 6

/* Latencies or initiation intervals of one type: ADD, MAX, MUL, MAD, DIV and, of integers, SHFL. */
struct import_times {
    uint32_t op[IMPORT_NUMBERS_MAX];
};

enum import_op { IMPORT_ADD, IMPORT_MAX, IMPORT_MUL, IMPORT_MAD, IMPORT_DIV, IMPORT_SHFL };

/* What the flags say; before any flag is read, the simulator's own defaults. */
struct import_config {
    struct import_times latency_int, latency_fp, latency_dp, init_int, init_fp, init_dp;
    uint32_t latency_sfu, init_sfu, latency_tensor, init_tensor;
    double clock_mhz;
    uint32_t schedulers, sub_core_model, issue_per_warp, issue_to_other_units;
    uint32_t sp_units, int_units, dp_units, sfu_units, tensor_units, tensor_available;
    uint32_t smem_latency, l1_latency, l2_latency, dram_latency;
    uint32_t threads, blocks, registers, shared_bytes;
    uint32_t mem_unit_count, mem_unit_latency; /* of a specialized unit for global loads; count 0: none */
    struct machine_fetch fetch;                /* size 0: the file says nothing of the instruction cache */
    uint32_t perfect_fetch;                    /* 1: it has everything */
    struct machine_gpgpusim gpgpusim; /* store_banks and store_ack_delay follow from the next three */
    uint32_t l1_banks, skip_l1, perfect_memory;
    uint32_t own_collectors;        /* 0: units have no operand collectors of their own */
    uint32_t widest_oc_ex;          /* registers between the collectors and a unit, the most that one has */
    uint32_t clusters, cluster_sms; /* clusters 0: the file does not say how many SMs there are */
    uint32_t launch_latency, block_latency;
    uint32_t coalescing; /* architecture by whose rule lanes become requests; 0: the file does not say */
    uint32_t block_shared_bytes;
    size_t one_unit_at; /* where the file lets one unit take them, for a warning */
    size_t known_flags; /* how many flags of the file were understood */
};

/* Reads the flags of a file. */
wb_status import_read(const struct source *source, wb_diagnostics *diagnostics, struct import_config *config);

/* Both, on a text in memory. */
wb_status import_parse(const char *name, const char *text, size_t size, wb_diagnostics *diagnostics,
                       wb_machine **machine);

#endif
