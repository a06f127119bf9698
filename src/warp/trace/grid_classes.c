/* The blocks of a grid by classes: one block of each is executed, and the others follow from it
 * (docs/block-classes.md). They come in the order in which all would be executed, so that the grid is the
 * same as if they were. */
#include "warp/trace/classes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"

/* Of more a list of blocks takes too much memory. */
#define LISTED_MAX (1u << 22)
/* Blocks that a class must have on average, once there are many. */
#define CLASS_BLOCKS_MIN 16u
#define CLASSES_FREE 64u
#define CLASSES_MAX 4096u
/* Warp instructions of a class after which passes of loops are looked for. */
#define PASSES_FROM 4096u
/* Where blocks are counted: classes, and blocks that stand for others. */
#define COUNTED_CLASSES_MAX 1024u
#define ALIKE_MAX (1u << 16)

/* ---- Runs ---------------------------------------------------------------------------------------------- */

static wb_status begin(struct classification *of, const struct run *like, const wb_grid_options *options) {
    struct lockstep *lockstep = &of->lockstep;
    const uint32_t warps = of->grid->warp_count;
    const wb_facts *facts = of->covering != NULL ? options->facts : NULL;
    lockstep->runs = of->runs;
    for (uint32_t r = 0; r < AFFINE_RUNS; r++) {
        struct run *run = &of->runs[of->begun++];
        uint32_t *code_first;
        *run = run_as_asked(like->kernel, like->launch, options, &of->messages);
        run->assumptions = like->assumptions;
        run->unknown_contents = run->of_class = true;
        run->steers = of->covering == NULL;
        WB_TRY(run_begin_as_asked(run, facts, &of->arena, &code_first));
        of->accesses[r] = arena_array(&of->arena, (size_t)warps + 1, sizeof *of->accesses[r]);
        if (of->accesses[r] == NULL) return WB_ERR_LIMIT;
    }
    of->paths = arena_array(&of->arena, (size_t)warps + 1, sizeof *of->paths);
    if (of->paths == NULL) return WB_ERR_LIMIT;
    return WB_OK;
}

static void end(struct classification *of) {
    if (of->covering != NULL) covering_class_end(of);
    for (uint32_t r = 0; r < of->begun; r++) {
        for (uint32_t w = 0; of->accesses[r] != NULL && w < of->grid->warp_count; w++)
            access_list_free(&of->accesses[r][w]);
        run_end(&of->runs[r]);
    }
    for (uint32_t w = 0; of->paths != NULL && w < of->grid->warp_count; w++)
        path_free(&of->paths[w]);
    for (size_t i = 0; i < of->classes.count; i++)
        vec_free(&of->classes.items[i].space.constraints);
    vec_free(&of->classes);
    diagnostics_clear(&of->messages);
    arena_free(&of->arena);
}

/* ---- A class ------------------------------------------------------------------------------------------- */

/* Runs the block at the origin of the space, and the next one along each axis in use. */
static wb_status run_blocks(struct classification *of, struct affine_space *space) {
    struct lockstep *lockstep = &of->lockstep;
    lockstep->space = space;
    lockstep->count = 1;
    for (uint32_t j = 0; j < AXES; j++)
        if (space->step[j] != 0) lockstep->axis[lockstep->count++] = (uint8_t)j;
    for (uint32_t r = 0; r < lockstep->count; r++) {
        struct run *run = &of->runs[r];
        for (uint32_t j = 0; j < AXES; j++)
            run->index[j] = space->origin[j] + (r != 0 && lockstep->axis[r] == j ? space->step[j] : 0);
        for (uint32_t w = 0; of->accesses[r] != NULL && w < run->warp_count; w++)
            of->accesses[r][w].items.count = of->accesses[r][w].tables.count =
                of->accesses[r][w].maybe_executed.count = 0;
    }
    if (of->covering != NULL) WB_TRY(covering_class_begin(of));
    return affine_run_block(lockstep, of->accesses);
}

/* Adds the block of run `r` to a grid of its own, with its paths copied. */
static wb_status add_copy(const struct classification *of, uint32_t r, struct wb_grid *apart) {
    struct path *copies = calloc((size_t)apart->warp_count + 1, sizeof *copies);
    wb_status status = copies == NULL ? WB_ERR_LIMIT : WB_OK;
    for (uint32_t w = 0; status == WB_OK && w < apart->warp_count; w++)
        status = path_copy(&of->runs[r].warps[w].path.path, &copies[w]);
    if (status == WB_OK) status = grid_add_block(apart, copies, of->accesses[r]);
    for (uint32_t w = 0; copies != NULL && w < apart->warp_count; w++)
        path_free(&copies[w]);
    free(copies);
    return status;
}

