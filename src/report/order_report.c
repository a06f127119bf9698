#include "report/order_report.h"

#include <string.h>

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
