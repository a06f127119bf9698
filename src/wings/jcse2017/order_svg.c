/* The first accesses of an SM's order as a picture: a row a channel, a column a turn, a cell an access, which
 * shows the line of the instruction and, by colours, what of its requests hits and misses. */
#include <inttypes.h>

#include "report/write/output.h"
#include "report/write/svg.h"
#include "wings/jcse2017/order.h"

/* Accesses of a picture: unless it is said how many, and at most. */
enum { TURNS_USUAL = 64, TURNS_MAX = 10000 };

/* The layout, in pixels. */
enum {
    LEFT = 260, /* of the cells */
    TOP = 84,
    CELL_WIDTH = 28,
    CELL_HEIGHT = 18,
    RIGHT = 60, /* room for the name of an epoch that begins in the last turn */
    NUMBER_STEP = 5,
    LEGEND_STEP = 22,
    LEGEND_LEFT = 30,
    LEGEND_WIDTH = 360,
};

/* Colours of Okabe and Ito that carry dark text, by outcome. */
static const char *const fills[REQUEST_OUTCOMES] = {[REQUEST_HITS] = "#56b4e9",
                                                    [REQUEST_MISSES] = "#e69f00",
                                                    [REQUEST_PASSES] = "#bbb",
                                                    [REQUEST_UNSURE] = "#f0e442"};
static const char *const names[REQUEST_OUTCOMES] = {
    [REQUEST_HITS] = "request of a load that hits",
    [REQUEST_MISSES] = "request of a load that misses",
    [REQUEST_PASSES] = "request of a store or an atomic",
    [REQUEST_UNSURE] = "request of a load that hits, misses or is not made, depending on data"};

/* The content of the picture. */
struct picture {
    struct order_report *report;
    struct sm_share share;
    uint32_t channels;    /* rows */
    uint64_t turns, all;  /* columns, and accesses of the SM */
    uint64_t generations; /* that the columns are of */
    int height;           /* of all rows */
};

/* Those that the legend has: what depends on data is the last one. */
static size_t outcome_count(const struct order_report *report) {
    return report->timed->grid->cover.covers ? REQUEST_OUTCOMES : REQUEST_UNSURE;
}

static int cell_x(uint64_t turn) {
    return LEFT + (int)turn * CELL_WIDTH;
}

/* Counts rows and columns. */
static wb_status measure(struct picture *picture) {
    const struct traffic *traffic = &picture->report->timed->traffic;
    const wb_order_options *options = picture->report->options;
    const uint64_t most = options->has_first ? options->first : TURNS_USUAL;
    struct access_order order;
    struct ordered_access next;
    uint64_t generation = UINT64_MAX;
    wb_status status = access_order_begin(traffic, &picture->share, &order);
    picture->channels = order.share.resident * traffic->grid->warp_count;
    picture->height = (int)picture->channels * CELL_HEIGHT;
    for (; status == WB_OK && access_order_next(&order, &next); picture->all++) {
        if (picture->all >= most) continue;
        picture->turns++;
        picture->generations += order.generation != generation;
        generation = order.generation;
    }
    access_order_end(&order);
    return status;
}

static void put_begin(struct picture *picture) {
    struct text *out = &picture->report->out;
    const size_t entries = picture->report->insts.count + outcome_count(picture->report);
    int width = cell_x(picture->turns) + RIGHT;
    int height = TOP + picture->height + LEGEND_LEFT + (int)entries * LEGEND_STEP;
    if (width < LEFT + LEGEND_WIDTH) width = LEFT + LEGEND_WIDTH;
    svg_begin(out, width, height, 11);
    svg_text(out, LEGEND_LEFT, 22, SVG_TITLE);
    text_printf(out, "Order of the accesses of SM %" PRIu32, picture->share.sm);
    svg_text_end(out);
    svg_text(out, LEGEND_LEFT, 40, "");
    if (picture->turns < picture->all)
        text_printf(out, "the first %" PRIu64 " of %" PRIu64, picture->turns, picture->all);
    else
        text_printf(out, "all %" PRIu64, picture->all);
    text_string(out, " turns; a row per channel, in each cell the line of the instruction");
    svg_text_end(out);
}

/* The labels left of the rows: channels, with their warps unless these change. */
static void put_rows(const struct picture *picture) {
    struct text *out = &picture->report->out;
    const uint32_t warps = picture->report->timed->grid->warp_count;
    for (uint32_t channel = 0; channel < picture->channels; channel++) {
        const int y = TOP + (int)channel * CELL_HEIGHT;
        svg_line(out, LEGEND_LEFT, y, cell_x(picture->turns), y, channel % warps == 0 ? "#666" : SVG_PALE);
        svg_text(out, LEFT - 8, y + CELL_HEIGHT - 5, SVG_END);
        if (picture->generations <= 1) {
            uint32_t index[3];
            grid_block_index(picture->report->timed->grid,
                             channel / warps * picture->share.sms + picture->share.sm, index);
            text_printf(out, "block %" PRIu32 ",%" PRIu32 ",%" PRIu32 " warp %" PRIu32 ": ", index[0],
                        index[1], index[2], channel % warps);
        }
        text_printf(out, "channel %" PRIu32, channel);
        svg_text_end(out);
    }
}

/* A line where a generation or an epoch begins, and its number. */
static void put_border(const struct picture *picture, uint64_t turn, const char *what, uint64_t number,
                       int above) {
    struct text *out = &picture->report->out;
    svg_line(out, cell_x(turn), TOP - above - 10, cell_x(turn), TOP + picture->height, "#222");
    svg_text(out, cell_x(turn) + 4, TOP - above, "");
    text_printf(out, "%s %" PRIu64, what, number);
    svg_text_end(out);
}

