/* Loops of paths are walked by skipping their repetitions: the result must be what walking every instruction
 * gives, in every field. The walker here knows no folds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bound/analysis/analysis.h"
#include "bound/profile/max_plus.h"
#include "bound/profile/profile.h"
#include "bound/profile/sections.h"
#include "random_block.h"

#define UNLIMITED DEPTH_UNLIMITED
#define REGISTERS 16u
#define UNITS_MAX 4u
#define SUB_CORES_MAX 2u

/* Every instruction of a path, one after the other. */
struct steps {
    VEC(uint32_t) items;
};

static void add_entries(const struct path *path, size_t first, size_t end, struct steps *steps) {
    for (size_t e = first; e < end; e++) {
        const struct path_entry entry = path->entries.items[e];
        if (entry.count == PATH_REPEAT) {
            for (uint32_t i = 0; i < entry.mask; i++)
                add_entries(path, e - entry.first, e, steps);
        }
        for (uint32_t i = 0; i < entry.count; i++)
            assert_int_equal(vec_push(&steps->items, entry.first + i), WB_OK);
    }
}

/* A queue: the largest time of all that joined, and what it was before each commit. */
struct naive_queue {
    cycles all;
    VEC(cycles) before;
};

static void queue_note(struct naive_queue *queue, bool joins, bool commits, cycles at) {
    if (joins) queue->all = cycles_max(queue->all, at);
    if (commits) assert_int_equal(vec_push(&queue->before, queue->all), WB_OK);
}

/* The largest time of all that joined before the `since`-th last commit. */
static cycles queue_time(const struct naive_queue *queue, uint32_t since) {
    if (since == 0) return queue->all;
    return since > queue->before.count ? 0 : queue->before.items[queue->before.count - since];
}

static void queue_clear(struct naive_queue *queue) {
    queue->all = queue->before.count = 0;
}

/* A warp alone, by the rules R1 to R4 of docs/proofs.md and nothing else; one instance of every unit. */
struct naive_warp {
    struct steps steps;
    size_t next;
    cycles latencies[REGISTERS];                                           /* per register */
    struct naive_queue joined[QUEUE_COUNT], joined_latencies[QUEUE_COUNT]; /* of the section, of the path */
    cycles latency, latency_complete;
    cycles sent[UNITS_MAX], done[UNITS_MAX]; /* initiations, and those that surely are over */
    cycles largest[UNITS_MAX];
    struct {
        bool known;
        uint8_t unit;
        cycles sent;
    } writers[REGISTERS];
};

/* What has initiated when an instruction is issued: of a unit with one instance, all that was sent there up
 * to the writer of a register that it waits for. */
static void note_progress(const struct timed_block *block, struct naive_warp *warp,
                          const struct timed_inst *inst) {
    const uint32_t *operands = block->code.operands + inst->first_operand;
    for (uint32_t i = 0; i < (uint32_t)inst->source_count + inst->destination_count; i++) {
        const uint32_t reg = operands[i];
        if (!warp->writers[reg].known) continue;
        const uint8_t u = warp->writers[reg].unit;
        warp->done[u] = cycles_max(warp->done[u], warp->writers[reg].sent);
    }
    if (inst->unit != UNIT_NONE) {
        warp->sent[inst->unit] += inst->init;
        warp->largest[inst->unit] = cycles_max(warp->largest[inst->unit], inst->init);
    }
    for (uint32_t i = 0; i < inst->destination_count; i++) {
        const uint32_t reg = operands[inst->source_count + i];
        warp->writers[reg].known = inst->unit != UNIT_NONE && block->machine->units[inst->unit].count == 1;
        warp->writers[reg].unit = inst->unit;
        if (inst->unit != UNIT_NONE) warp->writers[reg].sent = warp->sent[inst->unit];
    }
}

/* The start of the depth-th last initiation on a unit, 0: there is none. */
static cycles full_until(const cycles *starts, size_t count, uint32_t depth) {
    return depth != UNLIMITED && count >= depth ? starts[count - depth] : 0;
}

/* Raises the times by what a register stands for. */
static void await_queues(const struct timed_code *code, const struct naive_warp *warp, uint32_t reg,
                         cycles *issue, cycles *latency) {
    for (uint32_t q = 0; q < QUEUE_COUNT; q++) {
        const struct timed_queue *queue = &code->queues[q];
        if (reg < queue->first || reg >= queue->first + queue->count) continue;
        *issue = cycles_max(*issue, queue_time(&warp->joined[q], reg - queue->first));
        *latency = cycles_max(*latency, queue_time(&warp->joined_latencies[q], reg - queue->first));
    }
}

