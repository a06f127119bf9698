/* Reads what a trace recorded into a grid. Each lane's instructions have to be a way through the code, so
 * that a trace of other code, or one that lacks something, is refused. */
#include "warp/trace/recorded.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "warp/interpret/execute.h"
#include "warp/timed/timed.h"
#include "warp/trace/blocks.h"

#define WINDOW_BYTES ((uint64_t)1 << 24) /* of shared and of local memory, at generic addresses */
#define LOCAL_ALIGN UINT64_C(16)
#define GRID_BYTES_USUAL ((uint64_t)2 << 30)

/* How addresses are written. */
enum { ADDRESSES_LISTED, ADDRESSES_STRIDE, ADDRESSES_DELTAS };

/* A line of the trace. */
struct line {
    size_t at; /* in the text */
    uint32_t number, mask;
    bool has_addresses;
    uint64_t addresses[WARP_LANES]; /* of the lanes of the mask */
};

/* A warp, as far as it has been read. */
struct recorded_warp {
    uint32_t begun, exited; /* lanes */
    uint32_t active;        /* those of the line before, also where its guard is false; */
    uint32_t before;        /* its instruction, and the index in paths that stands for it */
    uint32_t index;
    uint64_t step;
    struct {
        uint32_t number; /* the last instruction that the lane executed; RECORDED_NONE: none */
        uint64_t step;
    } lanes[WARP_LANES];
};

struct reader {
    const struct launch_trace *trace;
    struct scanner scan;
    struct wb_grid *grid;
    struct recorded_code code;
    struct recorded_warp warp;
    uint64_t *seen; /* per instruction 1 + the step of the warp that was the last one with it; 0: none */
    struct path_writer writer;
    struct path *paths;
    struct access_list *accesses;
    struct recorded_memory memory;
    uint64_t local_base; /* addresses of local memory count from there; */
    bool finds_local;    /* which is the least one so far: nothing else is read */
};

static wb_status no_memory(const struct reader *reader) {
    return diagnose_out_of_memory(reader->scan.diagnostics, reader->trace->source.name);
}

/* ---- Lines --------------------------------------------------------------------------------------------- */

static bool is_in_word(char c) {
    return c != ' ' && c != '\n' && c != '\r' && c != '\0';
}

static void skip_spaces(struct scanner *scan) {
    while (scan_accept(scan, ' ')) {
    }
}

/* Goes on to the next line that is not empty; false at the end. */
static bool next_line(struct scanner *scan) {
    while (scan_accept(scan, ' ') || scan_accept(scan, '\r') || scan_accept(scan, '\n')) {
    }
    return !scan_at_end(scan);
}

static wb_status read_count(struct scanner *scan, const char *what, uint64_t most, uint64_t *number) {
    skip_spaces(scan);
    return scan_number(scan, what, 0, most, number);
}

static wb_status read_difference(struct scanner *scan, uint64_t *difference) {
    skip_spaces(scan);
    const bool is_negative = scan_accept(scan, '-');
    WB_TRY(scan_number(scan, "a difference of addresses", 0, (uint64_t)1 << 63, difference));
    if (is_negative) *difference = -*difference;
    return WB_OK;
}

static wb_status read_addresses(struct scanner *scan, struct line *line) {
    uint64_t format, address = 0, stride = 0;
    bool is_first = true;
    WB_TRY(read_count(scan, "0, 1 or 2, how addresses are written", ADDRESSES_DELTAS, &format));
    if (format != ADDRESSES_LISTED) {
        skip_spaces(scan);
        WB_TRY(launch_trace_hex(scan, "an address", &address));
    }
    if (format == ADDRESSES_STRIDE) WB_TRY(read_difference(scan, &stride));
    FOR_LANES_OF(l, line->mask) {
        skip_spaces(scan);
        if (format == ADDRESSES_LISTED) WB_TRY(launch_trace_hex(scan, "an address", &address));
        if (format == ADDRESSES_DELTAS && !is_first) {
            WB_TRY(read_difference(scan, &stride));
            address += stride;
        }
        line->addresses[l] = address;
        if (format == ADDRESSES_STRIDE) address += stride;
        is_first = false;
    }
    return WB_OK;
}

