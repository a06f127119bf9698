/* Which blocks the SMs had when: a row for each slot of an SM, or, of large GPUs and long executions, a row
 * for each SM that says how many of its slots are taken. */
#include "report/html/schedule.h"

#include <inttypes.h>
#include <stdlib.h>

#include "report/write/output.h"

/* Most rows, and most blocks with a box of their own. */
#define SLOT_ROWS_MAX 64u
#define SM_ROWS_MAX 128u
#define BLOCKS_DRAWN_MAX 2000u

/* Pieces of time for which slots are counted. */
#define PIECES 240u

/* Shades of how many of the slots are taken, but for none. */
#define SHADES 4u

static void open_row(struct html_page *page, const char *name) {
    text_printf(&page->out, "<li class=\"bar\"><span class=\"name\">%s</span> <span class=\"track\">", name);
}

static void close_row(struct html_page *page, const char *value) {
    text_printf(&page->out, "</span> <span class=\"value\">%s</span></li>\n", value);
}

static void put_box(struct html_page *page, const char *class, double from, double to, double end) {
    text_printf(&page->out, "<i class=\"%s\" style=\"left:", class);
    page_share(page, from, end);
    text_string(&page->out, ";width:");
    page_share(page, to - from, end);
    text_char(&page->out, '"');
}

static void put_block(struct html_page *page, const struct html_schedule *shown, const wb_block_time *block,
                      size_t number) {
    uint32_t index[3] = {block->block, 0, 0};
    char title[160];
    if (shown->analysis->timed == NULL)
        grid_block_index(shown->analysis->grid_times.grid, block->block, index);
    put_box(page, number % 2 == 0 ? "block even" : "block odd", (double)block->start, (double)block->end,
            (double)shown->info->cycles);
    (void)text_format(title, sizeof title, "block (%u,%u,%u): cycles %" PRIu64 " to %" PRIu64, index[0],
                      index[1], index[2], block->start, block->end);
    xml_attribute(&page->out, "title", title);
    text_string(&page->out, "></i>");
}

/* A row for each slot, its blocks in it. */
static void put_slots(struct html_page *page, const struct html_schedule *shown, const wb_block_time *blocks,
                      size_t count) {
    for (size_t i = 0, next; i < count; i = next) {
        char name[64], value[64];
        for (next = i;
             next < count && blocks[next].sm == blocks[i].sm && blocks[next].slot == blocks[i].slot;)
            next++;
        if (shown->info->slot_count > 1)
            (void)text_format(name, sizeof name, "SM %u, slot %u", blocks[i].sm, blocks[i].slot);
        else
            (void)text_format(name, sizeof name, "SM %u", blocks[i].sm);
        open_row(page, name);
        for (size_t b = i; b < next; b++)
            put_block(page, shown, &blocks[b], b - i);
        (void)text_format(value, sizeof value, "%zu block%s", next - i, plural(next - i));
        close_row(page, value);
    }
}

/* Counts a block in the pieces of time that it is in: in hundredths of a piece. */
static void count_block(uint32_t pieces[PIECES], const wb_block_time *block, double piece) {
    const double start = (double)block->start / piece, end = (double)block->end / piece;
    for (uint32_t p = (uint32_t)start; p < PIECES && (double)p < end; p++) {
        const double from = start > p ? start : p, to = end < p + 1.0 ? end : p + 1.0;
        pieces[p] += (uint32_t)(100.0 * (to - from) + 0.5);
    }
}

/* The shade of so many hundredths of slots. */
static uint32_t shade_of(uint32_t taken, uint32_t slots) {
    return (taken * SHADES + slots * 100 - 1) / (slots * 100);
}

/* A row for each SM, or for several: what of their slots is taken. */
static void put_sums(struct html_page *page, const struct html_schedule *shown, const wb_block_time *blocks,
                     size_t count) {
    const uint32_t sms = shown->info->sm_count, each = (sms + SM_ROWS_MAX - 1) / SM_ROWS_MAX;
    const uint32_t slots = each * shown->info->slot_count;
    const double piece = (double)shown->info->cycles / PIECES;
    for (size_t i = 0, next; i < count; i = next) {
        char name[64], value[64];
        uint32_t pieces[PIECES] = {0};
        const uint32_t row = blocks[i].sm / each,
                       last = (row + 1) * each < sms ? (row + 1) * each - 1 : sms - 1;
        for (next = i; next < count && blocks[next].sm / each == row; next++)
            count_block(pieces, &blocks[next], piece);
        if (each > 1)
            (void)text_format(name, sizeof name, "SM %u to %u", row * each, last);
        else
            (void)text_format(name, sizeof name, "SM %u", row);
        open_row(page, name);
        for (uint32_t p = 0, end; p < PIECES; p = end) {
            const uint32_t shade = shade_of(pieces[p], slots);
            char class[32];
            for (end = p; end < PIECES && shade_of(pieces[end], slots) == shade;)
                end++;
            if (shade == 0) continue;
            (void)text_format(class, sizeof class, "block shade-%u", shade < SHADES ? shade : SHADES);
            put_box(page, class, p, end, PIECES);
            text_string(&page->out, "></i>");
        }
        (void)text_format(value, sizeof value, "%zu block%s", next - i, plural(next - i));
        close_row(page, value);
    }
}

void html_residents(struct html_page *page, const struct html_schedule *shown) {
    struct text *out = &page->out;
    size_t count;
    const wb_block_time *blocks = wb_schedule_blocks(shown->schedule, &count);
    const uint64_t slots = (uint64_t)shown->info->sm_count * shown->info->slot_count;
    const bool each = slots <= SLOT_ROWS_MAX && count <= BLOCKS_DRAWN_MAX;
    text_string(out, "<p>");
    page_count(page, count);
    text_printf(out, " block%s on %u SM%s, at most %u at a time on each, in that execution.</p>\n",
                plural(count), shown->info->sm_count, plural(shown->info->sm_count), shown->info->slot_count);
    text_printf(out, "<div class=\"bars residents\"><ol>\n");
    if (each)
        put_slots(page, shown, blocks, count);
    else if (count > 0)
        put_sums(page, shown, blocks, count);
    text_string(out, "</ol>\n");
    page_axis(page, shown->info->cycles);
    text_string(out, "</div>\n");
    if (!each)
        page_note(
            page,
            "Single blocks are not drawn, as there are too many: the darker, the more of the slots are taken "
            "(up to a quarter, a half, three quarters, all), in pieces of %" PRIu64 " cycles.",
            shown->info->cycles / PIECES);
}
