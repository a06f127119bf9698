/* The access order as JSON, written SM by SM; docs/json.md documents every key. */
#include <inttypes.h>
#include <jansson.h>

#include "report/bound_json.h"
#include "report/gpu_report.h"
#include "report/json_parts.h"
#include "report/order_report.h"

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

static void put_block(struct text *out, const struct wb_grid *grid, uint32_t block) {
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

static void put_requests(struct text *out, const struct order_replay *replay) {
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

static void put_access(struct order_report *report, const struct order_replay *replay, uint64_t turn) {
    const struct ordered_access *at = &replay->at;
    struct text *out = &report->out;
    text_printf(out,
                "%s\n      {\"turn\":%" PRIu64 ",\"generation\":%" PRIu64 ",\"epoch\":%" PRIu32
                ",\"instruction\":%" PRIu32 ",",
                turn == 0 ? "" : ",", turn, replay->order.generation, at->epoch, order_listed(report, at));
    put_block(out, report->timed->grid, at->block);
    text_printf(out, ",\"warp\":%" PRIu32 ",\"channel\":%" PRIu32 ",\"kind\":\"%s\",", at->warp,
                order_channel(&replay->order, at->block, at->warp), kind_name(at->access->kind));
    put_requests(out, replay);
    text_char(out, '}');
}

static wb_status put_order(struct order_report *report, uint32_t sm) {
    const wb_order_options *options = report->options;
    const struct sm_share share = order_report_share(report, sm);
    struct order_replay replay;
    uint64_t turn = 0;
    wb_status status = order_replay_begin(&report->timed->traffic, &share, &replay);
    text_string(&report->out, "\"order\":[");
    for (; status == WB_OK && order_replay_next(&replay); turn++) {
        if (options->has_first && turn >= options->first) continue;
        put_access(report, &replay, turn);
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
    put_block(out, report->timed->grid, order_channel_block(channels, channel));
    text_printf(out, ",\"warp\":%" PRIu32 ",\"executions\":[", order_channel_warp(channels, channel));
    for (size_t i = 0; i < insts; i++)
        text_printf(out, "%s%" PRIu32, i == 0 ? "" : ",", counts[i]);
    text_string(out, "]}");
}

static wb_status put_configuration(struct order_report *report, uint32_t sm) {
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
        WB_TRY(report->options->channels ? put_configuration(report, sm) : put_order(report, sm));
        text_char(out, '}');
    }
    text_string(out, "\n  ]\n}\n");
    return report_flush(out, report->writer, true);
}