/* Registers, of which the first is *first; RECORDED_NONE: there is none. */
static wb_status read_registers(struct scanner *scan, const char *what, uint32_t *first) {
    uint64_t count, number;
    *first = RECORDED_NONE;
    WB_TRY(read_count(scan, what, 16, &count));
    for (uint64_t i = 0; i < count; i++) {
        skip_spaces(scan);
        WB_TRY(scan_expect(scan, 'R'));
        WB_TRY(scan_number(scan, "a register", 0, SASS_RZ, &number));
        if (i == 0) *first = (uint32_t)number;
    }
    return WB_OK;
}

/* Whether the cubin has the instruction that was traced, as far as its name and its result say. */
static wb_status check_opcode(const struct reader *reader, const struct line *line, const char *word,
                              size_t length, uint32_t result) {
    const struct recorded_inst *inst = &reader->code.insts[line->number];
    const struct sass_inst *sass = &inst->machine->sass;
    const char *name = sass_op_name((enum sass_op)sass->op);
    const size_t base = strcspn(name, ".");
    const bool is_same =
        length >= base && strncmp(word, name, base) == 0 && (length == base || word[base] == '.');
    if (!is_same)
        return scan_fail_at(&reader->scan, line->at,
                            "the cubin has %s there, the trace %.*s: it is of other code", name,
                            (int)(length < 60 ? length : 60), word);
    if (result == RECORDED_NONE || !sass->has_d || sass->d_uniform || sass->d == result) return WB_OK;
    return scan_fail_at(&reader->scan, line->at,
                        "the cubin writes R%u there, the trace R%u: it is of other code", sass->d, result);
}

/* [LINE] PC MASK COUNT [REGISTERS] OPCODE COUNT [REGISTERS] WIDTH [FORMAT ADDRESSES] [IMMEDIATE] */
static wb_status read_line(struct reader *reader, struct line *line) {
    struct scanner *scan = &reader->scan;
    uint64_t unused, address, mask = 0, width;
    uint32_t result, source;
    const char *word;
    line->at = scan->at;
    if (reader->trace->has_lines) WB_TRY(read_count(scan, "the line of a source", UINT32_MAX, &unused));
    skip_spaces(scan);
    WB_TRY(launch_trace_hex(scan, "the address of an instruction", &address));
    skip_spaces(scan);
    WB_TRY(launch_trace_hex(scan, "a mask of lanes", &mask));
    if (address % SASS_BYTES != 0 || address / SASS_BYTES >= reader->code.count)
        return scan_fail_at(scan, line->at, "the kernel in the cubin has no instruction at 0x%" PRIx64,
                            address);
    line->number = (uint32_t)(address / SASS_BYTES);
    line->mask = (uint32_t)mask;
    if (mask > UINT32_MAX) return scan_fail_at(scan, line->at, "a mask of more than 32 lanes");
    WB_TRY(read_registers(scan, "a number of results", &result));
    skip_spaces(scan);
    const size_t length = scan_word(scan, is_in_word, &word);
    WB_TRY(check_opcode(reader, line, word, length, result));
    WB_TRY(read_registers(scan, "a number of sources", &source));
    WB_TRY(read_count(scan, "a number of bytes", 1024, &width));
    line->has_addresses = width > 0;
    if (line->has_addresses) WB_TRY(read_addresses(scan, line));
    skip_spaces(scan);
    (void)scan_word(scan, is_in_word, &word);
    skip_spaces(scan);
    if (scan_here(scan) == '\r') scan->at++;
    return scan_at_end(scan) || scan_here(scan) == '\n' ? WB_OK
                                                        : scan_fail(scan, "expected the end of the line");
}

/* ---- What a warp executes ------------------------------------------------------------------------------ */

/* Whether what a lane executed before leads here: what it passed by had its guard false, and is in the trace.
 */
