/* A driver without a GPU: it has the functions of libcuda.so.1 and libnvidia-ml.so.1 that this project calls,
 * executes launches with the interpreter, and has a clock of its own. What it is and where it lies stands in
 * the environment variable STAND_IN, a list such as "sm=87,sms=16,error=cuLaunchKernel:719":
 *
 *     sm=N sms=N            architecture and SMs (default 87 and 16)
 *     called=NAME           the GPU's name (default stand-in)
 *     l2-bytes=N            of the second level (default 4 MiB)
 *     memory-bytes=N        the most that is allocated at once (default 8 MiB)
 *     mhz=N memory-mhz=N    clocks of these and of memory (default 1000 and 3199)
 *     error=FUNCTION:N      the function fails with result N
 *     hang=FUNCTION         the function never returns
 *     crash=FUNCTION        the function ends the process by a signal
 *     exit=FUNCTION:N       the function ends the process with status N
 *     moving-clock=N        the clock is another one after N times that it is read
 *     throttle              NVML says that the clock is kept low by heat
 *     late-host             the GPU comes to each event before the host has queued what is behind it
 *     no-nvml               NVML is not there
 *     no-device             there is no GPU
 *     slow=N                kernels take N times as long
 *     slow-beside=N         kernels take N times as long beside the kernel that runs beside them (default 2)
 *     never-beside          that kernel does nothing before the others are done
 *     wrong-result          the first byte of each allocation that a kernel stores to is another one
 *     cubin=FILE            what the compiler makes of any PTX; without it, or with no-cubin, there is none
 *     keep-ptx=FILE         where it leaves that PTX
 *     shared=N l1=N l2=N dram=N tlb=N atomic=N atomic-shared=N constant=N constant-miss=N barrier=N
 *                           cycles of an access; `tlb` and `atomic` are added
 *     conflict=N line=N word=N words=N store=N code-miss=N dispatch=N
 *                           further cycles: of a lane on a bank that another one is on, of each further line
 *                           of an access, of an atomic on one word, or line, for each other SM, of a store,
 *                           of a line of code, in front of a block
 *     l1-lines=N l2-lines=N tlb-pages=N constant-lines=N code-lines=N
 *                           what caches keep
 *     tail=N                one access of global memory in 64 takes N cycles more
 *     clock-back=N          each Nth read of a clock is 1000 cycles too early
 *     clock-stops           all clocks stand still
 *     one-sm                all blocks say that they run on SM 0
 */
#ifndef WB_TESTS_DEVICE_STAND_IN_H
#define WB_TESTS_DEVICE_STAND_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpbound.h"

/* Memory of the GPU, which is the host's. */
struct allocation {
    struct allocation *next;
    uint64_t address;
    size_t size;
    uint8_t *bytes;
    bool changed; /* since it was allocated */
};

/* All of it, newest first. */
extern struct allocation *stand_in_memory;

struct stand_in_module {
    wb_module *code;
    struct allocation **variables; /* per variable of the module; NULL: it has no address */
};

struct stand_in_launch {
    const struct stand_in_module *module;
    const wb_kernel *kernel;
    uint32_t grid[3], block[3];
    uint32_t shared;       /* bytes, dynamic */
    const uint8_t *params; /* laid out as the kernel has them */
    size_t param_bytes;
};

struct CUfunc_st {
    struct stand_in_module *module;
    const wb_kernel *kernel;
};

/* Driver entry points are exported, all else is not. */
#define EXPORT __attribute__((visibility("default")))

/* clock.c: run_warp of a run, whose SMs have clocks; before each launch; memory was written that nobody reads
 * again. */
struct warp;
wb_status stand_in_run_warp(struct warp *warp);
void stand_in_begin_launch(void);
void stand_in_sweep(size_t bytes);

/* graphs.c: whether the launch is one that the stream captures; *result: of that. */
struct CUstream_st;
bool stand_in_capture(struct CUfunc_st *function, const unsigned shape[7], struct CUstream_st *stream,
                      void **params, int *result);

/* lies.c: the value of a word of STAND_IN, or `usual`; whether a flag stands there; what is said there of a
 * function: its result (0: it does as it is told). */
uint64_t stand_in_number(const char *word, uint64_t usual);
bool stand_in_flag(const char *word);
const char *stand_in_text(const char *word, char *text, size_t size); /* NULL: it does not stand there */
int stand_in_lie(const char *function);

/* Begins a function of the driver. */
#define STAND_IN_BEGIN()                                                                                     \
    do {                                                                                                     \
        const int lie = stand_in_lie(__func__);                                                              \
        if (lie != 0) return lie;                                                                            \
    } while (0)

/* execute.c: where the parameters of a kernel stand, and how many bytes they are. */
size_t stand_in_param_at(const wb_kernel *kernel, uint32_t index, size_t *bytes);
uint32_t stand_in_param_count(const wb_kernel *kernel);

/* Executes all blocks, one after another. False, with a message on standard error, when the interpreter
 * cannot. *instructions: of all warps. */
bool stand_in_execute(const struct stand_in_launch *launch, uint64_t *instructions);

#endif
