/* Executing instructions: all that micro.execute and micro.unsure may be, one file for each kind of
 * instruction, and what they report and forget. */
#ifndef WB_WARP_INTERPRET_EXECUTE_H
#define WB_WARP_INTERPRET_EXECUTE_H

#include <stdint.h>

#include "launch/launch.h"
#include "machine/occupancy.h"
#include "ptx/ptx.h"
#include "warp/interpret/warp.h"
#include "warpbound.h"

/* Reports an error about the instruction and returns `status`. */
wb_status warp_fail(const struct warp *warp, const struct micro *op, wb_status status, const char *format,
                    ...) __attribute__((format(printf, 4, 5)));

/* Values that an instruction cannot be executed without; the first two are about where and how much it
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

/* Returns WB_ERR_DECLINED because the value of `slot` is not known in the lanes of `lanes`: the warp's path
 * depends on it (run.steers), or a message says where it came from. */
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

/* That those are members which are here, as the mask is not known. */
static inline void run_assume_members(struct run *run) {
    run_assume(run, ASSUMED_MEMBERS_TOGETHER);
    run->guessed = true;
}

/* Beside what the PTX ISA leaves open: what atomics return, and what they leave where their order shows in
 * memory, as warps come to them in any order. Nobody can ask for it: it is taken for what comes of the order
 * here where the given data leaves control or an address open otherwise, and no bound rests on that. */
#define OPEN_ATOMIC_ORDER LAUNCH_ASSUMPTIONS

/* Whether the run takes results that the PTX ISA leaves open for known; notes that it does. */
bool open_is_assumed(struct run *run, enum launch_assumption what);

/* The assumptions of the next execution with the given data, after one that assumed `assumed` and left
 * `left_open` open: the order of atomics only if nothing else is left, and not if every order is asked for.
 * */
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
wb_status stmatrix_execute(struct warp *warp, const struct micro *op, uint32_t mask);
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

/* The addresses of one executed memory instruction: where each lane's bytes are, and the record of them. */

/* Appends a record of the lanes of `access->mask`, whose addresses count from the start of the space.
 * WB_ERR_LIMIT, without a message, when memory is exhausted. */
wb_status access_append(struct access_list *list, const uint64_t addresses[WARP_LANES],
                        struct access *access);

/* Computes the generic addresses of an operand in every lane of `mask`. WB_ERR_DECLINED when the base is
 * unknown in one of these lanes, WB_ERR_INPUT when an address is outside of the operand's state space. */
wb_status access_addresses(struct warp *warp, const struct micro *op, const struct micro_address *address,
                           uint32_t mask, uint64_t addresses[WARP_LANES]);

/* The same without messages: false in both cases. */
bool access_addresses_known(const struct warp *warp, const struct micro_address *address, uint32_t mask,
                            uint64_t addresses[WARP_LANES]);

/* The region that holds `bytes` bytes at every address of `mask`, all aligned to `align`, or NULL: then lanes
 * have to be looked at one by one. */
struct region *access_common_region(const struct warp *warp, const struct micro *op, uint32_t mask,
                                    const uint64_t addresses[WARP_LANES], uint32_t bytes, uint32_t align);

/* Where a lane's `bytes` bytes are; at most 8 of them from each `place` on, bytes >= 8 asks for several units
 * that follow one another. WB_ERR_INPUT with a message when the address is not aligned, or in no region
 * unless the run allows that. */
wb_status access_place(const struct warp *warp, const struct micro *op, uint32_t lane, uint64_t address,
                       uint32_t bytes, bool is_store, struct place *place);

/* The effect of an access, for its record. */
struct access_kind {
    uint32_t bytes; /* per lane */
    bool is_store, is_atomic;
};

/* Records the access to operand `address` if the run records accesses: once for each state space that a
 * generic address meets. WB_ERR_LIMIT with a message when memory is exhausted. */
wb_status access_record(struct warp *warp, const struct micro *op, const struct micro_address *address,
                        uint32_t mask, const uint64_t addresses[WARP_LANES], struct access_kind kind);