static bool lane_goes_here(const struct reader *reader, uint32_t lane, uint32_t to) {
    const struct recorded_warp *warp = &reader->warp;
    uint32_t next;
    if (!recorded_follows(&reader->code, warp->lanes[lane].number, to, &next)) return false;
    for (; next < to; next++)
        if (reader->seen[next] <= warp->lanes[lane].step) return false;
    return true;
}

static wb_status check_way(struct reader *reader, const struct line *line) {
    struct recorded_warp *warp = &reader->warp;
    uint32_t last = RECORDED_NONE;
    if ((line->mask & ~(warp->begun & ~warp->exited)) != 0)
        return scan_fail_at(&reader->scan, line->at, "lanes that the warp does not have, or that have ended");
    FOR_LANES_OF(l, line->mask) {
        const bool is_same = last != RECORDED_NONE && warp->lanes[l].step == warp->lanes[last].step;
        if (!is_same && !lane_goes_here(reader, l, line->number))
            return scan_fail_at(
                &reader->scan, line->at,
                "lane %u cannot come here from what it executed before: the trace is of other "
                "code, or lacks instructions",
                l);
        last = l;
    }
    return WB_OK;
}

/* The lanes that a line is executed by, with those for which its guard is false where that is certain: where
 * all come from the instruction before. */
static uint32_t active_lanes(const struct reader *reader, const struct line *line) {
    const struct recorded_warp *warp = &reader->warp;
    const struct recorded_inst *inst = &reader->code.insts[line->number];
    const bool goes_on = line->number > 0 && warp->before == line->number - 1;
    const bool with_others =
        inst->certain != line->number && goes_on && (line->mask & ~(warp->active & ~warp->exited)) == 0;
    return with_others ? warp->active & ~warp->exited : line->mask;
}

/* The index in paths: of the copy of an internal function that the warp is in. */
static uint32_t index_of(const struct reader *reader, uint32_t number) {
    const struct recorded_code *code = &reader->code;
    const uint32_t next = reader->warp.index + 1 - code->first;
    const bool goes_on = reader->warp.before != RECORDED_NONE && next < code->index_count;
    return goes_on && code->number_of[next] == number ? code->first + next : code->insts[number].index;
}

static wb_status decline(const struct reader *reader, const struct recorded_inst *inst, const char *why) {
    ptx_diagnose(reader->scan.diagnostics, SEVERITY_ERROR, reader->grid->kernel->module, inst->inst, "%s",
                 why);
    return WB_ERR_DECLINED;
}

/* Barriers, sleeps and the ends of lanes. */
static wb_status take_control(struct reader *reader, const struct line *line) {
    const struct recorded_inst *inst = &reader->code.insts[line->number];
    const struct ptx_function *function = kernel_function(reader->grid->kernel);
    struct recorded_warp *warp = &reader->warp;
    const enum barrier_scope scope =
        barrier_scope_of(function, inst->inst, reader->grid->block_size, reader->grid->warp_width);
    if (scope == BARRIER_COUNTED || scope == BARRIER_PART) return decline(reader, inst, PARTIAL_BARRIER);
    if (scope == BARRIER_WHOLE && line->mask != (warp->begun & ~warp->exited))
        return decline(reader, inst, "a part of the warp executes this barrier: that is not modelled");
    if (inst->machine->sass.op == SASS_OP_NANOSLEEP) reader->grid->notes.longest_sleep = SLEEP_MAX;
    if (inst->machine->sass.op == SASS_OP_EXIT) warp->exited |= line->mask;
    return WB_OK;
}

/* ---- What it accesses ---------------------------------------------------------------------------------- */

static bool is_window(uint64_t window, uint64_t address) {
    return window != 0 && address - window < WINDOW_BYTES;
}

/* The space of an address, and the address from the start of that space. */
static uint8_t space_of(const struct reader *reader, const struct recorded_access *access,
                        uint64_t *address) {
    const struct launch_trace *trace = reader->trace;
    uint8_t space = access->space;
    if (space == PTX_GENERIC) {
        space = PTX_SPACE_GLOBAL;
        if (is_window(trace->shared_window, *address)) {
            space = PTX_SPACE_SHARED;
            *address -= trace->shared_window;
        } else if (is_window(trace->local_window, *address)) {
            space = PTX_SPACE_LOCAL;
            *address -= trace->local_window;
        }
    }
    if (space == PTX_SPACE_LOCAL) *address -= reader->local_base;
    return space;
}

