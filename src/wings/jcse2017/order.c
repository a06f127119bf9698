/* The order of accesses under reordering and what it is configured with: one access a line, SM by SM, or the
 * channels of each generation, as tables for people and as JSON. */
#include "wings/jcse2017/order.h"

#include <inttypes.h>
#include <string.h>

#include "report/parts/parts.h"

/* Lists the instructions that make requests anywhere in the grid. */
static wb_status list_insts(struct order_report *report) {
    const struct wb_grid *grid = report->timed->grid;
    const struct traffic *traffic = &report->timed->traffic;
    size_t count = grid->instruction_count;
    report->listed = arena_array(&report->arena, count + 1, sizeof *report->listed);
    if (report->listed == NULL) return WB_ERR_LIMIT;
    for (size_t i = 0; i < count; i++)
        report->listed[i] = PTX_NO_INDEX;
    for (size_t p = 0; p < traffic->patterns.count; p++) {
        const struct traffic_pattern *pattern = &traffic->patterns.items[p];
        for (uint32_t a = 0; a < pattern->access_count; a++)
            if (pattern->accesses[a].kind != TRAFFIC_ON_CHIP)
                report->listed[pattern->accesses[a].instruction] = 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (report->listed[i] == PTX_NO_INDEX) continue;
        report->listed[i] = (uint32_t)report->insts.count;
        const struct ptx_inst *inst = grid_inst(grid, i, NULL);
        struct order_inst listed = {inst, source_lines_place(&report->lines, inst)};
        WB_TRY(vec_push(&report->insts, listed));
    }
    return WB_OK;
}

/* Finds the instructions. What it is given must outlive the report, which is closed with order_report_close,
 * also after an error: WB_ERR_INPUT with a message when the machine has no first level, or no such SM;
 * WB_ERR_LIMIT without one when memory is exhausted. */
static wb_status order_report_open(const struct timed_grid *timed, const wb_order_options *options,
                                   const wb_writer *writer, wb_diagnostics *diagnostics,
                                   struct order_report *report) {
    const struct wb_machine *machine = timed->machine;
    *report = (struct order_report){
        .timed = timed, .options = options, .writer = writer, .diagnostics = diagnostics};
    WB_TRY(order_resident_blocks(&timed->traffic, diagnostics, &report->resident));
    if (options->one_sm && options->sm >= machine->memory.sms) {
        diagnose(diagnostics, SEVERITY_ERROR, machine->name,
                 "no SM %u: the machine has %u of them, from 0 on", options->sm, machine->memory.sms);
        return WB_ERR_INPUT;
    }
    WB_TRY(source_lines_open(timed->grid->kernel->module, &report->lines));
    return list_insts(report);
}

static void order_report_close(struct order_report *report) {
    vec_free(&report->insts);
    source_lines_close(&report->lines);
    text_free(&report->out);
    arena_free(&report->arena);
}

/* The SMs that are reported have numbers from *first up to *end, but for it. */
static void order_report_sms(const struct order_report *report, uint32_t *first, uint32_t *end) {
    const size_t blocks = report->timed->grid->blocks.count;
    const uint32_t sms = report->timed->machine->memory.sms;
    *first = report->options->one_sm ? report->options->sm : 0;
    *end = report->options->one_sm ? *first + 1 : blocks < sms ? (uint32_t)blocks : sms;
}

struct sm_share order_report_share(const struct order_report *report, uint32_t sm) {
    return (struct sm_share){sm, report->timed->machine->memory.sms, report->resident};
}

/* The configuration of an SM's reordering unit: how often the warp of each channel still executes each
 * instruction. */
struct order_channels {
    struct access_order order; /* behind the last access that is counted */
    struct ordered_access next;
    bool has_next;
    uint64_t turn;       /* of `next`, counted from 0 */
    uint64_t generation; /* that the counts are of */
    uint32_t blocks;     /* of the generation */
    uint32_t *counts;    /* [channel * insts.count + instruction] */
};