/* Records an access whose addresses are not known: `kind` says what the lanes of `mask` do. A generic address
 * is recorded for global memory (or local memory if there is any) and for shared memory. */
wb_status access_record_unknown(struct warp *warp, const struct micro *op,
                                const struct micro_address *address, uint32_t mask, struct access_kind kind);

/* Whether two lists are of the same accesses but for their known addresses. */
bool access_lists_alike(const struct access_list *a, const struct access_list *b);

/* WB_ERR_LIMIT with a message unless so many passes with `count` accesses can be recorded. */
wb_status access_need_room(const struct warp *warp, uint64_t passes, size_t count);

/* Appends the last records of the list, those of a pass of a loop with `length` instructions, `times` more
 * times: per pass, addresses move by what those of `next` differ from those of `pass`, which are alike. What
 * is appended is what would have been recorded. WB_ERR_LIMIT, without a message, when memory is exhausted. */
wb_status access_repeat(struct access_list *list, const struct access_list *pass,
                        const struct access_list *next, uint64_t length, uint64_t times);

/* Whether other warps can reach the memory of an access, as far as its state space says. */
bool access_is_shared(const struct run *run, const struct micro *op);

/* Whether a lane's access is one without an error: aligned, in memory that is there and may be written. */
bool access_is_possible(const struct warp *warp, uint64_t address, uint32_t bytes, bool is_store);

/* The SIMT stack and the call frames of a warp. */

/* Adds lanes to the side with that target, or opens a new one. Sides stand in the order of their targets in
 * the function, which does not depend on which lanes there are. */
void side_add(struct side *sides, uint32_t *count, uint32_t pc, uint32_t mask);

/* Enters a function for the lanes of `mask`; `call` made the frame, NULL for the kernel. WB_ERR_LIMIT with a
 * message when memory is exhausted. */
wb_status frame_push(struct warp *warp, const struct micro *call, const struct function_code *code,
                     uint32_t mask);

/* Ends the current frame: the caller goes on behind its call. */
void frame_pop(struct warp *warp);

/* Hands what the current frame's function returns to its caller, in the lanes of `mask`. */
void return_results(struct warp *warp, uint32_t mask);

/* Makes what the caller gets unknown in the lanes of `mask`, and in those of `stored` what it gets in .param
 * variables. */
void forget_results(struct warp *warp, uint32_t mask, uint32_t stored);

/* Drops entries whose lanes have ended or met the others, and frames that all lanes have left; the warp is
 * done when no frame is left. Lanes that wait for others at the top go on: WB_ERR_DECLINED with a message
 * when not all of them have come. */
wb_status simt_settle(struct warp *warp);

/* Where lanes of a warp of machine code meet that branches have divided (docs/convergence.md).
 *
 * BSSY leaves an entry on the SIMT stack that waits where its lanes will go on together, below the one that
 * executes on; BSYNC takes lanes to it, and it goes on when nothing is above it any more. The sets B0 .. B15,
 * from which BREAK takes lanes, say whether all have come then that hardware would wait for. WARPSYNC and BAR
 * leave such an entry where the lowest entry is whose lanes they wait for. */

/* The value in the lanes of `mask`, which are some; false where it is not the same or not known in all. */
static inline bool lanes_agree(const struct lanes *lanes, uint32_t mask, uint32_t *value) {
    assert(mask != 0);
    *value = (uint32_t)lanes->value[__builtin_ctz(mask)];
    FOR_LANES_OF(l, mask) if ((uint32_t)lanes->value[l] != *value) return false;
    return (mask & ~lanes->known) == 0;
}

/* Whether the warp executes machine code. */
static inline bool warp_is_machine_code(const struct warp *warp) {
    return ptx_is_machine_code(warp->frame->code->function);
}

/* The assumptions of a branch that divides lanes. */
static inline enum assumed divided_lanes_assumed(const struct warp *warp) {
    return warp_is_machine_code(warp) ? ASSUMED_DIVIDED_MACHINE_LANES : ASSUMED_DIVIDED_LANES;
}

/* In machine code: a side that comes to BSYNC at once is executed before the others, so that lanes that leave
 * a loop one after another need not all be kept. */