/* Of one space: appends a record of what the lanes of `mask` access, which are those of *rest in that space.
 */
static wb_status add_of_space(struct reader *reader, const struct line *line,
                              const struct recorded_access *access, struct access *record, uint32_t *rest,
                              struct access_list *list) {
    uint64_t addresses[WARP_LANES] = {0};
    record->space = PTX_SPACE_REG;
    record->mask = 0;
    FOR_LANES_OF(l, *rest) {
        uint64_t address = line->addresses[l];
        const uint8_t space = space_of(reader, access, &address);
        if (record->space == PTX_SPACE_REG) record->space = space;
        if (space != record->space) continue;
        addresses[l] = address;
        if (space == PTX_SPACE_GLOBAL &&
            recorded_memory_note(&reader->memory, line->number, address, address + access->bytes) != WB_OK)
            return no_memory(reader);
        record->mask |= UINT32_C(1) << l;
        if ((address & (uint64_t)(access->bytes - 1)) != 0)
            return scan_fail_at(&reader->scan, line->at,
                                "lane %u accesses %u bytes at 0x%" PRIx64 ", which is not aligned to them", l,
                                access->bytes, line->addresses[l]);
    }
    *rest &= ~record->mask;
    return access_append(list, addresses, record) == WB_OK ? WB_OK : no_memory(reader);
}

static wb_status add_access(struct reader *reader, const struct line *line,
                            const struct recorded_access *access, struct access_list *list) {
    uint32_t rest = line->mask & access->lanes;
    struct access record = {.step = reader->warp.step,
                            .instruction = reader->warp.index,
                            .mask = rest,
                            .table = access->is_traced ? ACCESS_AFFINE : ACCESS_UNKNOWN,
                            .bytes = access->bytes,
                            .space = access->space,
                            .is_store = access->is_store,
                            .is_atomic = access->is_atomic};
    if (rest == 0) return WB_OK;
    if (!access->is_traced) return vec_push(&list->items, record) == WB_OK ? WB_OK : no_memory(reader);
    if (!line->has_addresses)
        return scan_fail_at(&reader->scan, line->at,
                            "this instruction accesses memory: its addresses are missing");
    if (access->space == PTX_GENERIC &&
        (reader->trace->shared_window == 0 || reader->trace->local_window == 0))
        return scan_fail_at(
            &reader->scan, line->at,
            "this address may be one of shared or local memory: the trace does not say where these "
            "are (shmem base_addr, local mem base_addr)");
    while (rest != 0) {
        record.table = ACCESS_AFFINE;
        WB_TRY(add_of_space(reader, line, access, &record, &rest, list));
    }
    return WB_OK;
}

/* The least address of local memory. */
static void find_local(struct reader *reader, const struct line *line) {
    const struct recorded_access *access = &reader->code.insts[line->number].accesses[0];
    if (access->lanes == 0 || !access->is_traced || !line->has_addresses) return;
    FOR_LANES_OF(l, line->mask) {
        uint64_t address = line->addresses[l];
        if (space_of(reader, access, &address) != PTX_SPACE_LOCAL) continue;
        address += reader->local_base;
        if (address < reader->local_base) reader->local_base = address / LOCAL_ALIGN * LOCAL_ALIGN;
    }
}

/* LDGSTS has two addresses, of which older tracers keep the one that is not of use. */
static bool has_other_address(const struct recorded_inst *inst, const struct line *line) {
    const bool copies = inst->accesses[1].lanes != 0;
    return copies && line->mask != 0 && line->has_addresses &&
           line->addresses[__builtin_ctz(line->mask)] < LAUNCH_SHARED_MAX;
}