/* Goes to the next access of the order. */
static void take_next(struct order_channels *channels) {
    channels->has_next = access_order_next(&channels->order, &channels->next);
}

/* Stands before the first generation. WB_ERR_LIMIT without a message when memory is exhausted;
 * order_channels_end in any case. */
static wb_status order_channels_begin(struct order_report *report, uint32_t sm,
                                      struct order_channels *channels) {
    const struct sm_share share = order_report_share(report, sm);
    *channels = (struct order_channels){.turn = 0};
    WB_TRY(access_order_begin(&report->timed->traffic, &share, &channels->order));
    size_t warps = (size_t)channels->order.share.resident * report->timed->grid->warp_count;
    channels->counts =
        arena_array(&channels->order.arena, warps * report->insts.count + 1, sizeof *channels->counts);
    if (channels->counts == NULL) return WB_ERR_LIMIT;
    take_next(channels);
    return WB_OK;
}

/* Counts the accesses of the generation of the next one, those of them that are behind the first ones. */
static void count_generation(const struct order_report *report, struct order_channels *channels) {
    const struct access_order *order = &channels->order;
    const size_t insts = report->insts.count;
    const size_t slots = order->share.resident, warps = slots * report->timed->grid->warp_count;
    const uint32_t all = sm_share_blocks(&order->share, report->timed->grid);
    memset(channels->counts, 0, warps * insts * sizeof *channels->counts);
    channels->generation = order->generation;
    uint64_t left = all - channels->generation * slots;
    channels->blocks = left < slots ? (uint32_t)left : (uint32_t)slots;
    for (; channels->has_next && order->generation == channels->generation; channels->turn++) {
        const struct ordered_access *next = &channels->next;
        uint32_t channel = order_channel(order, next->block, next->warp);
        if (channels->turn >= report->options->first)
            channels->counts[channel * insts + order_listed(report, next)]++;
        take_next(channels);
    }
}

/* Goes to the next generation that has accesses: as it begins; of options->first accesses that have had
 * their turn, only to the one of the access behind them, as it is then. False behind the last. */
static bool order_channels_next(const struct order_report *report, struct order_channels *channels) {
    const uint64_t first = report->options->first;
    if (!channels->has_next || (first > 0 && channels->turn > first)) return false;
    do
        count_generation(report, channels);
    while (channels->has_next && channels->turn <= first);
    return true;
}

static void order_channels_end(struct order_channels *channels) {
    access_order_end(&channels->order);
}

/* The block and the warp of a channel. */
static uint32_t order_channel_block(const struct order_channels *channels, uint32_t channel) {
    const struct sm_share *share = &channels->order.share;
    uint64_t slot = channel / channels->order.traffic->grid->warp_count;
    return (uint32_t)((channels->generation * share->resident + slot) * share->sms + share->sm);
}

static uint32_t order_channel_warp(const struct order_channels *channels, uint32_t channel) {
    return channel % channels->order.traffic->grid->warp_count;
}

/* The access order as a table: one line an access, SM by SM; or the configuration of the reordering units. */

/* ---- Tables ------------------------------------------------------------------------------------------- */

static void order_columns(const struct order_report *report, struct sheet *table) {
    enum { OPCODE = 4 };
    sheet_column(table, SHEET_RIGHT, 8, "turn");
    sheet_column(table, SHEET_RIGHT, 15, "gen.");
    sheet_column(table, SHEET_RIGHT, 22, "epoch");
    sheet_column(table, SHEET_RIGHT, 29, "line");
    sheet_column(table, SHEET_LEFT, 31, "opcode");
    sheet_column(table, SHEET_LEFT, 49, "block");
    sheet_column(table, SHEET_RIGHT, 65, "warp");
    sheet_column(table, SHEET_RIGHT, 74, "channel");
    sheet_column(table, SHEET_LEFT, 76, "requests");
    for (size_t i = 0; i < report->insts.count; i++)
        sheet_expect(table, OPCODE, strlen(report->insts.items[i].inst->form->name));
    sheet_headings(table);
}