/* Finds by how much the bases of the origin's block move; in *unlike the axes along which the next block is
 * not the same but for its bases. */
static wb_status find_moves(const struct classification *of, struct wb_grid *apart, struct block_class *made,
                            uint8_t *unlike) {
    const struct lockstep *lockstep = &of->lockstep;
    *unlike = 0;
    assert(lockstep->count > 0);
    if (of->accesses[0] == NULL) return WB_OK;
    for (uint32_t r = 0; r < lockstep->count; r++)
        WB_TRY(add_copy(of, r, apart));
    const struct grid_block *blocks = apart->blocks.items;
    made->base_count = apart->shapes.items[0].base_count;
    for (uint32_t r = 1; r < lockstep->count; r++) {
        const uint32_t axis = lockstep->axis[r];
        uint64_t *moves = arena_array(&of->grid->arena, (size_t)made->base_count + 1, sizeof *moves);
        if (moves == NULL) return WB_ERR_LIMIT;
        if (blocks[r].shape != 0) *unlike |= (uint8_t)(1u << axis);
        for (uint32_t b = 0; blocks[r].shape == 0 && b < made->base_count; b++)
            moves[b] = apart->bases.items[blocks[r].first_base + b] - apart->bases.items[b];
        made->moves[axis] = moves;
    }
    return WB_OK;
}

/* Axes in use, as bits: what is tried, the most useful first. */
static const uint8_t tried_axes[] = {7, 6, 5, 3, 4, 2, 1, 0};
#define TRIED (sizeof tried_axes)

/* A space in which control or an address bent, as some of its axes were in use. */
struct bent_space {
    uint8_t axes, blamed;
};

/* Whether it would bend again with other axes in use: all that are to blame still are. */
static bool bends_again(const struct bent_space bent[TRIED], uint32_t count, uint8_t axes) {
    bool again = false;
    for (uint32_t i = 0; i < count; i++)
        again |= ((axes ^ bent[i].axes) & bent[i].blamed) == 0;
    return again;
}

/* Puts the origin of an empty space at an index; returns the axes that are then in use. */
static uint8_t begin_space(const struct classification *of, const uint32_t index[AXES], uint8_t axes,
                           struct affine_space *space) {
    uint8_t in_use = 0;
    space->constraints.count = 0;
    memset(space->recent, 0, sizeof space->recent);
    space->failed = false;
    for (uint32_t j = 0; j < AXES; j++) {
        const bool used = (axes >> j & 1) != 0 && of->period[j] < of->grid->dimensions[j] - index[j];
        space->origin[j] = index[j];
        space->step[j] = used ? of->period[j] : 0;
        in_use |= (uint8_t)((uint32_t)used << j);
    }
    return in_use;
}

/* Executes the block at the origin and its neighbours. WB_ERR_DECLINED: see of->lockstep.bend. */
static wb_status execute_space(struct classification *of, struct block_class *made) {
    struct wb_grid apart = {.warp_count = of->grid->warp_count,
                            .instruction_count = of->grid->instruction_count};
    uint8_t unlike = 0;
    WB_TRY(run_blocks(of, &made->space));
    wb_status status = find_moves(of, &apart, made, &unlike);
    grid_clear(&apart);
    if (status != WB_OK || unlike == 0) return status;
    of->lockstep.bend = (struct affine_bend){.axes = unlike};
    return WB_ERR_DECLINED;
}

/* The same; where what skipped passes compute maybe matters, with all passes. */
static wb_status try_space(struct classification *of, const uint32_t index[AXES], uint8_t axes,
                           struct block_class *made) {
    of->lockstep.search = of->search.from != UINT64_MAX ? &of->search : NULL;
    const wb_status status = execute_space(of, made);
    if (status != WB_ERR_DECLINED || of->lockstep.search == NULL || !of->search.skips ||
        of->lockstep.bend.data)
        return status;
    of->lockstep.search = NULL;
    (void)begin_space(of, index, axes, &made->space);
    return execute_space(of, made);
}

/* Makes steps longer along an axis where that may help. */
static bool lengthen_steps(struct classification *of, const struct affine_bend *bend,
                           const uint32_t index[AXES], uint8_t axes) {
    for (uint32_t j = 0; j < AXES; j++) {
        const uint64_t period = (uint64_t)of->period[j] * bend->period[j];
        if ((axes >> j & 1) == 0 || bend->period[j] == 0 || index[j] + period >= of->grid->dimensions[j])
            continue;
        of->period[j] = (uint32_t)period;
        return true;
    }
    return false;
}

