/* The headings of reports: the kernel, its launch and what is known of its inputs, the machine. */
#ifndef WB_REPORT_PARTS_HEADING_H
#define WB_REPORT_PARTS_HEADING_H

#include "launch/launch.h"
#include "machine/occupancy.h"
#include "memory/requests/requests.h"
#include "report/write/json.h"

/* Two lines: the arguments, and whether contents are as given or may be anything; registers. */
void heading_put_launch(struct text *out, const struct launch_inputs *inputs,
                        const struct wb_machine *machine, const struct block_demand *demand);

/* The line of a kernel: "kernel   f(float*), in PTX _Z1fPf (k.ptx)", or its one name. */
void heading_put_kernel(struct text *out, const char *label, const struct wb_kernel *kernel);

/* The line of a grid: "grid     4x1x1 blocks of 256x1x1 threads: 8 warps a block", and the kernel's before
 * it. */
void heading_put_grid(struct text *out, const struct wb_grid *grid);

/* How many registers a thread has, and how that is known: "16 to 255 a thread: not given, ...". */
void heading_put_registers(struct text *out, const struct register_range *range);

/* The latency of global memory: "200", or "100 to 200" where the machine states a least. */
void heading_put_memory_latency(struct text *out, const struct wb_machine *machine);

/* The instruction cache of a machine, where it has one, behind what else the line says of the machine. */
void heading_put_fetch(struct text *out, const struct machine_fetch *fetch);

/* Kernel, grid and machine of a grid on a GPU, a line each. */
void heading_put_gpu(struct text *out, const struct timed_grid *timed);

/* Members of the innermost object: "inputs", "launch_file", "arguments", "variables" and "registers" of a
 * launch; */
void heading_launch_json(struct json *json, const struct launch_inputs *inputs,
                         const struct wb_machine *machine, const struct block_demand *demand);

/* only "registers"; */
void heading_registers_json(struct json *json, const struct register_range *range);

/* "kernel" and "file": NULL where there is none; */
void heading_kernel_json(struct json *json, const struct wb_kernel *kernel);

/* "machine": name, clock, what issue and latencies depend on; with `with_memory` also SMs and caches; */
void heading_machine_json(struct json *json, const struct wb_machine *machine, bool with_memory);

/* all of them for a grid on a GPU; */
void heading_gpu_json(struct json *json, const struct timed_grid *timed);

/* what it was made from, "inputs"; */
void heading_gpu_inputs_json(struct json *json, const struct timed_grid *timed);

/* what a simulation on the machine has fetched of instructions, where fetch can stall. */
void heading_fetches_json(struct json *json, const struct wb_machine *machine, uint64_t fetches,
                          uint64_t misses);

#endif