/* "1,0,0" */
static void block_cell(struct sheet *table, const struct wb_grid *grid, uint32_t block) {
    uint32_t index[3];
    grid_block_index(grid, block, index);
    sheet_printf(table, "%" PRIu32 ",%" PRIu32 ",%" PRIu32, index[0], index[1], index[2]);
}

/* Where a request is: "arg1+128" in the buffer of an argument, "table+128" in a variable, else the address.
 */
static void put_place(struct text *out, const struct wb_grid *grid, uint64_t address) {
    for (size_t i = 0; i < grid->cover.objects.items.count; i++) {
        const struct memory_object *object = &grid->cover.objects.items.items[i];
        if (address - object->base >= object->size) continue;
        if (object->argument > 0 && object->field == NULL)
            text_printf(out, "arg%" PRIu32 "+%" PRIu64, object->argument, address - object->base);
        else
            text_printf(out, "%s+%" PRIu64, object->name, address - object->base);
        return;
    }
    text_printf(out, "0x%" PRIx64, address);
}

/* Places of requests, each run of equal outcomes named once. Unknown ones: only their number. */
static void put_requests(struct text *out, const struct order_replay *replay) {
    static const char *const names[REQUEST_OUTCOMES] = {[REQUEST_HITS] = "hit ",
                                                        [REQUEST_MISSES] = "miss ",
                                                        [REQUEST_PASSES] = "",
                                                        [REQUEST_UNSURE] = "perhaps "};
    const struct traffic_access *access = replay->at.access;
    const uint8_t *outcomes = replay->met.outcomes;
    if (access->is_unknown)
        text_printf(out, "%sat most %u, where depends on data", names[outcomes[0]],
                    (unsigned)access->request_count);
    for (uint32_t r = 0; !access->is_unknown && r < access->request_count; r++) {
        if (r > 0) text_char(out, ' ');
        if (r == 0 || outcomes[r] != outcomes[r - 1]) text_string(out, names[outcomes[r]]);
        put_place(out, replay->order.traffic->grid, replay->met.addresses[r]);
    }
}

static void put_access(const struct order_report *report, struct sheet *table,
                       const struct order_replay *replay, uint64_t turn) {
    const struct ordered_access *at = &replay->at;
    const struct order_inst *inst = &report->insts.items[order_listed(report, at)];
    sheet_count(table, turn);
    sheet_count(table, replay->order.generation);
    sheet_count(table, at->epoch);
    source_lines_cell(table, &inst->place);
    sheet_text(table, inst->inst->form->name);
    block_cell(table, report->timed->grid, at->block);
    sheet_count(table, at->warp);
    sheet_count(table, order_channel(&replay->order, at->block, at->warp));
    put_requests(sheet_begin_cell(table), replay);
    sheet_end_cell(table, true);
    sheet_end_row(table);
}

/* The sums of the accesses of an SM. */
static void put_sums(struct text *out, uint32_t sm, uint64_t turns, uint64_t printed,
                     const uint64_t outcomes[REQUEST_OUTCOMES]) {
    if (printed < turns) text_printf(out, "%" PRIu64 " more\n", turns - printed);
    text_printf(out,
                "SM %" PRIu32 ": %" PRIu64 " accesses; requests: %" PRIu64 " hit, %" PRIu64 " miss, %" PRIu64
                " of stores and atomics",
                sm, turns, outcomes[REQUEST_HITS], outcomes[REQUEST_MISSES], outcomes[REQUEST_PASSES]);
    if (outcomes[REQUEST_UNSURE] > 0)
        text_printf(out, ", at most %" PRIu64 " that depend on data", outcomes[REQUEST_UNSURE]);
    text_char(out, '\n');
}