/* Executes the block at `index`, the first one of a class, and finds the class in *made. WB_ERR_DECLINED:
 * there is none. */
static wb_status find_class(struct classification *of, const uint32_t index[AXES], struct block_class *made) {
    const struct affine_bend *bend = &of->lockstep.bend;
    struct bent_space bent[TRIED];
    uint32_t count = 0, period[AXES];
    memcpy(period, of->period, sizeof period);
    for (uint32_t i = 0; i < TRIED;) {
        const uint8_t axes = begin_space(of, index, tried_axes[i], &made->space);
        if (bends_again(bent, count, axes)) {
            i++;
            continue;
        }
        const wb_status status = try_space(of, index, tried_axes[i], made);
        if (status != WB_ERR_DECLINED) return status;
        if ((bend->data && of->covering == NULL) || (bend->axes & axes) == 0) return WB_ERR_DECLINED;
        if (lengthen_steps(of, bend, index, axes)) continue;
        memcpy(of->period, period, sizeof period); /* longer steps were of no use */
        bent[count++] = (struct bent_space){axes, bend->axes & axes};
        i++;
    }
    return WB_ERR_DECLINED;
}

/* ---- The grid ------------------------------------------------------------------------------------------ */

static void begin_row(const struct classification *of, struct block_class *class,
                      const uint32_t index[AXES]) {
    class->in_row =
        affine_row(&class->space, of->grid->dimensions, index, &class->first, &class->last, class->q);
}

/* Whether the block at x of the row at hand is of the class. */
static bool has_block(struct block_class *class, uint32_t x) {
    const int64_t away = (int64_t)x - class->space.origin[0], step = class->space.step[0];
    if (!class->in_row || (step == 0 ? away != 0 : away % step != 0)) return false;
    class->q[0] = step == 0 ? 0 : away / step;
    return class->first <= class->q[0] && class->q[0] <= class->last;
}

/* Adds the block that class->q says. */
static wb_status add_member(struct classification *of, struct block_class *class) {
    struct wb_grid *grid = of->grid;
    const struct grid_block block = {.shape = class->shape, .first_base = grid->bases.count};
    WB_TRY(vec_reserve(&grid->bases, class->base_count));
    for (uint32_t b = 0; b < class->base_count; b++) {
        uint64_t base = class->bases[b];
        for (uint32_t j = 0; j < AXES; j++)
            if (class->space.step[j] != 0) base += class->moves[j][b] * (uint64_t) class->q[j];
        grid->bases.items[grid->bases.count++] = base;
    }
    WB_TRY(vec_push(&grid->blocks, block));
    return of->covering == NULL ? WB_OK : covering_class_place(of, class);
}

/* Adds the block of the origin, executed on its real paths. */
static wb_status add_executed(struct classification *of) {
    struct run *run = &of->runs[0];
    for (uint32_t w = 0; w < run->warp_count; w++)
        WB_TRY(path_hand_over(&run->warps[w].path, &of->paths[w]));
    return grid_add_block(of->grid, of->paths, of->accesses[0]);
}

/* Adds the block at `index` as the first one of a class. */
static wb_status add_first(struct classification *of, const uint32_t index[AXES]) {
    struct wb_grid *grid = of->grid;
    struct block_class made = {.in_row = false};
    wb_status status = find_class(of, index, &made);
    if (status == WB_OK) status = of->covering != NULL ? covering_class_add(of, &made) : add_executed(of);
    if (status == WB_OK) {
        const struct grid_block *block = &grid->blocks.items[grid->blocks.count - 1];
        made.shape = block->shape;
        made.bases = arena_array(&grid->arena, (size_t)made.base_count + 1, sizeof *made.bases);
        if (made.bases == NULL) status = WB_ERR_LIMIT;
        for (uint32_t b = 0; made.bases != NULL && b < made.base_count; b++)
            made.bases[b] = grid->bases.items[block->first_base + b];
    }
    if (status == WB_OK) status = vec_push(&of->classes, made);
    if (status != WB_OK) vec_free(&made.space.constraints);
    return status;
}

