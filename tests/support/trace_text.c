#include "trace_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/ptx.h"
#include "sass/sass.h"
#include "warp/alu/lanes.h"

/* A warp of a block, of which the trace is written. */
struct writing {
    struct text *out;
    const wb_grid *grid;
    const struct trace_style *style;
    const struct grid_block *block;
    uint32_t warp;
    const struct access_stream *stream;
    struct path_step *steps;
    uint64_t count;
    uint32_t *leaving; /* per step the lanes that execute nothing, or not the next instruction, behind it */
};

static const struct machine_inst *machine_of(const wb_grid *grid, uint32_t index) {
    return &grid->kernel->module->code->insts[grid_inst(grid, index, NULL)->machine];
}

static bool has_guard(const struct machine_inst *inst) {
    return inst->sass.guard.number != SASS_PT || inst->sass.guard.negated;
}

/* Backwards, as each lane's next step says where it went. */
static void find_leaving(struct writing *writing) {
    uint64_t next[WARP_LANES];
    memset(next, 0xff, sizeof next);
    for (uint64_t s = writing->count; s-- > 0;) {
        const uint32_t address = machine_of(writing->grid, writing->steps[s].instruction)->address;
        writing->leaving[s] = 0;
        FOR_LANES_OF(l, writing->steps[s].mask) {
            if (next[l] != address + SASS_BYTES) writing->leaving[s] |= UINT32_C(1) << l;
            next[l] = address;
        }
    }
}

static uint64_t address_of(const struct writing *writing, uint32_t number, uint32_t lane) {
    const struct access *access = &writing->stream->accesses[number];
    const struct ptx_inst *inst = grid_inst(writing->grid, access->instruction, NULL);
    const bool generic = inst->form->space == PTX_GENERIC && inst->form->op != PTX_OP_CP_ASYNC;
    uint64_t address =
        grid_base(writing->grid, writing->block, writing->warp, writing->stream->groups[number]);
    address += access_address(access, writing->stream->tables, lane);
    if (access->space == PTX_SPACE_SHARED && generic) address += TRACE_SHARED_WINDOW;
    if (access->space == PTX_SPACE_LOCAL) address += TRACE_LOCAL_BASE + (generic ? TRACE_LOCAL_WINDOW : 0);
    return address;
}

/* As the tracer does: a stride where the lanes are a run, else differences. */
static void put_addresses(struct text *out, const uint64_t *addresses, uint32_t mask, bool lists) {
    const uint32_t first = (uint32_t)__builtin_ctz(mask), rest = mask >> first;
    bool even = mask != (UINT32_C(1) << first) && (rest & (rest + 1)) == 0;
    uint64_t last = addresses[first];
    FOR_LANES_OF(l, mask & (mask - 1))
    even = even && addresses[l] - addresses[l - 1] == addresses[first + 1] - addresses[first];
    text_printf(out, lists ? "0 " : even ? "1 0x%" PRIx64 " " : "2 0x%" PRIx64 " ", addresses[first]);
    if (even && !lists) text_printf(out, "%d ", (int)(addresses[first + 1] - addresses[first]));
    FOR_LANES_OF(l, mask) {
        if (lists) text_printf(out, "0x%016" PRIx64 " ", addresses[l]);
        if (!lists && !even && l != first) text_printf(out, "%" PRId64 " ", (int64_t)(addresses[l] - last));
        last = addresses[l];
    }
}

/* The lanes of a step whose guard is true, as far as that shows. */
static uint32_t mask_of(const struct writing *writing, uint64_t step, uint32_t accessing, bool accesses) {
    const struct path_step *at = &writing->steps[step];
    const struct machine_inst *inst = machine_of(writing->grid, at->instruction);
    if (!has_guard(inst)) return at->mask;
    static const uint16_t jumps[] = {SASS_OP_EXIT, SASS_OP_BRA, SASS_OP_BRX, SASS_OP_CALL_REL, SASS_OP_RET};
    bool may_leave = false;
    for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++)
        may_leave |= inst->sass.op == jumps[i];
    if (may_leave) return at->mask & writing->leaving[step];
    if (accesses) return accessing;
    const bool follows =
        step > 0 && machine_of(writing->grid, at[-1].instruction)->address + SASS_BYTES == inst->address &&
        at[-1].mask == at->mask;
    return writing->style->odd_guards && follows ? at->mask & 0x55555555 : at->mask;
}

