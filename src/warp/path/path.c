#include "warp/path/path.h"

#include <assert.h>
#include <string.h>

/* Slots of path_writer.last_seen: far more than a loop body has entries. A collision only costs a fold. */
#define SEEN_SLOTS 4096u

/* A repetition that saves fewer entries than this is written out, if it is one of runs, and if it is one of
 * folds: few readers are quicker for the latter. */
#define FOLD_SAVES_AT_LEAST 24u
#define NEST_SAVES_AT_LEAST 1024u

/* Most entries of a path: 3 GB. */
#define ENTRIES_MAX ((size_t)1 << 28)

/* Most runs of a loop body that path_repeat_last repeats. */
#define TAIL_RUNS_MAX ((size_t)1 << 20)

static bool entry_equal(struct path_entry a, struct path_entry b) {
    return a.first == b.first && a.count == b.count && a.mask == b.mask;
}

static uint64_t entry_hash(struct path_entry entry) {
    uint64_t hash = ((uint64_t)entry.first << 32 | entry.count) * UINT64_C(0x9e3779b97f4a7c15);
    hash ^= (hash >> 29) ^ entry.mask;
    hash *= UINT64_C(0xbf58476d1ce4e5b9);
    return hash ^ (hash >> 32);
}

/* Stores an entry behind the last one and remembers where. */
static wb_status store_entry(struct path_writer *writer, struct path_entry entry) {
    if (writer->path.entries.count >= ENTRIES_MAX) return WB_ERR_LIMIT;
    WB_TRY(vec_push(&writer->path.entries, entry));
    writer->last_seen[entry_hash(entry) % SEEN_SLOTS] = (uint32_t)writer->path.entries.count;
    return WB_OK;
}