/* Adds the blocks of a row, x first. */
static wb_status add_row(struct classification *of, uint32_t index[AXES]) {
    size_t last = 0;
    for (size_t i = 0; i < of->classes.count; i++)
        begin_row(of, &of->classes.items[i], index);
    for (index[0] = 0; index[0] < of->grid->dimensions[0]; index[0]++) {
        size_t class = last;
        if (class >= of->classes.count || !has_block(&of->classes.items[class], index[0]))
            for (class = 0; class < of->classes.count; class ++)
                if (has_block(&of->classes.items[class], index[0])) break;
        last = class;
        if (class < of->classes.count) {
            WB_TRY(add_member(of, &of->classes.items[class]));
            continue;
        }
        const size_t classes = of->classes.count;
        if (classes >= CLASSES_MAX ||
            (classes >= CLASSES_FREE && of->grid->blocks.count < CLASS_BLOCKS_MIN * classes))
            return WB_ERR_DECLINED;
        WB_TRY(add_first(of, index));
        begin_row(of, &of->classes.items[classes], index);
    }
    return WB_OK;
}

static wb_status add_blocks(struct classification *of) {
    const uint32_t *grid = of->grid->dimensions;
    uint32_t index[AXES] = {0};
    WB_TRY(vec_reserve(&of->grid->blocks, (size_t)grid[0] * grid[1] * grid[2]));
    for (index[2] = 0; index[2] < grid[2]; index[2]++)
        for (index[1] = 0; index[1] < grid[1]; index[1]++) {
            WB_TRY(add_row(of, index));
            of->runs[0].kept = grid_bytes(of->grid);
            WB_TRY(run_check_memory(&of->runs[0]));
        }
    return WB_OK;
}

/* ---- Grids of too many blocks to list ------------------------------------------------------------------ */

/* Blocks first, first + step, ... up to last along each axis. */
struct box {
    uint32_t first[AXES], last[AXES], step[AXES];
};

struct boxes {
    VEC(struct box) items; /* disjoint: of blocks that are in no class yet */
};

/* Takes those of the box out of which `kept` consists along the axis, step by step; what is left joins the
 * others. */
static wb_status split(struct boxes *left, struct box *box, uint32_t axis, const struct box *kept) {
    for (uint32_t r = box->step[axis]; r < kept->step[axis]; r += box->step[axis]) {
        struct box rest = *box;
        if (rest.last[axis] - rest.first[axis] < r) break;
        rest.first[axis] += r;
        rest.step[axis] = kept->step[axis];
        WB_TRY(vec_push(&left->items, rest));
    }
    struct box rest = *box;
    box->step[axis] = kept->step[axis];
    box->last[axis] = kept->last[axis];
    if (rest.last[axis] - kept->last[axis] < kept->step[axis]) return WB_OK;
    rest.first[axis] = kept->last[axis] + kept->step[axis];
    rest.step[axis] = kept->step[axis];
    return vec_push(&left->items, rest);
}

/* The blocks of a box that are of the class of its first one: a box, from that on. */
static struct box box_of_class(const struct block_class *class, const struct box *in) {
    struct box box = *in;
    int64_t last[AXES] = {0};
    for (uint32_t j = 0; j < AXES; j++) {
        const uint32_t step = class->space.step[j], extent = in->last[j] - in->first[j];
        box.last[j] = in->first[j];
        if (step == 0) continue;
        assert(step % in->step[j] == 0); /* steps only become longer */
        box.step[j] = step;
        last[j] = affine_reach(&class->space, last, j, extent / step);
        box.last[j] += (uint32_t)last[j] * step;
    }
    return box;
}

/* After how many blocks of the class along an axis all bases have moved by whole lines. */
static uint32_t alike_after(const struct block_class *class, uint32_t axis) {
    uint64_t bits = MEMORY_LINE_BYTES;
    for (uint32_t b = 0; class->space.step[axis] != 0 && b < class->base_count; b++)
        bits |= class->moves[axis][b];
    return MEMORY_LINE_BYTES / (uint32_t)(bits & -bits);
}

/* Adds the blocks of a class in a box, whose first one the grid has, each for all that are alike. */
static wb_status add_box(struct classification *of, struct block_class *class, const struct box *box) {
    struct wb_grid *grid = of->grid;
    uint32_t period[AXES], r[AXES];
    for (uint32_t j = 0; j < AXES; j++)
        period[j] = alike_after(class, j);
    for (r[2] = 0; r[2] < period[2]; r[2]++)
        for (r[1] = 0; r[1] < period[1]; r[1]++)
            for (r[0] = 0; r[0] < period[0]; r[0]++) {
                struct blocks_alike alike = {.count = 1};
                for (uint32_t j = 0; j < AXES; j++) {
                    const uint32_t most = (box->last[j] - box->first[j]) / box->step[j];
                    alike.index[j] = box->first[j] + r[j] * box->step[j];
                    alike.count *= r[j] > most ? 0 : (most - r[j]) / period[j] + 1;
                    class->q[j] = r[j];
                }
                if (alike.count == 0) continue;
                if (grid->alike.count >= ALIKE_MAX) return WB_ERR_DECLINED;
                if (grid->alike.count == grid->blocks.count) WB_TRY(add_member(of, class));
                WB_TRY(vec_push(&grid->alike, alike));
            }
    return WB_OK;
}