/* The label of an instruction: its line, or the address of machine code. */
static void put_number(struct text *out, const struct inst_place *place) {
    if (place->is_machine)
        text_printf(out, "%" PRIx32, place->address);
    else
        text_printf(out, "%" PRIu32, place->line);
}

/* Requests of equal outcome are one part of the cell. */
static void put_cell(const struct picture *picture, const struct order_replay *replay, uint64_t turn) {
    struct text *out = &picture->report->out;
    const struct ordered_access *at = &replay->at;
    const struct order_inst *inst = &picture->report->insts.items[order_listed(picture->report, at)];
    const uint32_t requests = at->access->request_count;
    const int y = TOP + (int)order_channel(&replay->order, at->block, at->warp) * CELL_HEIGHT;
    const double part = (CELL_WIDTH - 2.0) / requests;
    text_printf(out,
                inst->place.is_machine ? "<g><title>turn %" PRIu64 ": 0x%04" PRIx32 ", %s, %" PRIu32
                                         " request%s of warp %" PRIu32 "</title>\n"
                                       : "<g><title>turn %" PRIu64 ": line %" PRIu32 ", %s, %" PRIu32
                                         " request%s of warp %" PRIu32 "</title>\n",
                turn, inst->place.is_machine ? inst->place.address : inst->place.line, inst->inst->form->name,
                requests, plural(requests), at->warp);
    for (uint32_t r = 0, next; r < requests; r = next) {
        for (next = r + 1; next < requests && replay->met.outcomes[next] == replay->met.outcomes[r];)
            next++;
        text_printf(out, "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"%s\"/>\n",
                    cell_x(turn) + 1 + r * part, y + 1, (next - r) * part, CELL_HEIGHT - 2,
                    fills[replay->met.outcomes[r]]);
    }
    svg_text(out, cell_x(turn) + CELL_WIDTH / 2, y + CELL_HEIGHT - 5, SVG_MIDDLE " font-size=\"10\"");
    put_number(out, &inst->place);
    text_string(out, "</text></g>\n");
}

static wb_status put_cells(struct picture *picture) {
    struct order_report *report = picture->report;
    struct order_replay replay;
    uint64_t generation = UINT64_MAX, epoch = UINT64_MAX;
    wb_status status = order_replay_begin(&report->timed->traffic, &picture->share, &replay);
    for (uint64_t turn = 0; status == WB_OK && turn < picture->turns && order_replay_next(&replay); turn++) {
        const bool begins = replay.order.generation != generation;
        if (begins) put_border(picture, turn, "generation", replay.order.generation, 18);
        if (begins || replay.at.epoch != epoch) put_border(picture, turn, "epoch", replay.at.epoch, 4);
        generation = replay.order.generation;
        epoch = replay.at.epoch;
        put_cell(picture, &replay, turn);
        if (turn % NUMBER_STEP == 0) {
            svg_text(&report->out, cell_x(turn) + CELL_WIDTH / 2, TOP + picture->height + 14, SVG_MIDDLE);
            text_printf(&report->out, "%" PRIu64, turn);
            svg_text_end(&report->out);
        }
        status = report_flush(&report->out, report->writer, false);
    }
    if (status == WB_OK) status = replay.status;
    order_replay_end(&replay);
    return status;
}

static void put_legend(const struct picture *picture) {
    struct order_report *report = picture->report;
    struct text *out = &report->out;
    int y = TOP + picture->height + LEGEND_LEFT;
    for (size_t o = 0; o < outcome_count(report); o++, y += LEGEND_STEP) {
        svg_rect(out, LEGEND_LEFT, y, CELL_WIDTH, CELL_HEIGHT - 2, fills[o]);
        svg_text(out, LEGEND_LEFT + CELL_WIDTH + 8, y + CELL_HEIGHT - 6, "");
        text_string(out, names[o]);
        svg_text_end(out);
    }
    for (size_t i = 0; i < report->insts.count; i++, y += LEGEND_STEP) {
        svg_text(out, LEGEND_LEFT + CELL_WIDTH / 2, y + CELL_HEIGHT - 6, SVG_MIDDLE);
        put_number(out, &report->insts.items[i].place);
        text_string(out, "</text>");
        svg_text(out, LEGEND_LEFT + CELL_WIDTH + 8, y + CELL_HEIGHT - 6, "");
        text_string(out, report->insts.items[i].inst->form->name);
        svg_text_end(out);
    }
}

wb_status order_svg_check(const wb_order_options *options, wb_diagnostics *diagnostics) {
    if (options->channels) {
        diagnose(
            diagnostics, SEVERITY_ERROR, "picture",
            "there is none of the configuration of the channels, only of the order; expected text or json");
        return WB_ERR_INPUT;
    }
    if (!options->has_first || options->first <= TURNS_MAX) return WB_OK;
    diagnose(diagnostics, SEVERITY_ERROR, "picture", "it has at most %d accesses, not %" PRIu64, TURNS_MAX,
             options->first);
    return WB_ERR_INPUT;
}

wb_status order_report_svg(struct order_report *report) {
    const wb_order_options *options = report->options;
    struct picture picture = {.report = report,
                              .share = order_report_share(report, options->one_sm ? options->sm : 0)};
    WB_TRY(measure(&picture));
    put_begin(&picture);
    put_rows(&picture);
    svg_text(&report->out, LEFT - 8, TOP + picture.height + 14, SVG_END);
    text_string(&report->out, "turn");
    svg_text_end(&report->out);
    WB_TRY(put_cells(&picture));
    put_legend(&picture);
    svg_end(&report->out);
    return report_flush(&report->out, report->writer, true);
}