static wb_status take_line(struct reader *reader, uint32_t number) {
    struct line line = {0};
    struct recorded_warp *warp = &reader->warp;
    WB_TRY(read_line(reader, &line));
    const struct recorded_inst *inst = &reader->code.insts[line.number];
    if (reader->finds_local) {
        find_local(reader, &line);
        return WB_OK;
    }
    WB_TRY(check_way(reader, &line));
    if (inst->inst == NULL) return scan_fail_at(&reader->scan, line.at, "no way through the code leads here");
    if (inst->refused != NULL) return decline(reader, inst, inst->refused);
    if (has_other_address(inst, &line))
        return scan_fail_at(&reader->scan, line.at,
                            "the tracer kept the address in shared memory: that of global "
                            "memory is missing");
    const uint32_t active = active_lanes(reader, &line);
    warp->index = index_of(reader, line.number);
    if (path_append(&reader->writer, warp->index, active) != WB_OK) return no_memory(reader);
    for (size_t a = 0; a < sizeof inst->accesses / sizeof *inst->accesses; a++)
        WB_TRY(add_access(reader, &line, &inst->accesses[a], &reader->accesses[number]));
    WB_TRY(take_control(reader, &line));
    warp->active = recorded_jumps(inst) ? active & ~line.mask : active;
    warp->before = line.number;
    warp->step++;
    reader->seen[line.number] = warp->step;
    FOR_LANES_OF(l, line.mask) {
        warp->lanes[l].number = line.number;
        warp->lanes[l].step = warp->step;
    }
    return WB_OK;
}

/* ---- Warps and blocks ---------------------------------------------------------------------------------- */

static wb_status expect(struct scanner *scan, const char *word) {
    if (!next_line(scan) || !launch_trace_word(scan, word)) return scan_fail(scan, "expected '%s'", word);
    return WB_OK;
}

static wb_status begin_warp(struct reader *reader, uint32_t number) {
    const uint32_t *size = reader->grid->block_size, width = reader->grid->warp_width;
    const uint32_t threads = size[0] * size[1] * size[2] - number * width;
    reader->warp = (struct recorded_warp){.begun = lanes_first(threads < width ? threads : width),
                                          .before = RECORDED_NONE};
    for (uint32_t l = 0; l < WARP_LANES; l++)
        reader->warp.lanes[l].number = RECORDED_NONE;
    memset(reader->seen, 0, reader->code.count * sizeof *reader->seen);
    path_restart(&reader->writer);
    reader->accesses[number].items.count = reader->accesses[number].tables.count = 0;
    return WB_OK;
}

static wb_status read_warp(struct reader *reader, uint32_t number) {
    struct scanner *scan = &reader->scan;
    uint64_t given, count;
    WB_TRY(expect(scan, "warp = "));
    WB_TRY(scan_number(scan, "the number of the warp", number, number, &given));
    WB_TRY(expect(scan, "insts = "));
    WB_TRY(scan_number(scan, "a number of instructions", 0, UINT32_MAX, &count));
    WB_TRY(begin_warp(reader, number));
    for (uint64_t i = 0; i < count; i++) {
        if (!next_line(scan)) return scan_fail(scan, "expected %" PRIu64 " more instructions", count - i);
        WB_TRY(take_line(reader, number));
    }
    if (reader->finds_local) return WB_OK;
    if (reader->warp.exited != reader->warp.begun)
        return scan_fail(scan, "warp %u ends before all of its lanes have executed EXIT", number);
    return path_hand_over(&reader->writer, &reader->paths[number]) == WB_OK ? WB_OK : no_memory(reader);
}

/* What says whether blocks are in clusters stands between a block and its warps. */
static wb_status read_block(struct reader *reader, const uint32_t index[3]) {
    struct scanner *scan = &reader->scan;
    const char *rest;
    WB_TRY(expect(scan, "#BEGIN_TB"));
    WB_TRY(expect(scan, "thread block = "));
    for (int i = 0; i < 3; i++) {
        uint64_t number;
        if (i > 0) WB_TRY(scan_expect(scan, ','));
        WB_TRY(scan_number(scan, "the block behind the one before, x first,", index[i], index[i], &number));
    }
    while (next_line(scan) && launch_trace_word(scan, "cluster "))
        while (scan_accept(scan, ' ') || scan_word(scan, is_in_word, &rest) > 0) {
        }
    for (uint32_t w = 0; w < reader->grid->warp_count; w++)
        WB_TRY(read_warp(reader, w));
    return expect(scan, "#END_TB");
}