/* One section from a clean machine, up to behind the next barrier. */
static struct section_profile naive_section(const struct timed_block *block, struct naive_warp *warp,
                                            struct steps *insts) {
    static cycles starts[UNITS_MAX][1 << 17];
    const struct wb_machine *machine = block->machine;
    struct section_profile profile = {0};
    cycles ready[REGISTERS] = {0}, free_at[UNITS_MAX] = {0}, largest[UNITS_MAX] = {0};
    size_t count[UNITS_MAX] = {0};
    cycles now = 0, busy_until = 0;
    for (uint32_t i = 0; i < block->code.inst_count && machine->dispatch_depth == 1; i++) {
        const struct timed_inst *inst = &block->code.insts[i];
        if (inst->unit != UNIT_NONE) largest[inst->unit] = cycles_max(largest[inst->unit], inst->init);
    }
    insts->items.count = 0;
    for (uint32_t q = 0; q < QUEUE_COUNT; q++)
        queue_clear(&warp->joined[q]);
    for (bool at_barrier = false; warp->next < warp->steps.items.count && !at_barrier;) {
        const uint32_t index = warp->steps.items.items[warp->next++];
        const struct timed_inst *inst = &block->code.insts[index];
        const uint32_t *operands = block->code.operands + inst->first_operand;
        const uint32_t operand_count = (uint32_t)inst->source_count + inst->destination_count;
        assert_int_equal(vec_push(&insts->items, index), WB_OK);
        cycles issue = now, latency = warp->latency, end;
        for (uint32_t i = 0; i < operand_count; i++) {
            issue = cycles_max(issue, ready[operands[i]]);
            latency = cycles_max(latency, warp->latencies[operands[i]]);
            await_queues(&block->code, warp, operands[i], &issue, &latency);
        }
        now = end = issue;
        if (inst->unit != UNIT_NONE) {
            const uint8_t u = inst->unit;
            const uint32_t depth = machine->dispatch_depth;
            issue = cycles_max(issue, depth == 0 ? free_at[u] : full_until(starts[u], count[u], depth));
            const cycles start = cycles_max(issue, free_at[u]);
            const cycles charge = cycles_max(largest[u], inst->init);
            assert_true(count[u] < 1 << 16);
            starts[u][count[u]++] = start;
            end = free_at[u] = start + inst->init;
            now = issue + 1;
            profile.exec += cycles_sub(end, cycles_max(start, busy_until));
            busy_until = cycles_max(busy_until, end);
            profile.initiations += inst->init;
            profile.charge += charge;
            profile.local += machine->units[u].shared ? 0 : charge;
            profile.private_initiations += machine->units[u].shared ? 0 : inst->init;
        }
        for (uint32_t i = inst->source_count; i < operand_count; i++) {
            ready[operands[i]] = end + inst->latency;
            warp->latencies[operands[i]] = latency + inst->latency;
        }
        for (uint32_t q = 0; q < QUEUE_COUNT; q++) {
            const bool joins = (inst->joins & 1u << q) != 0, commits = (inst->commits & 1u << q) != 0;
            queue_note(&warp->joined[q], joins, commits, end + inst->latency);
            queue_note(&warp->joined_latencies[q], joins, commits, latency + inst->latency);
        }
        note_progress(block, warp, inst);
        profile.active = true; /* mere barriers, too */
        warp->latency = latency;
        warp->latency_complete = cycles_max(warp->latency_complete, latency + inst->latency);
        profile.iso = cycles_max(profile.iso, end + inst->latency);
        profile.instructions += !inst->uncounted;
        at_barrier = inst->barrier;
    }
    return profile;
}

/* What the block amounts to, compared row by row. */
struct comparison {
    const struct timed_block *block;
    const char *label;
    struct block_profile profile;   /* its row counts are taken down to 0 */
    struct block_sections sections; /* the same */
    struct naive_warp warps[UNITS_MAX];
    struct section_profile cells[UNITS_MAX];
    struct steps insts[UNITS_MAX];
    uint64_t rows;
    cycles left[SUB_CORES_MAX][UNITS_MAX]; /* behind a barrier, at most */
    cycles spill;                          /* the same of all units of a sub-core */
    uint64_t turns[SUB_CORES_MAX];         /* the longest sequence of sub-cores that ends with one */
};