void meeting_side_first(const struct warp *warp, struct side *sides, uint32_t count);

/* The entry, below the top one, where the lanes go on that execute BSYNC of a set in front of instruction
 * `pc`; SIZE_MAX: none. */
size_t meeting_of(const struct warp *warp, uint32_t set, uint32_t pc);

/* The top entry, where lanes have waited, goes on. */
wb_status meeting_end(struct warp *warp, struct simt_entry *top);

/* For part of a warp that comes to a barrier of the block: it waits for the others first. */
wb_status meeting_before_barrier(struct warp *warp, const struct micro *op, uint32_t mask, bool *waits);

/* WB_ERR_DECLINED with a message unless all lanes of the top entry execute an instruction. */
wb_status meeting_needs_all(struct warp *warp, const struct micro *op, uint32_t mask);

/* Lanes of which single bits are known, halves and bytes mostly: a half that was written to a register that
 * holds nothing yet, a byte in memory whose neighbours are not known. Such a lane is unknown to whoever looks
 * at it as a whole, but its `bits` are known (struct half), and what is computed from them alone is, too
 * (alu.h). Numbers only: of addresses no bits are known here. */

/* The bits of a lane that are known. */
static inline uint64_t partial_bits(const struct lanes *lanes, uint32_t lane) {
    if ((lanes->known >> lane & 1) != 0)
        return lanes->base_region == 0 || (lanes->numbers >> lane & 1) != 0 ? UINT64_MAX : 0;
    return (lanes->partial >> lane & 1) != 0 ? lanes->half.bits[lane] : 0;
}

/* The known part of results with unknown sources: the lanes that are known nevertheless, and those of which
 * some bits are. */
struct partial_lanes {
    uint32_t known, partial;
    uint64_t bits[WARP_LANES];
};

/* Adds a lane, `bits` of whose register's bits `all` are known. */
static inline void partial_add(struct partial_lanes *lanes, uint32_t lane, uint64_t bits, uint64_t all) {
    lanes->known |= (uint32_t)((~bits & all) == 0) << lane;
    lanes->partial |= (uint32_t)((~bits & all) != 0 && (bits & all) != 0) << lane;
    lanes->bits[lane] = bits & all;
}

/* The result of an instruction that computes a value in each lane, in the lanes of `mask`, in which some
 * source is unknown. The destination is not written yet. */
void partial_of_result(const struct warp *warp, const struct micro *op, uint32_t mask,
                       struct partial_lanes *out);

/* The same of machine.add3. */
void partial_of_add3(const struct warp *warp, const struct micro *op, uint32_t mask,
                     struct partial_lanes *out);

/* Parts of a register put together, and part `index` of the parts of one, in the lanes of `mask`, of which
 * single bits are known. */
void partial_of_pack(const struct warp *warp, const struct micro *op, uint32_t mask,
                     struct partial_lanes *out);
void partial_of_part(const struct lanes *in, const struct micro *op, uint32_t index, uint32_t mask,
                     struct partial_lanes *out);

/* Notes in a register that was just written what is known of lanes that are unknown as a whole. */
void partial_write(struct lanes *out, const struct partial_lanes *lanes);
void partial_write_lane(struct lanes *out, uint32_t lane, uint64_t bits);

/* Results that the PTX ISA leaves open: it bounds the error of approximate functions and does not say what an
 * integer division by zero gives. They are unknown unless the launch takes them for what is computed here,
 * or where, with the data that it gives, control or an address depends on them: that is then assumed. */

/* Whether some results of the form are open. Sets op->open, and op->execute to open_execute, if so; to be
 * called when op->execute and op->compute are set. */
void open_result_decode(struct micro *op);

/* The name of what the launch has to assume for the results of a form to be known, or NULL. */
const char *open_result_assumption(const struct ptx_form *form);

/* Executing an instruction of machine code notes the assumptions of its result; an approximate function that
 * is refined is not open. Call it in place of open_result_decode, for one with assumptions. */
void relying_decode(struct micro *op);

