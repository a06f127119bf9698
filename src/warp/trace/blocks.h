/* Shared code of executing one block and the blocks of a grid by themselves. */
#ifndef WB_WARP_TRACE_BLOCKS_H
#define WB_WARP_TRACE_BLOCKS_H

#include "warp/interpret/execute.h"
#include "warp/path/path.h"
#include "warp/trace/trace.h"

/* A run as the options ask for; they are those of a block, too (wb_trace_options), as a grid with one_block.
 * The options must outlive it. */
struct run run_as_asked(const wb_kernel *kernel, const wb_launch *launch, const wb_grid_options *options,
                        wb_diagnostics *diagnostics);

/* Numbers the instructions of the code and begins the run, as run_begin does. Facts (or NULL) must be
 * complete, of this kernel, and where they were found, of this launch. Errors other than exhausted memory
 * have messages.
 */
wb_status run_begin_as_asked(struct run *run, const wb_facts *facts, struct arena *arena,
                             uint32_t **code_first);

/* Lets the run execute its next block as if that were the only one, with what is left of a limit after so
 * many instructions of earlier blocks, and what was charged for those. */
void run_begin_alone(struct run *run, uint64_t limit, uint64_t instructions, uint64_t charged);

/* Lets the run skip passes of loops (affine_skip_passes). */
void run_skip_passes(struct run *run, const wb_grid_options *options);

/* Whether a run that ended so perhaps hangs on a value that passes which were not executed compute: none are
 * skipped then, all over again. */
bool run_needs_passes(const struct run *run, wb_status status);

/* Executes the block run->index and keeps what its warps do in `block`, which is empty but for kernel and
 * code_first. Errors other than exhausted memory have a message, but for WB_ERR_DECLINED when facts are
 * lacking (run->needs). */
wb_status block_execute(struct wb_block *block, struct run *run, bool record_accesses);

/* The same in two steps: before run_block, and after it. */
wb_status block_begin(struct wb_block *block, const struct run *run, bool record_accesses);
wb_status block_collect(struct wb_block *block, struct run *run);

/* Smaller grids are mostly executed sooner than by classes. */
#define CLASSES_FROM 64u

/* Executes one block of each class of blocks of the launch, and adds all blocks to the grid, of which is
 * known what is the same for all of them; `run` was begun for it. What it notes is the grid's, and what it
 * left open the run's. WB_ERR_DECLINED without a message: the blocks have to be executed one by one, and the
 * grid has none. */
wb_status grid_add_classes(struct wb_grid *grid, struct run *run, const wb_grid_options *options);

/* The distinct covering blocks of a grid (grid->covering) by hash. Zero-initialised there are none. */
struct covering_kinds {
    VEC(uint32_t) hashes;
};

/* Adds a covering block, of a kind, as the grid's next one. */
wb_status covering_place(struct wb_grid *grid, const struct wb_block *block, uint32_t covering);

/* Finds the kind of the block that was added last, and keeps it if it is the first of its kind; else frees
 * it, also after an error. */
wb_status covering_keep(struct wb_grid *grid, struct covering_kinds *kinds, struct wb_block *block);

/* As grid_add_classes, on covering paths: with the data that is given only where every block by itself would
 * take too long, as classes cover any data. */
wb_status grid_cover_classes(struct wb_grid *grid, struct run *run, const wb_grid_options *options,
                             struct covering_kinds *kinds);

/* Notes the memory that the run's blocks, which the grid has, access: its objects, and the variables that
 * they maybe store to. WB_ERR_LIMIT when memory is exhausted. */
wb_status grid_note_memory(struct wb_grid *grid, const struct run *run);

/* The memory that addresses of the run can be in, in the order in which records refer to it. WB_ERR_LIMIT,
 * without a message, when memory is exhausted. */
wb_status memory_objects_of(const struct run *run, struct memory_objects *objects);

/* Finds objects->uses of an executed block, or of all blocks of a grid, also for its covering blocks.
 * WB_ERR_LIMIT without a message when memory is exhausted. */
wb_status block_find_uses(struct wb_block *block);
wb_status grid_find_uses(struct wb_grid *grid);

/* Between grids and blocks: a block of a grid by itself, a block as a grid; and what grids are declined for.
 */

/* Makes the block number `number` of a grid without input-dependent warps, as wb_block_trace would have
 * recorded it; it refers to the grid's kernel. Free it with wb_block_free. WB_ERR_LIMIT with a message when
 * memory is exhausted. */
wb_status grid_block_make(const struct wb_grid *grid, uint32_t number, wb_diagnostics *diagnostics,
                          struct wb_block **block);

/* Makes a grid of one block, which was traced with its accesses; *grid is zero. Free it with grid_clear, also
 * after an error: WB_ERR_DECLINED with a message when not all accesses are known, WB_ERR_LIMIT with one when
 * memory is exhausted. */
wb_status grid_from_block(const struct wb_block *block, wb_diagnostics *diagnostics, struct wb_grid *grid);

/* Adds a block that was traced with its accesses as the grid's next one. WB_ERR_LIMIT without a message when
 * memory is exhausted: then the grid can only be cleared. */
wb_status grid_add_traced(struct wb_grid *grid, const struct wb_block *block);

/* Adds what is to be known of a covering block to what is known of the grid; its notes are the grid's own
 * business. WB_ERR_LIMIT without a message when memory is exhausted. */
wb_status grid_note_covering(struct wb_grid *grid, const struct wb_block *block);

/* Which instructions are barriers of the whole block, and how many there are; the grid's kernel, code_first
 * and block_size must be set. WB_ERR_LIMIT without a message when memory is exhausted. */
wb_status grid_find_barriers(struct wb_grid *grid);

/* Finds the most bytes of local memory that a thread accesses; of covering paths whether that depends on what
 * is executed. */
void grid_find_local_bytes(struct wb_grid *grid);

/* Declines covering paths, of which no warp executes everything: WB_ERR_DECLINED with a message. */
wb_status grid_decline_covering(const struct wb_grid *grid, wb_diagnostics *diagnostics);

/* Declines a grid that does not record everything its warps do: WB_ERR_DECLINED with a message, at the source
 * line when a warp's path depended on an unknown value, or it skipped a barrier. */
wb_status grid_decline_steered(const struct wb_grid *grid, wb_diagnostics *diagnostics);

/* Declines a grid of several blocks that start in clusters, together: WB_ERR_DECLINED with a message. */
wb_status grid_decline_clusters(const struct wb_grid *grid, wb_diagnostics *diagnostics);

#endif
