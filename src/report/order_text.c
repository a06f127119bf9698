/* The access order as a table: one line an access, SM by SM; or the configuration of the reordering units. */
#include <inttypes.h>
#include <string.h>

#include "report/gpu_report.h"
#include "report/order_report.h"

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