/* Finds the class of the first block of a box that is left, until none is. */
static wb_status count_boxes(struct classification *of, struct boxes *left) {
    while (left->items.count > 0) {
        struct box box = left->items.items[--left->items.count];
        if (of->classes.count >= COUNTED_CLASSES_MAX) return WB_ERR_DECLINED;
        WB_TRY(add_first(of, box.first));
        struct block_class *class = &of->classes.items[of->classes.count - 1];
        const struct box kept = box_of_class(class, &box);
        for (uint32_t j = 0; j < AXES; j++)
            WB_TRY(split(left, &box, j, &kept));
        WB_TRY(add_box(of, class, &kept));
        of->runs[0].kept = grid_bytes(of->grid);
        WB_TRY(run_check_memory(&of->runs[0]));
    }
    return WB_OK;
}

static wb_status count_blocks(struct classification *of) {
    struct wb_grid *grid = of->grid;
    struct boxes left = {0};
    struct box whole = {.step = {1, 1, 1}};
    for (uint32_t j = 0; j < AXES; j++)
        whole.last[j] = grid->dimensions[j] - 1;
    wb_status status = vec_push(&left.items, whole);
    if (status == WB_OK) status = count_boxes(of, &left);
    vec_free(&left.items);
    grid->counted = (uint64_t)grid->dimensions[0] * grid->dimensions[1] * grid->dimensions[2];
    return status;
}

/* Finds all classes, and adds all blocks; what runs noted is in those of *of. */
static wb_status classify(struct classification *of, const struct run *run, const wb_grid_options *options) {
    const uint64_t least = options->classes_from != 0 ? options->classes_from : CLASSES_FROM;
    const uint64_t counted_from = options->counted_from != 0 ? options->counted_from : LISTED_MAX + 1;
    const uint64_t rows = (uint64_t)run->grid[0] * run->grid[1]; /* at most 2^62 */
    const uint64_t blocks = rows > UINT32_MAX ? rows : rows * run->grid[2];
    if (options->one_block || blocks < least || blocks >= UINT32_MAX ||
        ptx_in_clusters(kernel_function(run->kernel)))
        return WB_ERR_DECLINED;
    if (blocks >= counted_from && of->covering != NULL) return WB_ERR_DECLINED;
    of->search.from = of->covering != NULL ? UINT64_MAX : options->passes_from;
    if (of->search.from == 0) of->search.from = PASSES_FROM;
    wb_status status = begin(of, run, options);
    if (status == WB_OK) status = blocks < counted_from ? add_blocks(of) : count_blocks(of);
    if (status == WB_OK) of->grid->executed = of->classes.count;
    return status;
}

/* Ends it, with what it came to. */
static wb_status finish(struct classification *of, wb_status status, struct run *run) {
    const bool over_limit = of->messages.over_limit;
    if (status == WB_ERR_LIMIT && over_limit) wb_diagnostics_append(run->diagnostics, &of->messages);
    end(of);
    if (status != WB_OK) grid_restart(of->grid);
    /* Memory for several runs may lack where that for one suffices. */
    const bool again = status == WB_ERR_INPUT || (status == WB_ERR_LIMIT && !over_limit);
    return again ? WB_ERR_DECLINED : status;
}

wb_status grid_add_classes(struct wb_grid *grid, struct run *run, const wb_grid_options *options) {
    struct classification of = {.grid = grid, .period = {1, 1, 1}};
    wb_status status = classify(&of, run, options);
    if (status == WB_OK) {
        grid->notes = of.runs[0].notes;
        run->left_open |= of.runs[0].left_open;
        status = grid_note_memory(grid, &of.runs[0]);
    }
    return finish(&of, status, run);
}

wb_status grid_cover_classes(struct wb_grid *grid, struct run *run, const wb_grid_options *options,
                             struct covering_kinds *kinds) {
    struct covering_classes covering = {.options = options, .kinds = kinds, .limit = run->instruction_limit};
    struct classification of = {.grid = grid, .period = {1, 1, 1}, .covering = &covering};
    const wb_status status = classify(&of, run, options);
    for (size_t i = 0; status == WB_OK && i < run->memory.regions.count; i++)
        run->memory.regions.items[i].stored |= of.runs[0].memory.regions.items[i].stored;
    return finish(&of, status, run);
}