static wb_status put_order(struct order_report *report, uint32_t sm) {
    const struct sm_share share = order_report_share(report, sm);
    struct order_replay replay;
    struct sheet table = {0};
    uint64_t turn = 0, printed = 0, outcomes[REQUEST_OUTCOMES] = {0};
    wb_status status = order_replay_begin(&report->timed->traffic, &share, &replay);
    order_columns(report, &table);
    for (; status == WB_OK && order_replay_next(&replay); turn++) {
        for (uint32_t r = 0; r < replay.at.access->request_count; r++)
            outcomes[replay.met.outcomes[r]]++;
        if (turn >= report->options->first && report->options->has_first) continue;
        put_access(report, &table, &replay, turn);
        sheet_print(&table, &report->out);
        printed++;
        status = report_flush(&report->out, report->writer, false);
    }
    sheet_close(&table, &report->out);
    if (status == WB_OK) status = replay.status;
    order_replay_end(&replay);
    if (status == WB_OK) put_sums(&report->out, sm, turn, printed, outcomes);
    return status;
}

/* "4" or "4-7" */
static void range_cell(struct sheet *table, uint32_t first, uint32_t count) {
    if (count == 1)
        sheet_count(table, first);
    else
        sheet_printf(table, "%" PRIu32 "-%" PRIu32, first, first + count - 1);
}

/* Channels of consecutive warps of a block that execute the same, from `first` on. */
static void put_channels(const struct order_report *report, struct sheet *table,
                         const struct order_channels *channels, uint32_t first, uint32_t count) {
    const uint32_t *counts = channels->counts + (size_t)first * report->insts.count;
    range_cell(table, first, count);
    block_cell(table, report->timed->grid, order_channel_block(channels, first));
    range_cell(table, order_channel_warp(channels, first), count);
    for (size_t i = 0; i < report->insts.count; i++)
        sheet_count(table, counts[i]);
    sheet_end_row(table);
}

/* The columns: behind the channel the lines in which the instructions stand. */
static void channel_columns(const struct order_report *report, struct sheet *table) {
    enum { COUNTS = 34, COUNT_STEP = 7 };
    sheet_column(table, SHEET_LEFT, 0, "channel");
    sheet_column(table, SHEET_LEFT, 10, "block");
    sheet_column(table, SHEET_LEFT, 26, "warp");
    for (size_t i = 0; i < report->insts.count; i++)
        sheet_column(table, SHEET_RIGHT, COUNTS + (uint32_t)(i + 1) * COUNT_STEP, "");
    for (size_t c = 0; c < 3 && !table->words.failed; c++)
        sheet_text(table, table->columns.items[c].heading);
    for (size_t i = 0; i < report->insts.count; i++)
        source_lines_cell(table, &report->insts.items[i].place);
    sheet_end_row(table);
}

static void put_generation(struct order_report *report, const struct order_channels *channels) {
    const uint32_t warps = report->timed->grid->warp_count;
    const size_t insts = report->insts.count;
    struct text *out = &report->out;
    struct sheet table = {0};
    text_printf(out, "generation %" PRIu64 ": how often each warp ", channels->generation);
    if (report->options->first > 0)
        text_printf(out, "is still to execute what stands in line, behind turn %" PRIu64 "\n",
                    report->options->first - 1);
    else
        text_string(out, "executes what stands in line\n");
    channel_columns(report, &table);
    for (uint32_t end = warps; end <= channels->blocks * warps; end += warps) {
        for (uint32_t first = end - warps, next; first < end; first = next) {
            const uint32_t *counts = channels->counts + first * insts;
            for (next = first + 1; next < end; next++)
                if (memcmp(counts, channels->counts + next * insts, insts * sizeof *counts) != 0) break;
            put_channels(report, &table, channels, first, next - first);
        }
    }
    sheet_close(&table, out);
}

static wb_status put_configuration(struct order_report *report, uint32_t sm) {
    struct order_channels channels;
    wb_status status = order_channels_begin(report, sm, &channels);
    while (status == WB_OK && order_channels_next(report, &channels)) {
        put_generation(report, &channels);
        status = report_flush(&report->out, report->writer, false);
    }
    order_channels_end(&channels);
    return status;
}

