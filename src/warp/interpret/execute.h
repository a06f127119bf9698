/* Executing instructions: all that micro.execute and micro.unsure may be, one file for each kind of
 * instruction, and what they report and forget. */
#ifndef WB_WARP_INTERPRET_EXECUTE_H
#define WB_WARP_INTERPRET_EXECUTE_H

#include "warp/interpret/warp.h"

/* Reports an error about the instruction and returns `status`. */
wb_status warp_fail(const struct warp *warp, const struct micro *op, wb_status status, const char *format,
                    ...) __attribute__((format(printf, 4, 5)));

/* What an instruction can only be executed with if it is known; the first two are about where and how much it
 * accesses, the others about control. */
enum need {
    NEED_ADDRESS,
    NEED_SIZE,
    NEED_CONDITION,
    NEED_GUARD,
    NEED_TARGET,
    NEED_CALLEE,
    NEED_BARRIER,
    NEED_THREADS
};

/* Returns WB_ERR_DECLINED because the value of `slot` is not known in the lanes of `lanes`: the warp is
 * steered by it (run.steers), or a message says where it came from. */
wb_status warp_decline(struct warp *warp, const struct micro *op, struct slot slot, uint32_t lanes,
                       enum need need);

/* Ends the warp in front of an instruction because of a value from instruction `origin`; returns
 * WB_ERR_DECLINED without a message. */
wb_status warp_steer(struct warp *warp, uint32_t instruction, uint32_t origin, bool branch);

/* WB_ERR_LIMIT with a message that memory is exhausted, at an instruction or not. */
wb_status run_no_memory(const struct run *run);
wb_status warp_no_memory(const struct warp *warp, const struct micro *op);

/* Notes that the execution takes something for granted from here on. */
static inline void run_assume(struct run *run, enum assumed what) {
    run->notes.assumed |= assumed_bit(what);
}

/* Beside what the PTX ISA leaves open: what atomics return, and what they leave where their order shows in
 * memory, as warps come to them in any order. Nobody can ask for it: it is taken for what comes of the order
 * here where the given data leaves control or an address open otherwise, and no bound rests on that. */
#define OPEN_ATOMIC_ORDER LAUNCH_ASSUMPTIONS

/* Whether the run takes results that the PTX ISA leaves open for known; notes that it does. */
bool open_is_assumed(struct run *run, enum launch_assumption what);

/* What the next execution of the given data assumes, after one that assumed `assumed` and left `left_open`
 * open: the order of atomics only where nothing else is left, and not where every order is asked for. */
static inline uint32_t open_assumed_next(uint32_t assumed, uint32_t left_open, bool any_order) {
    const uint32_t others = left_open & ~(1u << OPEN_ATOMIC_ORDER);
    return assumed | (any_order || (others & ~assumed) != 0 ? others : left_open);
}

/* The origin of a value read from a slot: of a special register that is unknown by nature, the reader. */
static inline uint32_t warp_origin(const struct lanes *lanes, const struct micro *op) {
    return lanes->origin == ORIGIN_READER ? op->index : lanes->origin;
}

/* Notes that the accesses of an instruction are executed but not recorded. */
void run_note_uncounted(struct run *run, const struct micro *op);

/* Makes all registers that the instruction writes unknown in the lanes of `mask`. */
void warp_forget_outputs(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t origin);

/* execute.c: does nothing; makes the outputs unknown; notes how long lanes sleep; is an error; does what
 * op->unrecorded does, of an instruction whose accesses are not recorded; notes that part of a warp commits,
 * or waits for, copies. */
wb_status nothing_execute(struct warp *warp, const struct micro *op, uint32_t mask);
wb_status opaque_execute(struct warp *warp, const struct micro *op, uint32_t mask);
wb_status sleep_execute(struct warp *warp, const struct micro *op, uint32_t mask);
wb_status group_execute(struct warp *warp, const struct micro *op, uint32_t mask);
wb_status unsure_group(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t unsure);
wb_status refuse_execute(struct warp *warp, const struct micro *op, uint32_t mask);
wb_status unrecorded_execute(struct warp *warp, const struct micro *op, uint32_t mask);

/* alu.c */
wb_status alu_execute(struct warp *warp, const struct micro *op, uint32_t mask);
wb_status test_execute(struct warp *warp, const struct micro *op, uint32_t mask);
wb_status setp_execute(struct warp *warp, const struct micro *op, uint32_t mask);
wb_status set_execute(struct warp *warp, const struct micro *op, uint32_t mask);
wb_status machine_setp_execute(struct warp *warp, const struct micro *op, uint32_t mask);

/* sum.c */
wb_status machine_add3_execute(struct warp *warp, const struct micro *op, uint32_t mask);
wb_status carry_execute(struct warp *warp, const struct micro *op, uint32_t mask);

/* pack.c */
wb_status pack_execute(struct warp *warp, const struct micro *op, uint32_t mask);
wb_status unpack_execute(struct warp *warp, const struct micro *op, uint32_t mask);