static wb_status check_limits(const struct reader *reader, const wb_grid_options *options) {
    const uint64_t most = reader->grid->memory_limit;
    const wb_watch *watch = &options->watch;
    const bool goes_on = watch->poll == NULL ||
                         watch->poll(watch->user, "reading the trace", reader->scan.at, reader->scan.size);
    if (goes_on && grid_bytes(reader->grid) <= most) return WB_OK;
    diagnose(reader->scan.diagnostics, SEVERITY_ERROR, reader->trace->source.name,
             goes_on ? "paths and addresses take more than %" PRIu64 " MiB (memory_limit)"
                     : "reading the trace was stopped",
             most >> 20);
    return WB_ERR_LIMIT;
}

static wb_status read_blocks(struct reader *reader, const wb_grid_options *options) {
    const uint64_t most = options->first_blocks != 0 ? options->first_blocks : UINT64_MAX;
    const uint32_t *size = reader->grid->dimensions;
    uint64_t count = 0;
    reader->scan.at = reader->trace->blocks;
    for (uint32_t z = 0; z < size[2]; z++)
        for (uint32_t y = 0; y < size[1]; y++)
            for (uint32_t x = 0; x < size[0]; x++) {
                if (count++ >= most) return WB_OK;
                WB_TRY(read_block(reader, (const uint32_t[]){x, y, z}));
                if (reader->finds_local) continue;
                if (grid_add_block(reader->grid, reader->paths, reader->accesses) != WB_OK)
                    return no_memory(reader);
                WB_TRY(check_limits(reader, options));
            }
    return next_line(&reader->scan) ? scan_fail(&reader->scan, "expected the end behind the last block")
                                    : WB_OK;
}

/* ---- The grid ------------------------------------------------------------------------------------------ */

static wb_status check_launch(const struct wb_launch *launch, const wb_grid_options *options,
                              const struct wb_kernel *kernel, wb_diagnostics *diagnostics) {
    const struct launch_trace *trace = &launch->trace;
    const char *problem = NULL;
    if (options->cover || options->one_block)
        problem =
            "a trace is one execution of all blocks: it says nothing of other inputs, nor of a block alone";
    else if (launch->arguments.count + launch->variables.count > 0 || launch->shared_bytes != 0)
        problem = "the trace says what is launched: omit arguments, variables and shared memory";
    else if (memcmp(trace->grid, launch->grid, sizeof trace->grid) != 0 ||
             memcmp(trace->block, launch->block, sizeof trace->block) != 0)
        problem = "the trace has another grid or block than the launch: omit them there";
    else if (kernel->module->code != NULL && kernel->module->code->sm != trace->sm)
        problem = "the trace is of code for another architecture than the cubin";
    else if (options->warp_width != 0 && options->warp_width != WARP_LANES)
        problem = "the machine has warps of another width than those of the trace";
    if (problem == NULL) return WB_OK;
    diagnose(diagnostics, SEVERITY_ERROR, trace->source.name, "%s", problem);
    return WB_ERR_INPUT;
}

/* Whatever variables the kernel has it may have stored to. */
static wb_status note_variables(struct wb_grid *grid) {
    const struct wb_module *module = grid->kernel->module;
    grid->changed_variables = true;
    for (uint32_t i = 0; i < module->variable_count; i++)
        if (module->variables[i].space == PTX_SPACE_GLOBAL)
            WB_TRY(vec_push(&grid->stored, module->variables[i].name));
    return WB_OK;
}