static void put_step(struct writing *writing, uint64_t step, uint32_t *next_access) {
    const struct machine_inst *inst = machine_of(writing->grid, writing->steps[step].instruction);
    const struct ptx_inst *issued = grid_inst(writing->grid, writing->steps[step].instruction, NULL);
    const struct access_stream *stream = writing->stream;
    uint64_t addresses[WARP_LANES] = {0};
    uint32_t accessing = 0;
    const uint32_t first = *next_access;
    bool traced = false;
    for (; *next_access < stream->access_count && stream->accesses[*next_access].step == step;
         ++*next_access) {
        const struct access *access = &stream->accesses[*next_access];
        if (access->space == PTX_SPACE_CONST || access->space == PTX_SPACE_PARAM) continue;
        if (*next_access > first && issued->form->op == PTX_OP_CP_ASYNC)
            continue; /* of the copy the source */
        traced = true;
        accessing |= access->mask;
        FOR_LANES_OF(l, access->mask) addresses[l] = address_of(writing, *next_access, l);
    }
    const bool accesses = strchr(issued->form->roles, 'm') != NULL;
    uint32_t mask = mask_of(writing, step, accessing, accesses);
    if (traced && !has_guard(inst))
        FOR_LANES_OF(l, mask & ~accessing) addresses[l] = addresses[__builtin_ctz(accessing)];
    if (writing->style->has_lines) text_printf(writing->out, "%u ", inst->line);
    text_printf(writing->out, "%04x %08x ", inst->address, mask);
    text_printf(writing->out, inst->sass.has_d && !inst->sass.d_uniform ? "1 R%u " : "0 ", inst->sass.d);
    text_printf(writing->out, "%s 1 R255 ", issued->form->name);
    if (traced && mask != 0) {
        text_string(writing->out, "4 ");
        put_addresses(writing->out, addresses, mask, writing->style->lists);
    } else {
        text_string(writing->out, accesses && mask == 0 ? "4 1 0x0 0 " : "0 ");
    }
    text_string(writing->out, writing->style->version >= 5 ? "0 \n" : "\n");
}

static void put_warp(struct text *out, const wb_grid *grid, uint32_t block, uint32_t warp,
                     const struct trace_style *style) {
    const struct grid_block *of = &grid->blocks.items[block];
    const struct path *path = grid_path_of(grid, block, warp);
    struct writing writing = {.out = out, .grid = grid, .style = style, .block = of, .warp = warp};
    struct path_cursor cursor = path_begin(path);
    uint32_t next_access = 0;
    writing.stream = &grid->streams.items[grid->shapes.items[of->shape].warps[warp].stream];
    writing.steps = calloc(path->length + 1, sizeof *writing.steps);
    writing.leaving = calloc(path->length + 1, sizeof *writing.leaving);
    if (writing.steps == NULL || writing.leaving == NULL) abort();
    while (path_next(&cursor, &writing.steps[writing.count]))
        writing.count++;
    find_leaving(&writing);
    text_printf(out, "\nwarp = %u\ninsts = %" PRIu64 "\n", warp, writing.count);
    for (uint64_t s = 0; s < writing.count; s++)
        put_step(&writing, s, &next_access);
    free(writing.steps);
    free(writing.leaving);
}

void trace_text_put(struct text *out, const wb_grid *grid, const struct trace_style *style) {
    const uint32_t *size = grid->dimensions, *block = grid->block_size;
    text_printf(out,
                "-kernel name = %s\n-kernel id = 1\n-grid dim = (%u,%u,%u)\n-block dim = (%u,%u,%u)\n"
                "-shmem = %" PRIu64 "\n-nregs = %u\n-binary version = %u\n-cuda stream id = 0\n"
                "-shmem base_addr = 0x%016" PRIx64 "\n-local mem base_addr = 0x%016" PRIx64
                "\n-nvbit version = 1.5.5\n-accelsim tracer version = %u\n-enable lineinfo = %d\n\n"
                "#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num\n\n",
                wb_kernel_name(grid->kernel), size[0], size[1], size[2], block[0], block[1], block[2],
                grid->shared_bytes, wb_kernel_registers(grid->kernel), grid->kernel->module->code->sm,
                TRACE_SHARED_WINDOW, TRACE_LOCAL_WINDOW, style->version, style->has_lines);
    for (uint32_t b = 0; b < grid->blocks.count; b++) {
        uint32_t index[3];
        grid_block_index(grid, b, index);
        text_printf(out, "#BEGIN_TB\n\nthread block = %u,%u,%u\n", index[0], index[1], index[2]);
        if (style->version >= 5) text_string(out, "cluster id = 0,0,0\ncluster rank = 0\n");
        for (uint32_t w = 0; w < grid->warp_count; w++)
            put_warp(out, grid, b, w, style);
        text_string(out, "\n#END_TB\n\n");
    }
}