/* The first fold in no other one that ends at an entry or behind it, as an index into writer->folds. */
static size_t outermost_from(const struct path_writer *writer, size_t entry) {
    size_t low = 0, high = writer->folds.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (writer->folds.items[middle].at < entry)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* How deep folds are in the entries from `first` on. */
static uint32_t depth_from(const struct path_writer *writer, size_t first) {
    uint32_t depth = 0;
    for (size_t i = outermost_from(writer, first); i < writer->folds.count; i++)
        if (writer->folds.items[i].depth > depth) depth = writer->folds.items[i].depth;
    return depth;
}

/* Folds the last `period` entries, or copies what is a fold elsewhere. */
static wb_status store_fold(struct path_writer *writer, size_t period, uint32_t repeats) {
    const size_t at = writer->path.entries.count;
    const struct path_outermost fold = {at, depth_from(writer, at - period) + 1};
    assert(period > 0 && fold.depth <= PATH_DEPTH_MAX);
    if (at >= ENTRIES_MAX) return WB_ERR_LIMIT;
    writer->folds.count = outermost_from(writer, at - period);
    WB_TRY(vec_push(&writer->path.entries, ((struct path_entry){(uint32_t)period, PATH_REPEAT, repeats})));
    if (fold.depth == PATH_DEPTH_MAX) writer->sealed = at + 1;
    return vec_push(&writer->folds, fold);
}

/* Ends one match, the body of which are the last entries stored: complete repetitions become a fold, or
 * entries when they are few; the beginning of the one that was not completed becomes entries. */
static wb_status end_match(struct path_writer *writer, const struct path_match *match) {
    const size_t body = writer->path.entries.count - match->period;
    const uint64_t least = depth_from(writer, body) > 0 ? NEST_SAVES_AT_LEAST : FOLD_SAVES_AT_LEAST;
    size_t again = match->matched;
    assert(match->period <= writer->path.entries.count && match->matched < match->period);
    if (match->repeats * (uint64_t)match->period >= least)
        WB_TRY(store_fold(writer, match->period, match->repeats));
    else
        again += match->repeats * match->period;
    for (size_t i = 0; i < again; i++) {
        const struct path_entry entry = writer->path.entries.items[body + i % match->period];
        WB_TRY(entry.count == PATH_REPEAT ? store_fold(writer, entry.first, entry.mask)
                                          : store_entry(writer, entry));
    }
    return WB_OK;
}

static wb_status end_matches(struct path_writer *writer) {
    const uint32_t count = writer->match_count;
    writer->match_count = 0;
    for (uint32_t m = 0; m < count; m++)
        WB_TRY(end_match(writer, &writer->matches[m]));
    return WB_OK;
}

static const struct path_entry *expected(const struct path_writer *writer, const struct path_match *match,
                                         size_t further) {
    return &writer->path.entries.items[match->body + (match->matched + further) % match->period];
}

static void advance_match(struct path_match *match, size_t entries) {
    match->matched += entries;
    for (; match->matched >= match->period; match->matched -= match->period)
        match->repeats++;
}

/* Whether the innermost match is the fold that the one around it expects, and its last, incomplete repetition
 * what that expects next: it is taken for so. */
static bool leave_fold(struct path_writer *writer) {
    if (writer->match_count < 2) return false;
    const struct path_match *inner = &writer->matches[writer->match_count - 1];
    struct path_match *outer = &writer->matches[writer->match_count - 2];
    if (inner->repeats != expected(writer, outer, 0)->mask || outer->repeats >= UINT32_MAX - 1) return false;
    for (size_t i = 0; i < inner->matched; i++)
        if (!entry_equal(*expected(writer, outer, 1 + i), writer->path.entries.items[inner->body + i]))
            return false;
    if (1 + inner->matched > outer->period) return false;
    advance_match(outer, 1 + inner->matched);
    writer->match_count--;
    return true;
}

/* Whether the entry is the next one of the body being matched; if so it counts as written. */
static bool continue_match(struct path_writer *writer, struct path_entry entry) {
    for (;;) {
        struct path_match *match = &writer->matches[writer->match_count - 1];
        const struct path_entry *next = expected(writer, match, 0);
        if (next->count == PATH_REPEAT) {
            assert(writer->match_count < PATH_DEPTH_MAX && next->first <= match->matched);
            writer->matches[writer->match_count++] = (struct path_match){
                .body = match->body + match->matched - next->first, .period = next->first};
        } else if (match->repeats != UINT32_MAX && entry_equal(entry, *next)) {
            advance_match(match, 1);
            return true;
        } else if (!leave_fold(writer)) {
            return false;
        }
    }
}

/* Whether a body can begin at the entry: it cuts no fold. */
static bool is_whole_from(const struct path_writer *writer, size_t entry) {
    const size_t fold = outermost_from(writer, entry);
    if (fold == writer->folds.count) return true;
    const size_t at = writer->folds.items[fold].at;
    return at - writer->path.entries.items[at].first >= entry;
}

/* Writes a complete run: as part of a repetition, as the begin of one, or as an entry of its own. */
static wb_status write_entry(struct path_writer *writer, struct path_entry entry) {
    if (writer->match_count != 0) {
        if (continue_match(writer, entry)) return WB_OK;
        WB_TRY(end_matches(writer));
    }
    if (writer->last_seen == NULL) {
        writer->last_seen = calloc(SEEN_SLOTS, sizeof *writer->last_seen);
        if (writer->last_seen == NULL) return WB_ERR_LIMIT;
    }
    size_t seen = writer->last_seen[entry_hash(entry) % SEEN_SLOTS];
    bool stands = seen > writer->sealed && seen <= writer->path.entries.count;
    if (stands && entry_equal(entry, writer->path.entries.items[seen - 1]) &&
        is_whole_from(writer, seen - 1)) {
        const size_t period = writer->path.entries.count - (seen - 1);
        writer->matches[writer->match_count++] = (struct path_match){.body = seen - 1, .period = period};
        continue_match(writer, entry);
        return WB_OK;
    }
    return store_entry(writer, entry);
}

wb_status path_open_run(struct path_writer *writer, uint32_t instruction, uint32_t mask) {
    if (writer->open.count != 0) WB_TRY(write_entry(writer, writer->open));
    writer->open = (struct path_entry){instruction, 1, mask};
    return WB_OK;
}

/* Stores what has been appended so far. */
static wb_status flush(struct path_writer *writer) {
    if (writer->open.count != 0) WB_TRY(write_entry(writer, writer->open));
    writer->open.count = 0;
    return end_matches(writer);
}

/* The runs at the end of a path, the last one first. */
struct path_tail {
    VEC(struct path_entry) runs;
    uint64_t missing; /* instructions still to be found */
};

/* Takes a run from the end, or as much of it as is missing. */
static wb_status take_run(struct path_tail *tail, struct path_entry run) {
    if (tail->runs.count == TAIL_RUNS_MAX) return WB_ERR_LIMIT;
    if (run.count > tail->missing) {
        run.first += run.count - (uint32_t)tail->missing;
        run.count = (uint32_t)tail->missing;
    }
    tail->missing -= run.count;
    return vec_push(&tail->runs, run);
}

/* Collects the runs of the last instructions of some entries; folds are unrolled. */
static wb_status take_tail(struct path_tail *tail, const struct path_entry *first,
                           const struct path_entry *end) {
    while (end > first && tail->missing != 0) {
        const struct path_entry *entry = --end;
        if (entry->count != PATH_REPEAT) WB_TRY(take_run(tail, *entry));
        for (uint32_t r = 0; entry->count == PATH_REPEAT && r < entry->mask && tail->missing != 0; r++)
            WB_TRY(take_tail(tail, entry - entry->first, entry));
    }
    return WB_OK;
}

static wb_status append_repeated(struct path_writer *writer, const struct path_tail *tail, uint64_t times) {
    const size_t count = tail->runs.count;
    if (writer->path.entries.count + count >= ENTRIES_MAX || times - 1 > UINT32_MAX) return WB_ERR_LIMIT;
    for (size_t i = count; i-- > 0;)
        WB_TRY(vec_push(&writer->path.entries, tail->runs.items[i]));
    if (times > 1) WB_TRY(store_fold(writer, count, (uint32_t)(times - 1)));
    writer->sealed = writer->path.entries.count;
    return WB_OK;
}

wb_status path_repeat_last(struct path_writer *writer, uint64_t length, uint64_t times) {
    assert(length <= writer->path.length && writer->path.length <= PATH_LENGTH_MAX);
    if (length == 0 || times == 0) return WB_OK;
    WB_TRY(flush(writer));
    if (times > (PATH_LENGTH_MAX - writer->path.length) / length) return WB_ERR_LIMIT;
    struct path_tail tail = {.missing = length};
    const struct path_entry *entries = writer->path.entries.items;
    wb_status status = take_tail(&tail, entries, entries + writer->path.entries.count);
    if (status == WB_OK) status = append_repeated(writer, &tail, times);
    if (status == WB_OK) writer->path.length += length * times;
    vec_free(&tail.runs);
    return status;
}

/* The match that has ended one more repetition than before, if that is all that happened; or else their
 * number. */
static uint32_t repeating(const struct path_writer *writer, const struct path_writer *before) {
    uint32_t found = writer->match_count;
    if (writer->match_count != before->match_count ||
        writer->path.entries.count != before->path.entries.count || !entry_equal(writer->open, before->open))
        return writer->match_count;
    for (uint32_t m = 0; m < writer->match_count; m++) {
        const struct path_match *now = &writer->matches[m], *then = &before->matches[m];
        if (now->body != then->body || now->period != then->period || now->matched != then->matched)
            return writer->match_count;
        if (now->repeats == then->repeats) continue;
        if (now->repeats != then->repeats + 1 || found < m) return writer->match_count;
        found = m;
    }
    return found;
}

uint32_t path_repeats(const struct path_writer *writer, const struct path_writer *before) {
    const uint32_t match = repeating(writer, before);
    const uint64_t length = writer->path.length - before->path.length;
    if (match == writer->match_count || length == 0 || writer->path.length > PATH_LENGTH_MAX) return 0;
    const uint64_t room = (PATH_LENGTH_MAX - writer->path.length) / length;
    const uint32_t most = UINT32_MAX - 2 - writer->matches[match].repeats;
    return room < most ? (uint32_t)room : most;
}

void path_repeat(struct path_writer *writer, const struct path_writer *before, uint32_t times) {
    assert(times <= path_repeats(writer, before));
    writer->matches[repeating(writer, before)].repeats += times;
    writer->path.length += (writer->path.length - before->path.length) * times;
}

/* Whether folds stand behind their bodies and cut no other one, and the length is that of what is unrolled:
 * what every path is asserted to be. */
static bool path_holds(const struct path *path) {
    size_t bodies[PATH_DEPTH_MAX];
    uint32_t depth = 0; /* of folds around the entry, seen from the end */
    for (size_t i = path->entries.count; i-- > 0;) {
        const struct path_entry *entry = &path->entries.items[i];
        while (depth > 0 && i < bodies[depth - 1])
            depth--;
        if (entry->count != PATH_REPEAT) continue;
        if (entry->first == 0 || entry->first > i || depth == PATH_DEPTH_MAX) return false;
        if (depth > 0 && i - entry->first < bodies[depth - 1]) return false;
        bodies[depth++] = i - entry->first;
    }
    struct path_runs runs = path_runs_of(path);
    struct path_entry run;
    uint64_t length = 0;
    for (uint64_t times; path_runs_next(&runs, &run, &times);)
        length += run.count * times;
    return length == path->length;
}

wb_status path_hand_over(struct path_writer *writer, struct path *path) {
    WB_TRY(flush(writer));
    uint64_t hash = writer->path.length;
    for (size_t i = 0; i < writer->path.entries.count; i++)
        hash = (hash ^ entry_hash(writer->path.entries.items[i])) * UINT64_C(0x94d049bb133111eb);
    writer->path.hash = hash;
    assert(path_holds(&writer->path));
    *path = writer->path;
    writer->path = (struct path){0};
    path_restart(writer);
    return WB_OK;
}

wb_status path_append_run(struct path_writer *writer, uint32_t first, uint32_t count, uint32_t mask) {
    assert(count <= UINT32_MAX - first);
    if (count == 0) return WB_OK;
    WB_TRY(path_append(writer, first, mask));
    writer->open.count += count - 1;
    writer->path.length += count - 1;
    return WB_OK;
}

wb_status path_finish(struct path_writer *writer, struct path *path) {
    WB_TRY(path_hand_over(writer, path));
    path_writer_free(writer);
    return WB_OK;
}

void path_restart(struct path_writer *writer) {
    writer->path.entries.count = writer->folds.count = writer->sealed = 0;
    writer->path.length = writer->path.hash = 0;
    writer->match_count = writer->open.count = 0;
}

void path_writer_free(struct path_writer *writer) {
    path_free(&writer->path);
    vec_free(&writer->folds);
    free(writer->last_seen);
    memset(writer, 0, sizeof *writer);
}

wb_status path_copy(const struct path *path, struct path *copy) {
    const size_t count = path->entries.count;
    WB_TRY(vec_reserve(&copy->entries, count));
    if (count > 0) memcpy(copy->entries.items, path->entries.items, count * sizeof *copy->entries.items);
    copy->entries.count = count;
    copy->length = path->length;
    copy->hash = path->hash;
    return WB_OK;
}

uint64_t path_bytes(const struct path *path) {
    return path->entries.count * sizeof *path->entries.items;
}

void path_free(struct path *path) {
    vec_free(&path->entries);
    path->length = path->hash = 0;
}

bool path_equal(const struct path *a, const struct path *b) {
    if (a->hash != b->hash || a->length != b->length || a->entries.count != b->entries.count) return false;
    if (a->entries.count == 0) return true;
    return memcmp(a->entries.items, b->entries.items, a->entries.count * sizeof *a->entries.items) == 0;
}

struct path_runs path_runs_of(const struct path *path) {
    const struct path_entry *first = path->entries.items;
    const size_t count = path->entries.count;
    return (struct path_runs){.first = first, .next = count > 0 ? first + count : first};
}

struct path_runs path_runs_of_body(const struct path_fold *fold) {
    return (struct path_runs){.first = fold->body.entry, .next = fold->body.end};
}

bool path_runs_next(struct path_runs *runs, struct path_entry *run, uint64_t *times) {
    while (runs->next > runs->first) {
        const struct path_entry *entry = --runs->next;
        while (runs->depth > 0 && entry < runs->folds[runs->depth - 1].body)
            runs->depth--;
        const uint64_t around = runs->depth > 0 ? runs->folds[runs->depth - 1].times : 1;
        if (entry->count != PATH_REPEAT) {
            *run = *entry;
            *times = around;
            return true;
        }
        assert(runs->depth < PATH_DEPTH_MAX);
        runs->folds[runs->depth].body = entry - entry->first;
        runs->folds[runs->depth++].times = around * ((uint64_t)entry->mask + 1);
    }
    return false;
}

bool path_is_nest(const struct path_fold *fold) {
    for (const struct path_entry *entry = fold->body.entry; entry < fold->body.end; entry++)
        if (entry->count == PATH_REPEAT) return true;
    return false;
}

struct path_cursor path_begin(const struct path *path) {
    struct path_cursor cursor = {.entry = path->entries.items, .end = path->entries.items};
    if (path->entries.count != 0) cursor.end += path->entries.count;
    return cursor;
}

/* The fold that the cursor repeats, the innermost one, or NULL. */
static struct path_repeating *innermost(struct path_cursor *cursor) {
    return cursor->depth > 0 ? &cursor->folds[cursor->depth - 1] : NULL;
}

bool path_next_run(struct path_cursor *cursor) {
    while (cursor->entry != cursor->end) {
        const struct path_entry *entry = cursor->entry;
        if (entry->count != PATH_REPEAT) {
            cursor->entry++;
            cursor->left = entry->count;
            cursor->instruction = entry->first;
            cursor->mask = entry->mask;
            return true;
        }
        struct path_repeating *repeating = innermost(cursor);
        if (repeating == NULL || repeating->fold != entry) {
            assert(cursor->depth < PATH_DEPTH_MAX);
            repeating = &cursor->folds[cursor->depth++];
            *repeating = (struct path_repeating){entry, entry->mask};
        }
        if (repeating->repetitions == 0) {
            cursor->depth--;
            cursor->entry++;
        } else {
            repeating->repetitions--;
            cursor->entry -= entry->first;
        }
    }
    return false;
}

bool path_at_fold(const struct path_cursor *cursor, struct path_fold *fold) {
    const struct path_entry *entry = cursor->entry;
    if (cursor->left != 0 || entry == cursor->end || entry->count != PATH_REPEAT ||
        (cursor->depth > 0 && cursor->folds[cursor->depth - 1].fold == entry))
        return false;
    *fold =
        (struct path_fold){.body = {.entry = entry - entry->first, .end = entry}, .repetitions = entry->mask};
    return true;
}

void path_skip_fold(struct path_cursor *cursor) {
    cursor->entry++;
}

bool path_same_place(const struct path_cursor *a, const struct path_cursor *b) {
    /* The instruction is that of the run before `entry` which has `left` still to come. */
    if (a->entry != b->entry || a->left != b->left || a->depth != b->depth) return false;
    for (uint32_t i = 0; i < a->depth; i++)
        if (a->folds[i].fold != b->folds[i].fold) return false;
    return true;
}