#define CHECK(comparison, condition)                                                                         \
    do {                                                                                                     \
        if (!(condition)) fail_msg("%s\n%s", #condition, (comparison)->label);                               \
    } while (0)

static bool same_cell(const struct section_profile *a, const struct section_profile *b) {
    return a->instructions == b->instructions && a->iso == b->iso && a->exec == b->exec &&
           a->initiations == b->initiations && a->charge == b->charge && a->local == b->local &&
           a->private_initiations == b->private_initiations;
}

/* Takes the row at hand from the profile. */
static void take_profile_row(struct comparison *comparison) {
    for (size_t r = 0; r < comparison->profile.rows.count; r++) {
        struct profile_row *row = &comparison->profile.rows.items[r];
        bool same = row->count > 0;
        for (uint32_t p = 0; p < comparison->block->path_count; p++)
            same = same && same_cell(profile_cell(&comparison->profile, row, p), &comparison->cells[p]);
        if (!same) continue;
        row->count--;
        return;
    }
    fail_msg("row %llu is missing\n%s", (unsigned long long)comparison->rows, comparison->label);
}

/* Takes the row at hand from the distinct sections. */
static void take_sections_row(struct comparison *comparison) {
    for (size_t r = 0; r < comparison->sections.row_counts.count; r++) {
        bool same = comparison->sections.row_counts.items[r] > 0;
        for (uint32_t p = 0; p < comparison->block->path_count && same; p++) {
            const struct section_code code =
                sections_code(&comparison->sections, sections_row(&comparison->sections, r)[p]);
            same = code.count == comparison->insts[p].items.count &&
                   (code.count == 0 || memcmp(code.insts, comparison->insts[p].items.items,
                                              code.count * sizeof *code.insts) == 0);
        }
        if (!same) continue;
        comparison->sections.row_counts.items[r]--;
        return;
    }
    fail_msg("the section of row %llu is missing\n%s", (unsigned long long)comparison->rows,
             comparison->label);
}

/* What the warps of a sub-core may have left on a unit. */
static cycles left_by(const struct comparison *comparison, uint32_t sub_core, uint32_t unit) {
    const struct timed_block *block = comparison->block;
    const uint32_t depth = block->machine->dispatch_depth;
    cycles largest = 0, pending = 0;
    for (uint32_t w = sub_core; w < block->warp_count; w += block->machine->sub_cores) {
        const struct naive_warp *warp = &comparison->warps[block->warp_path[w]];
        pending += warp->sent[unit] - warp->done[unit];
        largest = cycles_max(largest, warp->largest[unit]);
    }
    if (depth == UNLIMITED || largest == 0) return pending;
    return cycles_min(pending, block->machine->units[unit].count * (largest - 1) + depth * largest);
}

/* Looks at the sub-cores at the end of a row. */
static void note_sub_cores(struct comparison *comparison, bool is_last) {
    const struct timed_block *block = comparison->block;
    const uint32_t sub_cores = block->machine->sub_cores;
    uint64_t turns[SUB_CORES_MAX] = {0};
    assert_true(sub_cores <= SUB_CORES_MAX);
    for (uint32_t c = 0; c < sub_cores && !is_last; c++) {
        cycles spill = 0;
        for (uint32_t u = 0; u < block->machine->unit_count; u++) {
            if (block->machine->units[u].shared) continue;
            const cycles left = left_by(comparison, c, u);
            comparison->left[c][u] = cycles_max(comparison->left[c][u], left);
            spill += left;
        }
        comparison->spill = cycles_max(comparison->spill, spill);
    }
    for (uint32_t w = 0; w < block->warp_count; w++)
        for (uint32_t c = 0; c < sub_cores && comparison->cells[block->warp_path[w]].active; c++) {
            const uint64_t behind = comparison->turns[c] + (c != w % sub_cores || comparison->turns[c] == 0);
            turns[w % sub_cores] = cycles_max(turns[w % sub_cores], behind);
        }
    for (uint32_t c = 0; c < sub_cores; c++)
        comparison->turns[c] = cycles_max(comparison->turns[c], turns[c]);
}

/* Walks all rows. */
static void compare_rows(struct comparison *comparison) {
    const uint32_t paths = comparison->block->path_count;
    /* A path whose last instruction is a barrier has an empty section behind it. */
    bool ended[UNITS_MAX] = {false};
    for (bool more = true; more; comparison->rows++) {
        cycles latest = 0;
        more = false;
        for (uint32_t p = 0; p < paths; p++) {
            struct naive_warp *warp = &comparison->warps[p];
            comparison->cells[p] = naive_section(comparison->block, warp, &comparison->insts[p]);
            const struct steps *insts = &comparison->insts[p];
            const size_t count = insts->items.count;
            ended[p] = count == 0 || !comparison->block->code.insts[insts->items.items[count - 1]].barrier;
            latest = cycles_max(latest, warp->latency);
            more = more || !ended[p];
        }
        latest += comparison->block->machine->barrier_release;
        for (uint32_t p = 0; p < paths && more; p++) {
            struct naive_warp *warp = &comparison->warps[p];
            warp->latency = latest;
            warp->latency_complete = cycles_max(warp->latency_complete, latest);
        }
        note_sub_cores(comparison, !more);
        take_profile_row(comparison);
        take_sections_row(comparison);
    }
}

/* The totals that the profile keeps. */
static void compare_totals(struct comparison *comparison) {
    const struct timed_block *block = comparison->block;
    const struct block_profile *profile = &comparison->profile;
    uint64_t instructions = 0;
    cycles initiations = 0, latency = 0;
    for (uint32_t w = 0; w < block->warp_count; w++) {
        const struct naive_warp *warp = &comparison->warps[block->warp_path[w]];
        latency = cycles_max(latency, warp->latency_complete);
        for (size_t i = 0; i < warp->steps.items.count; i++) {
            instructions += !block->code.insts[warp->steps.items.items[i]].uncounted;
            initiations += block->code.insts[warp->steps.items.items[i]].init;
        }
    }
    CHECK(comparison, profile->instructions == instructions);
    CHECK(comparison, profile->initiations == initiations);
    CHECK(comparison, profile->latency == latency);
    CHECK(comparison, profile->sections == comparison->rows);
    cycles spill = 0;
    uint64_t turns = 1;
    for (uint32_t c = 0; c < block->machine->sub_cores; c++) {
        cycles left = 0;
        for (uint32_t u = 0; u < UNITS_MAX; u++)
            left += comparison->left[c][u];
        spill = cycles_max(spill, left);
        turns = cycles_max(turns, comparison->turns[c]);
    }
    /* Of sections that are skipped the most is taken of each unit by itself. */
    CHECK(comparison, block->machine->sub_cores == 1 || profile->spill >= comparison->spill);
    CHECK(comparison, profile->spill <= spill);
    CHECK(comparison, profile->turns == turns);
    for (size_t r = 0; r < profile->rows.count; r++)
        CHECK(comparison, profile->rows.items[r].count == 0);
    for (size_t r = 0; r < comparison->sections.row_counts.count; r++)
        CHECK(comparison, comparison->sections.row_counts.items[r] == 0);
}

/* Holds profile and sections of a block against the plain walk. */
static void compare(const struct timed_block *block, const char *label) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct comparison comparison = {.block = block, .label = label};
    assert_int_equal(block_profile_make(block, NULL, diagnostics, &comparison.profile), WB_OK);
    assert_int_equal(block_sections_make(block, &comparison.sections), WB_OK);
    assert_true(block->path_count <= UNITS_MAX && block->code.register_count <= REGISTERS);
    for (uint32_t p = 0; p < block->path_count; p++)
        add_entries(&block->paths[p], 0, block->paths[p].entries.count, &comparison.warps[p].steps);
    compare_rows(&comparison);
    compare_totals(&comparison);
    for (uint32_t p = 0; p < block->path_count; p++) {
        vec_free(&comparison.warps[p].steps.items);
        vec_free(&comparison.insts[p].items);
        for (uint32_t q = 0; q < QUEUE_COUNT; q++) {
            vec_free(&comparison.warps[p].joined[q].before);
            vec_free(&comparison.warps[p].joined_latencies[q].before);
        }
    }
    block_profile_free(&comparison.profile);
    block_sections_free(&comparison.sections);
    wb_diagnostics_free(diagnostics);
}