/* Products that a compiler may join with a sum of them to one fused multiply-add, which rounds once: the PTX
 * ISA allows it where neither names a rounding (mul, and add), and ptxas does it (-fmad=true is its default),
 * where it likes. The sum then has one of two results, and is left open where they differ.
 *
 * What can be a product is decided by value, so that it does not matter on which way it came to the sum,
 * through moves, halves, calls, memory or other lanes: an operand that is equal, but for the sign, to a
 * product that some thread of the block has rounded is taken for that product. Products that are exact
 * are not remembered, as rounding once makes no difference to them. */

struct micro;
struct program;
struct warp;

/* Makes an instruction of PTX remember its products, or look at those it adds. Call it when op->execute is
 * set. */
void contraction_decode(struct program *program, struct micro *op);

/* Remembers results of an approximate function in the lanes of `mask`: the last step of one may be a
 * multiplication (x / y is x times the reciprocal of y), of which is not known what it rounds. */
wb_status contraction_approximate(struct warp *warp, const struct micro *op, uint32_t mask);

/* The memory before the first block runs: the variables of the module, the buffers, the parameters of the
 * kernel. */

/* Creates the regions of buffers, parameters and of those variables of the module that the kernel can reach,
 * and fills them. `const` variables without an initialiser are unknown unless the launch gives their
 * contents: only the host can have written them; `.global` ones are zero. */
wb_status image_load(struct run *run, struct arena *arena);

/* The region of buffer argument `argument`, or of the first field of one; NULL when it is none. */
struct region *image_buffer(const struct run *run, size_t argument);

/* The buffer that a region is; NULL: it is none. */
const struct argument_buffer *image_argument_of(const struct run *run, const struct region *region);

/* The execution of a launch: what is done once for all its blocks, and one block after another. */

/* Checks the launch, decodes the code and fills the memory of a run in which kernel, launch, diagnostics,
 * watch, instruction_limit (0: 10^8), memory_limit (0: 2 GiB), warp_width (0: WARP_LANES), steers,
 * allow_unmapped and the block's index are set (`assumptions` may be), and all else is zero. The arena and
 * code_first must outlive it. End it with run_end in any case. */
wb_status run_begin(struct run *run, struct arena *arena, const uint32_t *code_first);

/* Forgets what executions of blocks have noted so far: what they take for granted and do not record. */
void run_forget_notes(struct run *run);

/* Executes the block run->index on the current memory: all warps until they are done (or their path depends
 * on unknown values), recording their accesses unless `accesses` (of each warp, emptied by the caller) is
 * NULL. */
wb_status run_block(struct run *run, struct access_list *accesses);

/* Whether a special register is the same in all threads of a block and another in the next block along an
 * axis; 3: along none. */
bool special_counts_blocks(uint32_t sreg, uint32_t *axis);

/* The same by steps, for runs that go side by side. Fresh warps and unknown shared memory for a block: */
wb_status run_begin_block(struct run *run, struct access_list *accesses);

/* The instruction that the warp, which is ready, executes next, and in which lanes; NULL: it settles its
 * stack. */
const struct micro *warp_next(struct warp *warp, uint32_t *active);

/* Does that. */
wb_status warp_advance(struct warp *warp);

/* Releases the barriers that wait for nobody but warps that are done, after one was. */
void barrier_warp_done(struct run *run);

/* Goes on to the next block of the grid, x first; false behind the last. */
bool run_next_block(struct run *run);

void run_end(struct run *run);

/* Whether a launch says all that a kernel needs, and fits it. */

/* Checks grid and block of the launch against the kernel, its arguments against the parameters, and that
 * block `index` (three numbers) is one of the grid. WB_ERR_INPUT with messages that say all that is missing,
 * to be filled in or wrong, and what is expected. */
wb_status launch_check(const struct wb_kernel *kernel, const struct wb_launch *launch, const uint32_t *index,
                       wb_diagnostics *diagnostics);

/* The resources of an SM that a block of a launch takes, known without executing anything. */

/* The registers of a thread, by launch and kernel. */
struct register_facts launch_registers(const struct wb_kernel *kernel, const struct wb_launch *launch);

/* The same of a block that was executed. */
struct wb_block;
struct block_demand block_demand_of(const struct wb_block *block);

#endif
