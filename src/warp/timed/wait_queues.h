/* Who keeps what instructions wait for in queues (struct timed_queue): either as times, one a register, or as
 * the instructions themselves. Both say the same: a register of a queue stands for all that joined the queue
 * before a certain commit, so that leaving out instructions, commits among them, never makes a time later
 * (docs/covering-paths.md, section 6). */
#ifndef WB_WARP_TIMED_WAIT_QUEUES_H
#define WB_WARP_TIMED_WAIT_QUEUES_H

#include "base/arena.h"
#include "warp/timed/timed_block.h"

/* Most groups that a wait can leave under way: a queue has a register for each. */
#define WAIT_GROUPS_MAX 64u

/* The queue that a register belongs to, or QUEUE_COUNT. */
enum wait_queue wait_queue_of(const struct timed_code *code, uint32_t reg);

/* Notes an instruction whose result is there at time `at`: times[r * stride] is when register r can be read.
 */
void wait_queues_step(const struct timed_code *code, const struct timed_inst *inst, cycles *times,
                      size_t stride, cycles at);

/* An instruction that joined a queue, and the commits of the queue before. */
struct queue_member {
    uint32_t position;
    uint64_t commits;
};

/* The instructions of a stretch of a path that nothing has waited for yet. Zero-initialised it is empty. */
struct queue_members {
    VEC(struct queue_member) members[QUEUE_COUNT];
    uint64_t commits[QUEUE_COUNT];
    VEC(uint32_t) taken; /* by the last queue_members_take */
};

/* Notes an instruction at a position of the path, or with whatever else it is to be known by. WB_ERR_LIMIT
 * when memory is exhausted. */
wb_status queue_members_note(struct queue_members *queues, const struct timed_code *code,
                             const struct timed_inst *inst, uint32_t position);

/* The next instruction reads `reg`: what it waits for goes to queues->taken, in the order of the path;
 * nothing where the register belongs to no queue. It need not be waited for again: whatever follows is issued
 * later. WB_ERR_LIMIT when memory is exhausted. */
wb_status queue_members_take(struct queue_members *queues, const struct timed_code *code, uint32_t reg);

/* Forgets all instructions and commits. */
void queue_members_clear(struct queue_members *queues);

void queue_members_free(struct queue_members *queues);

#endif