static void add_run(struct path *path, uint32_t first, uint32_t count) {
    const struct path_entry entry = {first, count, UINT32_MAX};
    assert_int_equal(vec_push(&path->entries, entry), WB_OK);
    path->length += count;
}

/* Repeats the last `entries` runs and folds. */
static void add_fold(struct path *path, uint32_t entries, uint32_t repetitions) {
    const struct path_entry fold = {entries, PATH_REPEAT, repetitions};
    const struct path_entry *end = path->entries.items + path->entries.count;
    struct path_runs runs = {.first = end - entries, .next = end};
    struct path_entry run;
    for (uint64_t times; path_runs_next(&runs, &run, &times);)
        path->length += run.count * times * repetitions;
    assert_int_equal(vec_push(&path->entries, fold), WB_OK);
}

static uint32_t between(struct random_state *random, uint32_t low, uint32_t high) {
    return low + (uint32_t)random_below(random, high - low + 1);
}

/* A stretch of the code of a random block. */
static void add_random_run(struct random_state *random, const struct timed_code *code, struct path *path) {
    const uint32_t first = between(random, 0, code->inst_count - 1);
    const uint32_t rest = code->inst_count - first;
    add_run(path, first, between(random, 1, rest < 4 ? rest : 4));
}

/* Registers at random, so that repetitions read what earlier ones wrote; some instructions have no result. */
static void change_operands(struct random_state *random, struct timed_code *code) {
    for (uint32_t i = 0; i < code->inst_count; i++) {
        struct timed_inst *inst = &code->insts[i];
        for (uint32_t o = 0; o < (uint32_t)inst->source_count + inst->destination_count; o++)
            code->operands[inst->first_operand + o] = between(random, 0, REGISTERS - 1);
        if (random_below(random, 3) == 0) inst->destination_count = 0;
        if (inst->barrier || random_below(random, 12) != 0) continue;
        inst->unit = UNIT_NONE;
        inst->init = 0;
    }
    code->register_count = REGISTERS;
}