/* What is the same for all blocks. */
static wb_status begin(struct reader *reader, const struct wb_launch *launch) {
    struct wb_grid *grid = reader->grid;
    const struct launch_trace *trace = reader->trace;
    const uint32_t *size = trace->block, threads = size[0] * size[1] * size[2];
    memcpy(grid->dimensions, trace->grid, sizeof grid->dimensions);
    memcpy(grid->block_size, trace->block, sizeof grid->block_size);
    grid->shared_bytes =
        trace->shared_bytes > reader->code.shared_static ? trace->shared_bytes : reader->code.shared_static;
    grid->registers = launch_registers(grid->kernel, launch);
    grid->warp_width = WARP_LANES;
    grid->warp_count = (threads + WARP_LANES - 1) / WARP_LANES;
    grid->notes.assumed = assumed_bit(ASSUMED_TRACED);
    reader->seen = calloc((size_t)reader->code.count + 1, sizeof *reader->seen);
    reader->paths = calloc((size_t)grid->warp_count + 1, sizeof *reader->paths);
    reader->accesses = calloc((size_t)grid->warp_count + 1, sizeof *reader->accesses);
    reader->memory.of = calloc((size_t)reader->code.count + 1, sizeof *reader->memory.of);
    if (reader->seen == NULL || reader->memory.of == NULL || reader->paths == NULL ||
        reader->accesses == NULL || launch_inputs_of(launch, false, &grid->arena, &grid->inputs) != WB_OK ||
        grid_find_barriers(grid) != WB_OK || note_variables(grid) != WB_OK)
        return no_memory(reader);
    return WB_OK;
}

/* Where the code may access local memory, its least address is found first. */
static wb_status read_grid(struct reader *reader, const wb_grid_options *options) {
    for (uint32_t i = 0; i < reader->code.count && !reader->finds_local; i++) {
        const uint8_t space = reader->code.insts[i].accesses[0].space;
        reader->finds_local = reader->code.insts[i].accesses[0].lanes != 0 &&
                              (space == PTX_SPACE_LOCAL || space == PTX_GENERIC);
    }
    if (reader->finds_local) {
        reader->local_base = WINDOW_BYTES;
        WB_TRY(read_blocks(reader, options));
        reader->finds_local = false;
    }
    WB_TRY(read_blocks(reader, options));
    grid_find_local_bytes(reader->grid);
    if (recorded_memory_objects(&reader->memory, reader->code.count, &reader->grid->cover.objects) != WB_OK ||
        grid_find_uses(reader->grid) != WB_OK)
        return no_memory(reader);
    return WB_OK;
}

static void end(struct reader *reader) {
    for (uint32_t w = 0; w < reader->grid->warp_count; w++) {
        if (reader->paths != NULL) path_free(&reader->paths[w]);
        if (reader->accesses != NULL) access_list_free(&reader->accesses[w]);
    }
    for (uint32_t i = 0; reader->memory.of != NULL && i < reader->code.count; i++)
        free(reader->memory.of[i].items);
    free(reader->memory.of);
    free(reader->seen);
    free(reader->paths);
    free(reader->accesses);
    path_writer_free(&reader->writer);
}

wb_status recorded_grid(const struct wb_kernel *kernel, const struct wb_launch *launch,
                        const wb_grid_options *options, wb_diagnostics *diagnostics, struct wb_grid **grid) {
    WB_TRY(check_launch(launch, options, kernel, diagnostics));
    struct wb_grid *made = calloc(1, sizeof *made);
    if (made == NULL) return diagnose_out_of_memory(diagnostics, launch->trace.source.name);
    made->kernel = kernel;
    made->memory_limit = options->memory_limit != 0 ? options->memory_limit : GRID_BYTES_USUAL;
    struct reader reader = {
        .trace = &launch->trace, .scan = scanner_of(&launch->trace.source, 0, diagnostics), .grid = made};
    wb_status status = code_number(kernel->module, &made->arena, &made->code_first);
    if (status != WB_OK) (void)no_memory(&reader);
    if (status == WB_OK)
        status = recorded_code_make(kernel, made->code_first, &made->arena, diagnostics, &reader.code);
    if (status == WB_OK) status = begin(&reader, launch);
    if (status == WB_OK) status = read_grid(&reader, options);
    end(&reader);
    if (status == WB_OK)
        *grid = made;
    else
        wb_grid_free(made);
    return status;
}