/* memory_ops.c: what op->unsure does, of an access to memory. All lanes that may take part are recorded. */
wb_status unsure_access(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t unsure);

/* memory_ops.c: whether it depends on which lane of `mask` has the last word what a store leaves in memory.
 */
bool store_conflicts(const struct warp *warp, const struct micro *op, uint32_t mask,
                     const uint64_t *addresses);

/* memory_ops.c */
wb_status load_execute(struct warp *warp, const struct micro *op, uint32_t mask);
wb_status store_execute(struct warp *warp, const struct micro *op, uint32_t mask);
wb_status atomic_execute(struct warp *warp, const struct micro *op, uint32_t mask);
wb_status copy_execute(struct warp *warp, const struct micro *op, uint32_t mask);
wb_status ldmatrix_execute(struct warp *warp, const struct micro *op, uint32_t mask);
wb_status opaque_store_execute(struct warp *warp, const struct micro *op, uint32_t mask);

/* exchange.c */
wb_status shuffle_execute(struct warp *warp, const struct micro *op, uint32_t mask);
wb_status vote_execute(struct warp *warp, const struct micro *op, uint32_t mask);
wb_status match_execute(struct warp *warp, const struct micro *op, uint32_t mask);
wb_status activemask_execute(struct warp *warp, const struct micro *op, uint32_t mask);
wb_status redux_execute(struct warp *warp, const struct micro *op, uint32_t mask);
wb_status elect_execute(struct warp *warp, const struct micro *op, uint32_t mask);
wb_status warp_sync_execute(struct warp *warp, const struct micro *op, uint32_t mask);

/* control.c */
wb_status branch_execute(struct warp *warp, const struct micro *op, uint32_t mask);
wb_status branch_index_execute(struct warp *warp, const struct micro *op, uint32_t mask);
wb_status call_execute(struct warp *warp, const struct micro *op, uint32_t mask);
wb_status return_execute(struct warp *warp, const struct micro *op, uint32_t mask);
wb_status exit_execute(struct warp *warp, const struct micro *op, uint32_t mask);
wb_status trap_execute(struct warp *warp, const struct micro *op, uint32_t mask);

/* A call of the run-time system that returns: what it returns is not known. */
wb_status runtime_execute(struct warp *warp, const struct micro *op, uint32_t mask);
wb_status runtime_unsure(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t unsure);

/* converge.c: where lanes of machine code meet. */
wb_status bssy_execute(struct warp *warp, const struct micro *op, uint32_t mask);
wb_status bsync_execute(struct warp *warp, const struct micro *op, uint32_t mask);
wb_status break_execute(struct warp *warp, const struct micro *op, uint32_t mask);
wb_status bmov_get_execute(struct warp *warp, const struct micro *op, uint32_t mask);
wb_status bmov_set_execute(struct warp *warp, const struct micro *op, uint32_t mask);
wb_status warpsync_execute(struct warp *warp, const struct micro *op, uint32_t mask);
wb_status alone_execute(struct warp *warp, const struct micro *op, uint32_t mask);
wb_status collective_execute(struct warp *warp, const struct micro *op, uint32_t mask);

/* Refuses an exchange that parts of a warp do together: lanes `absent` are elsewhere. */
wb_status collective_of_parts(struct warp *warp, const struct micro *op, uint32_t absent);

wb_status divided_execute(struct warp *warp, const struct micro *op, uint32_t mask);
wb_status divided_unsure(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t unsure);

/* run.c */
wb_status barrier_execute(struct warp *warp, const struct micro *op, uint32_t mask);

/* The unsure executions: of an instruction that only writes registers; of one that exchanges values between
 * lanes; of what must be certain; of stores and atomics (memory_ops.c). */
wb_status unsure_outputs(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t unsure);
wb_status unsure_exchange(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t unsure);
wb_status unsure_control(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t unsure);
wb_status unsure_store(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t unsure);
wb_status unsure_sleep(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t unsure);

/* ---- Limits -------------------------------------------------------------------------------------------- */

/* Asks whether to go on, and checks the limits of instructions and memory, when run->instructions reaches
 * run->next_poll. WB_ERR_LIMIT with a message when it is the end. */
wb_status run_check_limits(struct run *run);

/* WB_ERR_LIMIT with a message when the run with what was kept of earlier blocks (run->kept) takes more than
 * run->memory_limit. Only what grows with what is executed is counted, so that the limit is met at the same
 * instruction in every run. */
wb_status run_check_memory(const struct run *run);

/* The same for the registers that all warps of a block have in a function, before any gets them. */
wb_status run_check_registers(const struct run *run, const struct function_code *code);

/* The same before a warp gets `size` bytes for registers of the function, which it then counts. */
wb_status run_count_registers(struct run *run, const struct ptx_function *function, uint64_t size);

/* The same before `size` bytes of contents are written to a buffer or variable, which it then counts. */
wb_status run_count_contents(struct run *run, const char *name, uint64_t size);

#endif