/* Makes the last registers those of queues: instructions read them, but do not write them. */
static void add_queues(struct random_state *random, struct timed_code *code) {
    const uint32_t groups = between(random, 0, 3), first = REGISTERS - groups - 2;
    code->queues[QUEUE_COPIES] = (struct timed_queue){first, groups + 1};
    code->queues[QUEUE_ACCESSES] = (struct timed_queue){REGISTERS - 1, 1};
    for (uint32_t i = 0; i < code->inst_count; i++) {
        struct timed_inst *inst = &code->insts[i];
        uint32_t *written = code->operands + inst->first_operand + inst->source_count;
        for (uint32_t d = 0; d < inst->destination_count; d++)
            written[d] %= first;
        if (random_below(random, 3) == 0) inst->joins = (uint8_t)(1u << QUEUE_COPIES);
        if (random_below(random, 5) == 0) inst->joins |= (uint8_t)(1u << QUEUE_ACCESSES);
        if (random_below(random, 4) == 0) inst->commits = (uint8_t)(1u << QUEUE_COPIES);
    }
}

/* What the paths of one block have in common, so that their loops meet. */
struct skeleton {
    uint32_t parts, entries[3], repetitions[3];
    uint32_t around[3]; /* repetitions of a loop around the part; 0: there is none */
};

static void random_path(struct random_state *random, const struct timed_code *code,
                        const struct skeleton *skeleton, struct path *path) {
    path_free(path);
    for (uint32_t part = 0; part < skeleton->parts; part++) {
        const size_t before = path->entries.count;
        for (uint32_t i = between(random, 0, 3); i > 0; i--)
            add_random_run(random, code, path);
        for (uint32_t i = 0; i < skeleton->entries[part]; i++)
            add_random_run(random, code, path);
        const bool own = random_below(random, 5) == 0;
        add_fold(path, skeleton->entries[part],
                 own ? between(random, 0, skeleton->around[part] > 0 ? 40 : 200)
                     : skeleton->repetitions[part]);
        if (skeleton->around[part] == 0) continue;
        if (random_below(random, 2) == 0) add_random_run(random, code, path);
        add_fold(path, (uint32_t)(path->entries.count - before), skeleton->around[part]);
        if (skeleton->around[part] < 4) add_fold(path, (uint32_t)(path->entries.count - before), 9);
    }
    for (uint32_t i = between(random, 0, 3); i > 0; i--)
        add_random_run(random, code, path);
}

static void random_paths(uint64_t seed, struct synthetic_block *block) {
    struct random_state random = random_seeded(seed);
    struct skeleton skeleton = {.parts = between(&random, 1, 3)};
    for (uint32_t i = 0; i < 3; i++) {
        skeleton.entries[i] = between(&random, 1, 3);
        skeleton.repetitions[i] = between(&random, 0, 200);
        if (random_below(&random, 4) != 0) continue;
        skeleton.around[i] = between(&random, 1, 20);
        skeleton.repetitions[i] /= 5;
    }
    change_operands(&random, &block->timed.code);
    if (seed % 2 != 0) add_queues(&random, &block->timed.code);
    for (size_t p = 0; p < block->paths.count; p++)
        random_path(&random, &block->timed.code, &skeleton, &block->paths.items[p]);
}