static wb_status put_text(struct order_report *report) {
    const struct report_executed executed[] = {{"order and hits", report->timed->code.assumed}, {NULL, 0}};
    struct text *out = &report->out;
    uint32_t sm, end;
    heading_put_gpu(out, report->timed);
    for (order_report_sms(report, &sm, &end); sm < end; sm++) {
        const struct sm_share share = order_report_share(report, sm);
        const uint32_t blocks = sm_share_blocks(&share, report->timed->grid);
        text_printf(out, "\nSM %" PRIu32 ": %" PRIu32 " block%s, at most %" PRIu32 " at a time\n", sm, blocks,
                    plural(blocks), report->resident);
        WB_TRY(report->options->channels ? put_configuration(report, sm) : put_order(report, sm));
    }
    text_char(out, '\n');
    report_put_conditions(out, &layout_unlimited, NULL, NULL, executed);
    return report_flush(out, report->writer, true);
}

/* ---- JSON: written SM by SM, an access or a channel a line -------------------------------------------- */

/* How far these lines are indented. */
enum { SM_INDENT = 4, ENTRY_INDENT = 6 };

static void insts_json(struct json *json, const struct order_report *report) {
    json_open_array(json, "instructions");
    for (size_t i = 0; i < report->insts.count; i++) {
        const struct order_inst *inst = &report->insts.items[i];
        json_open_object(json, NULL);
        json_put_text(json, "opcode", inst->inst->form->name);
        json_put_count(json, "line", inst->place.line);
        source_lines_json(json, &inst->place);
        json_close(json);
    }
    json_close(json);
}

static void block_json(struct json *json, const struct wb_grid *grid, uint32_t block) {
    uint32_t index[3];
    grid_block_index(grid, block, index);
    json_put_counts(json, "block", index, 3);
}

static const char *kind_name(uint8_t kind) {
    if (kind == TRAFFIC_ATOMIC) return "atomic";
    return kind == TRAFFIC_STORE ? "store" : "load";
}

static void requests_json(struct json *json, const struct order_replay *replay) {
    const struct traffic_access *access = replay->at.access;
    json_open_array(json, "requests");
    for (uint32_t r = 0; r < access->request_count; r++)
        json_put_count_if(json, NULL, !access->is_unknown, access->is_unknown ? 0 : replay->met.addresses[r]);
    json_close(json);
    if (!traffic_is_load(access->kind)) return;
    json_open_array(json, "hits"); /* null where it depends on data */
    for (uint32_t r = 0; r < access->request_count; r++) {
        if (replay->met.outcomes[r] == REQUEST_UNSURE)
            json_put_null(json, NULL);
        else
            json_put_bool(json, NULL, replay->met.outcomes[r] == REQUEST_HITS);
    }
    json_close(json);
}

static void access_json(struct json *json, const struct order_report *report,
                        const struct order_replay *replay, uint64_t turn) {
    const struct ordered_access *at = &replay->at;
    json_break(json, ENTRY_INDENT);
    json_open_object(json, NULL);
    json_put_count(json, "turn", turn);
    json_put_count(json, "generation", replay->order.generation);
    json_put_count(json, "epoch", at->epoch);
    json_put_count(json, "instruction", order_listed(report, at));
    block_json(json, report->timed->grid, at->block);
    json_put_count(json, "warp", at->warp);
    json_put_count(json, "channel", order_channel(&replay->order, at->block, at->warp));
    json_put_text(json, "kind", kind_name(at->access->kind));
    requests_json(json, replay);
    json_close(json);
}

