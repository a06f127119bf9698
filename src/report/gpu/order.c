#include "report/gpu/order.h"
#include "base/options.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "report/gpu/gpu.h"
#include "report/parts/bounds.h"
#include "report/write/json.h"

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

wb_status order_report_open(const struct timed_grid *timed, const wb_order_options *options,
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

void order_report_close(struct order_report *report) {
    vec_free(&report->insts);
    source_lines_close(&report->lines);
    text_free(&report->out);
    arena_free(&report->arena);
}

void order_report_sms(const struct order_report *report, uint32_t *first, uint32_t *end) {
    const size_t blocks = report->timed->grid->blocks.count;
    const uint32_t sms = report->timed->machine->memory.sms;
    *first = report->options->one_sm ? report->options->sm : 0;
    *end = report->options->one_sm ? *first + 1 : blocks < sms ? (uint32_t)blocks : sms;
}

struct sm_share order_report_share(const struct order_report *report, uint32_t sm) {
    return (struct sm_share){sm, report->timed->machine->memory.sms, report->resident};
}

/* Goes to the next access of the order. */
static void take_next(struct order_channels *channels) {
    channels->has_next = access_order_next(&channels->order, &channels->next);
}

wb_status order_channels_begin(struct order_report *report, uint32_t sm, struct order_channels *channels) {
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

bool order_channels_next(const struct order_report *report, struct order_channels *channels) {
    const uint64_t first = report->options->first;
    if (!channels->has_next || (first > 0 && channels->turn > first)) return false;
    do
        count_generation(report, channels);
    while (channels->has_next && channels->turn <= first);
    return true;
}

void order_channels_end(struct order_channels *channels) {
    access_order_end(&channels->order);
}

uint32_t order_channel_block(const struct order_channels *channels, uint32_t channel) {
    const struct sm_share *share = &channels->order.share;
    uint64_t slot = channel / channels->order.traffic->grid->warp_count;
    return (uint32_t)((channels->generation * share->resident + slot) * share->sms + share->sm);
}

uint32_t order_channel_warp(const struct order_channels *channels, uint32_t channel) {
    return channel % channels->order.traffic->grid->warp_count;
}

/* The access order as a table: one line an access, SM by SM; or the configuration of the reordering units. */

/* Where columns of the order end or, of texts, start; in characters. */
enum {
    END_TURN = 8,
    END_GENERATION = 15,
    END_EPOCH = 22,
    END_LINE = 29,
    AT_OPCODE = 31,
    AT_BLOCK = 49,
    END_WARP = 65,
    END_CHANNEL = 74,
    AT_REQUESTS = 76
};

/* The same of the configuration. */
enum { AT_BLOCKS = 10, AT_WARPS = 26, END_COUNT = 34, COUNT_WIDTH = 7 };

/* "1,0,0" */
static void put_block(struct text *out, const struct wb_grid *grid, uint32_t block) {
    uint32_t index[3];
    grid_block_index(grid, block, index);
    text_printf(out, "%" PRIu32 ",%" PRIu32 ",%" PRIu32, index[0], index[1], index[2]);
}

static void put_sm(struct order_report *report, uint32_t sm) {
    const struct sm_share share = order_report_share(report, sm);
    const uint32_t blocks = sm_share_blocks(&share, report->timed->grid);
    text_printf(&report->out, "\nSM %" PRIu32 ": %" PRIu32 " block%s, at most %" PRIu32 " at a time\n", sm,
                blocks, blocks == 1 ? "" : "s", report->resident);
}

static void put_head(struct order_report *report) {
    struct text *out = &report->out;
    static const struct {
        size_t end;
        const char *name;
    } columns[] = {{END_TURN, "turn"}, {END_GENERATION, "gen."}, {END_EPOCH, "epoch"}, {END_LINE, "line"}};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        report_put_right(out, columns[i].end, columns[i].name);
    text_pad(out, AT_OPCODE);
    text_string(out, "opcode");
    text_pad(out, AT_BLOCK);
    text_string(out, "block");
    report_put_right(out, END_WARP, "warp");
    report_put_right(out, END_CHANNEL, "channel");
    text_pad(out, AT_REQUESTS);
    text_string(out, "requests\n");
}

/* Where a request is: "arg1+128" in the buffer of an argument, "table+128" in a variable, else the address.
 */
static void put_place(struct text *out, const struct wb_grid *grid, uint64_t address) {
    for (size_t i = 0; i < grid->cover.objects.items.count; i++) {
        const struct memory_object *object = &grid->cover.objects.items.items[i];
        if (address - object->base >= object->size) continue;
        if (object->argument > 0)
            text_printf(out, " arg%" PRIu32 "+%" PRIu64, object->argument, address - object->base);
        else
            text_printf(out, " %s+%" PRIu64, object->name, address - object->base);
        return;
    }
    text_printf(out, " 0x%" PRIx64, address);
}

/* Where requests are, behind what those next to each other find. Of unknown ones only their number. */
static void put_requests(struct text *out, const struct order_replay *replay) {
    static const char *const names[REQUEST_OUTCOMES] = {[REQUEST_HITS] = " hit",
                                                        [REQUEST_MISSES] = " miss",
                                                        [REQUEST_PASSES] = "",
                                                        [REQUEST_UNSURE] = " perhaps"};
    const struct traffic_access *access = replay->at.access;
    const uint8_t *outcomes = replay->met.outcomes;
    if (access->is_unknown) {
        text_printf(out, "%s at most %u, where depends on data", names[outcomes[0]],
                    (unsigned)access->request_count);
        return;
    }
    for (uint32_t r = 0; r < access->request_count; r++) {
        if (r == 0 || outcomes[r] != outcomes[r - 1]) text_string(out, names[outcomes[r]]);
        put_place(out, replay->order.traffic->grid, replay->met.addresses[r]);
    }
}

static void put_access(struct order_report *report, const struct order_replay *replay, uint64_t turn) {
    const struct ordered_access *at = &replay->at;
    const struct order_inst *inst = &report->insts.items[order_listed(report, at)];
    struct text *out = &report->out;
    report_put_count(out, END_TURN, turn);
    report_put_count(out, END_GENERATION, replay->order.generation);
    report_put_count(out, END_EPOCH, at->epoch);
    report_put_count(out, END_LINE, inst->place.line);
    text_pad(out, AT_OPCODE);
    text_string(out, inst->inst->form->text);
    text_char(out, ' ');
    text_pad(out, AT_BLOCK);
    put_block(out, report->timed->grid, at->block);
    report_put_count(out, END_WARP, at->warp);
    report_put_count(out, END_CHANNEL, order_channel(&replay->order, at->block, at->warp));
    text_pad(out, AT_REQUESTS - 1);
    put_requests(out, replay);
    text_char(out, '\n');
}

/* What the accesses of an SM sum up to. */
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
    uint64_t turn = 0, printed = 0, outcomes[REQUEST_OUTCOMES] = {0};
    wb_status status = order_replay_begin(&report->timed->traffic, &share, &replay);
    put_head(report);
    for (; status == WB_OK && order_replay_next(&replay); turn++) {
        for (uint32_t r = 0; r < replay.at.access->request_count; r++)
            outcomes[replay.met.outcomes[r]]++;
        if (turn >= report->options->first && report->options->has_first) continue;
        put_access(report, &replay, turn);
        printed++;
        status = report_flush(&report->out, report->writer, false);
    }
    if (status == WB_OK) status = replay.status;
    order_replay_end(&replay);
    if (status == WB_OK) put_sums(&report->out, sm, turn, printed, outcomes);
    return status;
}

/* Columns: the lines in which the instructions stand. */
static void put_channels_head(struct order_report *report, const struct order_channels *channels) {
    struct text *out = &report->out;
    text_printf(out, "generation %" PRIu64 ": how often each warp ", channels->generation);
    if (report->options->first > 0)
        text_printf(out, "is still to execute what stands in line, behind turn %" PRIu64 "\n",
                    report->options->first - 1);
    else
        text_string(out, "executes what stands in line\n");
    text_string(out, "channel");
    text_pad(out, AT_BLOCKS);
    text_string(out, "block");
    text_pad(out, AT_WARPS);
    text_string(out, "warp");
    for (size_t i = 0; i < report->insts.count; i++)
        report_put_count(out, END_COUNT + (i + 1) * COUNT_WIDTH, report->insts.items[i].place.line);
    text_char(out, '\n');
}

/* "4" or "4-7" */
static void put_range(struct text *out, uint32_t first, uint32_t count) {
    text_printf(out, "%" PRIu32, first);
    if (count > 1) text_printf(out, "-%" PRIu32, first + count - 1);
}

/* Channels of consecutive warps of a block that execute the same, from `first` on. */
static void put_channels(struct order_report *report, const struct order_channels *channels, uint32_t first,
                         uint32_t count) {
    struct text *out = &report->out;
    const uint32_t *counts = channels->counts + (size_t)first * report->insts.count;
    put_range(out, first, count);
    text_pad(out, AT_BLOCKS);
    put_block(out, report->timed->grid, order_channel_block(channels, first));
    text_pad(out, AT_WARPS);
    put_range(out, order_channel_warp(channels, first), count);
    for (size_t i = 0; i < report->insts.count; i++)
        report_put_count(out, END_COUNT + (i + 1) * COUNT_WIDTH, counts[i]);
    text_char(out, '\n');
}

static wb_status put_generation(struct order_report *report, const struct order_channels *channels) {
    const uint32_t warps = report->timed->grid->warp_count;
    const size_t insts = report->insts.count;
    put_channels_head(report, channels);
    for (uint32_t end = warps; end <= channels->blocks * warps; end += warps) {
        for (uint32_t first = end - warps, next; first < end; first = next) {
            const uint32_t *counts = channels->counts + first * insts;
            for (next = first + 1; next < end; next++)
                if (memcmp(counts, channels->counts + next * insts, insts * sizeof *counts) != 0) break;
            put_channels(report, channels, first, next - first);
        }
        WB_TRY(report_flush(&report->out, report->writer, false));
    }
    return WB_OK;
}

static wb_status put_configuration(struct order_report *report, uint32_t sm) {
    struct order_channels channels;
    wb_status status = order_channels_begin(report, sm, &channels);
    while (status == WB_OK && order_channels_next(report, &channels))
        status = put_generation(report, &channels);
    order_channels_end(&channels);
    return status;
}

wb_status order_report_text(struct order_report *report) {
    uint32_t sm, end;
    report_put_gpu(&report->out, report->timed);
    for (order_report_sms(report, &sm, &end); sm < end; sm++) {
        put_sm(report, sm);
        WB_TRY(report->options->channels ? put_configuration(report, sm) : put_order(report, sm));
    }
    const struct report_executed executed[] = {{"order and hits", report->timed->code.assumed}, {NULL, 0}};
    text_char(&report->out, '\n');
    report_put_conditions(&report->out, NULL, NULL, executed);
    return report_flush(&report->out, report->writer, true);
}

/* The access order as JSON, written SM by SM; docs/json.md documents every key. */

static json_t *insts_json(const struct order_report *report) {
    json_t *array = json_array();
    for (size_t i = 0; i < report->insts.count; i++) {
        const struct order_inst *inst = &report->insts.items[i];
        json_t *object =
            json_pack("{s:s, s:I}", "opcode", inst->inst->form->text, "line", (json_int_t)inst->place.line);
        json_put_source(&object, inst->place.source_file, inst->place.source_line);
        json_add(&array, object);
    }
    return array;
}

static void put_block_json(struct text *out, const struct wb_grid *grid, uint32_t block) {
    uint32_t index[3];
    grid_block_index(grid, block, index);
    text_printf(out, "\"block\":[%" PRIu32 ",%" PRIu32 ",%" PRIu32 "]", index[0], index[1], index[2]);
}

static const char *kind_name(uint8_t kind) {
    if (kind == TRAFFIC_ATOMIC) return "atomic";
    return kind == TRAFFIC_STORE ? "store" : "load";
}

/* A truth value, or null where it depends on data. */
static const char *hit_name(uint8_t outcome) {
    if (outcome == REQUEST_UNSURE) return "null";
    return outcome == REQUEST_HITS ? "true" : "false";
}

static void put_requests_json(struct text *out, const struct order_replay *replay) {
    const struct traffic_access *access = replay->at.access;
    text_string(out, "\"requests\":[");
    for (uint32_t r = 0; r < access->request_count; r++) {
        if (r > 0) text_char(out, ',');
        if (access->is_unknown)
            text_string(out, "null");
        else
            text_printf(out, "%" PRIu64, replay->met.addresses[r]);
    }
    text_char(out, ']');
    if (access->kind != TRAFFIC_LOAD) return;
    text_string(out, ",\"hits\":[");
    for (uint32_t r = 0; r < access->request_count; r++)
        text_printf(out, "%s%s", r == 0 ? "" : ",", hit_name(replay->met.outcomes[r]));
    text_char(out, ']');
}

static void put_access_json(struct order_report *report, const struct order_replay *replay, uint64_t turn) {
    const struct ordered_access *at = &replay->at;
    struct text *out = &report->out;
    text_printf(out,
                "%s\n      {\"turn\":%" PRIu64 ",\"generation\":%" PRIu64 ",\"epoch\":%" PRIu32
                ",\"instruction\":%" PRIu32 ",",
                turn == 0 ? "" : ",", turn, replay->order.generation, at->epoch, order_listed(report, at));
    put_block_json(out, report->timed->grid, at->block);
    text_printf(out, ",\"warp\":%" PRIu32 ",\"channel\":%" PRIu32 ",\"kind\":\"%s\",", at->warp,
                order_channel(&replay->order, at->block, at->warp), kind_name(at->access->kind));
    put_requests_json(out, replay);
    text_char(out, '}');
}

static wb_status put_order_json(struct order_report *report, uint32_t sm) {
    const wb_order_options *options = report->options;
    const struct sm_share share = order_report_share(report, sm);
    struct order_replay replay;
    uint64_t turn = 0;
    wb_status status = order_replay_begin(&report->timed->traffic, &share, &replay);
    text_string(&report->out, "\"order\":[");
    for (; status == WB_OK && order_replay_next(&replay); turn++) {
        if (options->has_first && turn >= options->first) continue;
        put_access_json(report, &replay, turn);
        status = report_flush(&report->out, report->writer, false);
    }
    if (status == WB_OK) status = replay.status;
    order_replay_end(&replay);
    text_printf(&report->out, "],\"turns\":%" PRIu64, turn);
    return status;
}

static void put_channel(struct order_report *report, const struct order_channels *channels, uint32_t channel,
                        bool first) {
    const size_t insts = report->insts.count;
    const uint32_t *counts = channels->counts + channel * insts;
    struct text *out = &report->out;
    text_printf(out, "%s\n      {\"generation\":%" PRIu64 ",\"channel\":%" PRIu32 ",", first ? "" : ",",
                channels->generation, channel);
    put_block_json(out, report->timed->grid, order_channel_block(channels, channel));
    text_printf(out, ",\"warp\":%" PRIu32 ",\"executions\":[", order_channel_warp(channels, channel));
    for (size_t i = 0; i < insts; i++)
        text_printf(out, "%s%" PRIu32, i == 0 ? "" : ",", counts[i]);
    text_string(out, "]}");
}

static wb_status put_configuration_json(struct order_report *report, uint32_t sm) {
    struct order_channels channels;
    bool first = true;
    wb_status status = order_channels_begin(report, sm, &channels);
    text_string(&report->out, "\"channels\":[");
    while (status == WB_OK && order_channels_next(report, &channels)) {
        const uint32_t count = channels.blocks * report->timed->grid->warp_count;
        for (uint32_t channel = 0; status == WB_OK && channel < count; channel++, first = false) {
            put_channel(report, &channels, channel, first);
            status = report_flush(&report->out, report->writer, false);
        }
    }
    order_channels_end(&channels);
    text_char(&report->out, ']');
    return status;
}

/* The members that all reports of a grid on a GPU begin with, then the instructions. */
static void put_heading(struct order_report *report) {
    json_t *heading = report_gpu_heading_json(report->timed), *value;
    const char *key;
    if (heading == NULL) report->out.failed = true;
    json_object_foreach(heading, key, value) json_write_member(&report->out, key, json_incref(value));
    json_decref(heading);
    json_write_member(&report->out, "instructions", insts_json(report));
    json_write_member(&report->out, "assumptions", report_assumed_json(report->timed->code.assumed));
}

wb_status order_report_json(struct order_report *report) {
    struct text *out = &report->out;
    uint32_t first, end;
    order_report_sms(report, &first, &end);
    text_string(out, "{\n");
    put_heading(report);
    text_string(out, "  \"sms\": [");
    for (uint32_t sm = first; sm < end; sm++) {
        const struct sm_share share = order_report_share(report, sm);
        text_printf(out, "%s\n    {\"sm\":%" PRIu32 ",\"blocks\":%" PRIu32 ",\"resident\":%" PRIu32 ",",
                    sm == first ? "" : ",", sm, sm_share_blocks(&share, report->timed->grid),
                    report->resident);
        WB_TRY(report->options->channels ? put_configuration_json(report, sm) : put_order_json(report, sm));
        text_char(out, '}');
    }
    text_string(out, "\n  ]\n}\n");
    return report_flush(out, report->writer, true);
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
        case WB_ORDER_TEXT: status = order_report_text(&report); break;
        case WB_ORDER_JSON: status = order_report_json(&report); break;
        case WB_ORDER_SVG: status = order_report_svg(&report); break;
        }
        status = report_written(status, diagnostics);
    } else if (status == WB_ERR_LIMIT) {
        status = diagnose_out_of_memory(diagnostics, "report");
    }
    order_report_close(&report);
    return status;
}