static void compare_random(uint64_t first_seed, uint32_t rounds, const struct random_shape *shape) {
    static const uint32_t depths[] = {0, 1, 2, 3, 5, UNLIMITED, UNLIMITED};
    for (uint32_t i = 0; i < random_rounds(rounds); i++) {
        struct random_block random;
        struct text label = {0};
        random_block_make(first_seed + i, shape, depths, sizeof depths / sizeof depths[0], &random);
        random_paths(first_seed + i, &random.block);
        text_printf(&label, "with folds: %s", random.label);
        compare(&random.block.timed, label.data);
        text_free(&label);
        synthetic_block_free(&random.block);
    }
}

static const struct random_shape plain_shape = {SHAPE_BLOCK(3, 9, 40, 3, 12), .alias_percent = 60,
                                                SHAPE_SM(1, 2, 1), .release = 9};

static void test_random_loops(void **state) {
    (void)state;
    compare_random(610000000, 5000, &plain_shape);
}

static void test_random_loops_with_barriers(void **state) {
    (void)state;
    struct random_shape shape = plain_shape;
    shape.real_percent = 8;
    compare_random(620000000, 3000, &shape);
    shape.real_percent = 30;
    shape.barrier_percent = 20;
    compare_random(630000000, 2000, &shape);
}

/* Long initiations and few registers that wait: queues that fill before a loop and drain in it. */
static void test_random_queues(void **state) {
    (void)state;
    struct random_shape shape = plain_shape;
    shape.init = 40;
    shape.latency = 300;
    shape.warps = 1;
    compare_random(640000000, 3000, &shape);
}

/* A block by hand: `prefix` instructions, then the others `repetitions` + 1 times. Results of the kinds in
 * `stores` (letters) are nobody's. */
static void make_loop(const char *units, const char *warps, const char *stores, uint32_t prefix,
                      uint32_t repetitions, struct synthetic_block *block) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    if (synthetic_block_parse(units, warps, diagnostics, block) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(diagnostics));
    wb_diagnostics_free(diagnostics);
    struct timed_code *code = &block->timed.code;
    struct path *path = &block->paths.items[0];
    for (uint32_t i = 0; i < code->inst_count; i++) {
        const struct timed_inst *inst = &code->insts[i];
        if (inst->unit == UNIT_NONE) continue;
        if (strchr(stores, block->machine.units[inst->unit].name[0]) != NULL)
            code->insts[i].destination_count = 0;
    }
    path_free(path);
    if (prefix > 0) add_run(path, 0, prefix);
    add_run(path, prefix, code->inst_count - prefix);
    add_fold(path, 1, repetitions);
}

static cycles profiled(const struct synthetic_block *block, uint64_t *instructions) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct block_profile profile;
    assert_int_equal(timed_block_check(&block->timed, diagnostics), WB_OK);
    assert_int_equal(block_profile_make(&block->timed, NULL, diagnostics, &profile), WB_OK);
    const cycles iso = profile.cells.items[0].iso;
    *instructions = profile.instructions;
    assert_int_equal(profile.sections, profile.rows.items[0].count);
    block_profile_free(&profile);
    wb_diagnostics_free(diagnostics);
    return iso;
}

/* A queue that is filled before the loop and drains by one cycle in each repetition; when it is empty, after
 * 500 of them, the loop goes on at another pace. */
static void test_queue_drains(void **state) {
    (void)state;
    for (uint32_t repetitions = 480; repetitions < 520; repetitions++) {
        struct synthetic_block block;
        make_loop("A(50,3) a(4,0)@A B(1,0)", "A A A A A A A A A A  B B B B a", "A", 10, repetitions, &block);
        compare(&block.timed, "draining");
        synthetic_block_free(&block);
    }
}