static wb_status order_json(struct json *json, struct order_report *report, uint32_t sm) {
    const wb_order_options *options = report->options;
    const struct sm_share share = order_report_share(report, sm);
    struct order_replay replay;
    uint64_t turn = 0;
    wb_status status = order_replay_begin(&report->timed->traffic, &share, &replay);
    json_open_array(json, "order");
    for (; status == WB_OK && order_replay_next(&replay); turn++) {
        if (options->has_first && turn >= options->first) continue;
        access_json(json, report, &replay, turn);
        status = report_flush(&report->out, report->writer, false);
    }
    if (status == WB_OK) status = replay.status;
    order_replay_end(&replay);
    json_close(json);
    json_put_count(json, "turns", turn);
    return status;
}

static void channel_json(struct json *json, const struct order_report *report,
                         const struct order_channels *channels, uint32_t channel) {
    const size_t insts = report->insts.count;
    json_break(json, ENTRY_INDENT);
    json_open_object(json, NULL);
    json_put_count(json, "generation", channels->generation);
    json_put_count(json, "channel", channel);
    block_json(json, report->timed->grid, order_channel_block(channels, channel));
    json_put_count(json, "warp", order_channel_warp(channels, channel));
    json_put_counts(json, "executions", channels->counts + channel * insts, (uint32_t)insts);
    json_close(json);
}

static wb_status configuration_json(struct json *json, struct order_report *report, uint32_t sm) {
    struct order_channels channels;
    wb_status status = order_channels_begin(report, sm, &channels);
    json_open_array(json, "channels");
    while (status == WB_OK && order_channels_next(report, &channels)) {
        const uint32_t count = channels.blocks * report->timed->grid->warp_count;
        for (uint32_t channel = 0; status == WB_OK && channel < count; channel++) {
            channel_json(json, report, &channels, channel);
            status = report_flush(&report->out, report->writer, false);
        }
    }
    order_channels_end(&channels);
    json_close(json);
    return status;
}

static wb_status put_json(struct order_report *report) {
    struct json json = json_begin(&report->out, JSON_MEMBERS);
    uint32_t sm, end;
    document_open(&json, "warpbound-order", 1);
    heading_gpu_json(&json, report->timed);
    heading_gpu_inputs_json(&json, report->timed);
    insts_json(&json, report);
    report_assumed_json(&json, report->timed->code.assumed);
    json_open_array(&json, "sms");
    for (order_report_sms(report, &sm, &end); sm < end; sm++) {
        const struct sm_share share = order_report_share(report, sm);
        json_break(&json, SM_INDENT);
        json_open_object(&json, NULL);
        json_put_count(&json, "sm", sm);
        json_put_count(&json, "blocks", sm_share_blocks(&share, report->timed->grid));
        json_put_count(&json, "resident", report->resident);
        WB_TRY(report->options->channels ? configuration_json(&json, report, sm)
                                         : order_json(&json, report, sm));
        json_close(&json);
    }
    json_break(&json, SM_INDENT / 2);
    json_close(&json);
    json_close(&json);
    text_char(&report->out, '\n');
    return report_flush(&report->out, report->writer, true);
}

wb_status wb_order_report(const wb_gpu *gpu, wb_order_format format, const wb_order_options *options,
                          const wb_writer *writer, wb_diagnostics *diagnostics) {
    struct order_report report;
    wb_order_options asked;
    WB_TRY(OPTIONS_TAKE(wb_order_options, options, &asked, diagnostics));
    if (format == WB_ORDER_SVG) WB_TRY(order_svg_check(&asked, diagnostics));
    wb_status status = order_report_open(&gpu->timed, &asked, writer, diagnostics, &report);
    if (status == WB_OK) {
        switch (format) {
        case WB_ORDER_TEXT: status = put_text(&report); break;
        case WB_ORDER_JSON: status = put_json(&report); break;
        case WB_ORDER_SVG: status = order_report_svg(&report); break;
        }
        status = report_written(status, diagnostics);
    } else if (status == WB_ERR_LIMIT) {
        status = diagnose_out_of_memory(diagnostics, "report");
    }
    order_report_close(&report);
    return status;
}