static void test_most_repetitions(void **state) {
    (void)state;
    static const uint32_t depths[] = {0, 1, 2, 3, UNLIMITED};
    const uint64_t all = (uint64_t)UINT32_MAX + 1;
    struct synthetic_block block;
    uint64_t instructions;
    for (size_t d = 0; d < sizeof depths / sizeof depths[0]; d++) {
        /* A chain: initiation and latency of both in every repetition. */
        make_loop("A(2,3) B(4,1)", "A B.0 B.1", "", 0, UINT32_MAX, &block);
        uint32_t *operands = block.timed.code.operands;
        operands[0] = 2; /* A writes what the last B of the repetition before wrote */
        operands[block.timed.code.insts[1].first_operand] = 2;
        block.machine.dispatch_depth = depths[d];
        assert_int_equal(profiled(&block, &instructions), all * 15);
        assert_int_equal(instructions, all * 3);
        synthetic_block_free(&block);
    }
    /* A queue that grows by four cycles in each repetition, and only its end counts. */
    make_loop("A(6,5) B(1,0)", "A B", "A", 0, UINT32_MAX, &block);
    assert_int_equal(profiled(&block, &instructions), all * 6 + 5);
    synthetic_block_free(&block);
    /* With a queue of two entries the loop keeps the unit's pace. */
    make_loop("A(6,5) B(1,0)", "A B", "A", 0, UINT32_MAX, &block);
    block.machine.dispatch_depth = 2;
    assert_int_equal(profiled(&block, &instructions), all * 6 + 5);
    synthetic_block_free(&block);
}

/* The same with a barrier in each repetition: sections are equal and the latency path goes on over them. */
static void test_most_repetitions_with_barriers(void **state) {
    (void)state;
    const uint64_t all = (uint64_t)UINT32_MAX + 1;
    struct synthetic_block block;
    struct block_profile profile;
    struct block_sections sections;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    make_loop("A(2,3) B(4,1)", "A B.0! ", "", 0, UINT32_MAX, &block);
    assert_int_equal(block_profile_make(&block.timed, NULL, diagnostics, &profile), WB_OK);
    assert_int_equal(profile.sections, all + 1);
    assert_int_equal(profile.rows.count, 2);
    assert_int_equal(profile.rows.items[0].count, all);
    assert_int_equal(profile.cells.items[0].iso, 10);
    assert_int_equal(profile.initiations, 6 * all);
    assert_int_equal(profile.latency, 3 * all + 1); /* the barrier waits for the result of A */
    assert_int_equal(block_sections_make(&block.timed, &sections), WB_OK);
    assert_false(sections.too_large);
    assert_int_equal(sections.row_counts.count, 2);
    assert_int_equal(sections.row_counts.items[0], all);
    block_sections_free(&sections);
    block_profile_free(&profile);
    wb_diagnostics_free(diagnostics);
    synthetic_block_free(&block);
}

static cycles bound_named(const wb_analysis *analysis, const char *method) {
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(bounds[i].method, method) == 0) return bounds[i].cycles;
    fail_msg("no bound by %s", method);
    return 0;
}

/* Reports of such blocks list no phases. */
static void assert_reported(const wb_analysis *analysis, wb_report_format format, const char *expected) {
    const wb_report_options options = {.size = sizeof options, .phases = true};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    char *text = NULL;
    assert_int_equal(wb_report(analysis, format, &options, diagnostics, &text), WB_OK);
    if (strstr(text, expected) == NULL) fail_msg("no \"%s\" in\n%s", expected, text);
    free(text);
    wb_diagnostics_free(diagnostics);
}

/* Every method that is for such blocks ends at once; simulations have to be asked for. */
static void test_methods(void **state) {
    (void)state;
    static const char *const by_initiations[] = {"sib", "fib", "aln", "fifo"};
    const uint64_t all = (uint64_t)UINT32_MAX + 1;
    struct synthetic_block block;
    wb_analysis *analysis;
    size_t simulations;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    make_loop("A(2,3) B(4,1)", "3x A B.0", "", 0, UINT32_MAX, &block);
    assert_int_equal(analysis_of_timed(&block.timed, diagnostics, &analysis), WB_OK);
    assert_int_equal(wb_analysis_bound(analysis, "all", NULL, diagnostics), WB_OK);
    assert_int_equal(wb_analysis_bound(analysis, "gub", NULL, diagnostics), WB_OK);
    assert_int_equal(wb_analysis_simulate(analysis, NULL, NULL, diagnostics), WB_OK);
    (void)wb_analysis_simulations(analysis, &simulations);
    assert_int_equal(simulations, 0);
    const wb_declined *declined = wb_analysis_declined(analysis, &simulations);
    assert_true(simulations >= 2);
    assert_string_equal(declined[simulations - 2].method, "lrr");
    assert_string_equal(declined[simulations - 1].method, "gto");
    assert_int_equal(declined[simulations - 1].status, WB_OK);
    for (size_t i = 0; i < sizeof by_initiations / sizeof by_initiations[0]; i++)
        assert_int_equal(bound_named(analysis, by_initiations[i]), 6 * all + 4 + 2 * 6 * all);
    /* All of A but the first two cycles initiates while B does. */
    assert_int_equal(bound_named(analysis, "gub"), 6 * all + 4 + 2 * (4 * all + 2));
    assert_int_equal(bound_named(analysis, "elb"), 3 * 6 * all + 3 * all + 1);
    assert_reported(analysis, WB_REPORT_TEXT, "too many to be listed: 8589934592 steps");
    assert_reported(analysis, WB_REPORT_JSON, "\"sections\": null");
    wb_analysis_free(analysis);
    wb_diagnostics_free(diagnostics);
    synthetic_block_free(&block);
}

/* A map by hand. */
struct hand_map {
    cycles times[3];
    uint64_t calls;
};

/* The second time passes the first after many repetitions; the third is where the first was. */
static time_sum overtake_once(void *user) {
    struct hand_map *map = user;
    map->times[2] = map->times[0];
    map->times[0] = cycles_max(map->times[0] + 2, map->times[1]);
    map->times[1] += 3;
    map->calls++;
    return 0;
}

/* Times that change their pace only after a long while are found out, and in few steps. */
static void test_pace_changes_late(void **state) {
    (void)state;
    const uint64_t lead = UINT64_C(1000000000000);
    time_sum sum;
    struct hand_map map = {.times = {lead, 0, 0}};
    cycles *const times[] = {&map.times[0], &map.times[1], &map.times[2]};
    const struct max_plus_map steps = {.user = &map, .times = times, .time_count = 3, .once = overtake_once};
    assert_int_equal(max_plus_repeat(&steps, lead / 2, &sum), WB_OK);
    assert_int_equal(map.times[0], 2 * lead);
    assert_int_equal(map.times[2], 2 * lead - 2);
    assert_int_equal(max_plus_repeat(&steps, 2 * lead, &sum), WB_OK);
    assert_int_equal(map.times[1], 3 * (lead / 2) + 6 * lead);
    assert_int_equal(map.times[0], map.times[1] - 3);
    assert_int_equal(map.times[2], map.times[1] - 6);
    assert_true(map.calls < 10000);
}

/* The first time goes on evenly; the second sums up differences that are 5, but 0 in the middle: only the sum
 * of what the map passes through shows that. */
static time_sum gap_once(void *user) {
    struct hand_map *map = user;
    const cycles now = map->times[0]++;
    const cycles on_the_way[] = {cycles_max(now, 1000), cycles_max(now, 995), cycles_max(now, 2000),
                                 cycles_max(now, 1995)};
    map->times[1] += 5 + on_the_way[0] - on_the_way[1] - (on_the_way[2] - on_the_way[3]);
    map->calls++;
    return on_the_way[0] + on_the_way[1] + on_the_way[2] + on_the_way[3];
}

static void test_differences_on_the_way(void **state) {
    (void)state;
    struct hand_map map = {.times = {0, 0, 0}}, plain = map;
    cycles *const times[] = {&map.times[0], &map.times[1], &map.times[2]};
    const struct max_plus_map steps = {.user = &map, .times = times, .time_count = 3, .once = gap_once};
    time_sum sum, plain_sum = 0;
    for (uint32_t i = 0; i < 100000; i++)
        plain_sum += gap_once(&plain);
    assert_int_equal(max_plus_repeat(&steps, 100000, &sum), WB_OK);
    assert_int_equal(map.times[0], plain.times[0]);
    assert_int_equal(map.times[1], plain.times[1]);
    assert_true(sum == plain_sum);
    assert_true(map.calls < 2000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_loops),
        cmocka_unit_test(test_random_loops_with_barriers),
        cmocka_unit_test(test_random_queues),
        cmocka_unit_test(test_queue_drains),
        cmocka_unit_test(test_most_repetitions),
        cmocka_unit_test(test_most_repetitions_with_barriers),
        cmocka_unit_test(test_methods),
        cmocka_unit_test(test_pace_changes_late),
        cmocka_unit_test(test_differences_on_the_way),
    };
    return cmocka_run_group_tests_name("folded paths", tests, NULL, NULL);
}
