#include "warp/path/path.h"

#include <assert.h>
#include <string.h>

/* Slots of path_writer.last_seen: far more than a loop body has entries. A collision only costs a fold. */
#define SEEN_SLOTS 4096u

/* A repetition that saves fewer entries than this is written out: as folds do not nest, a fold of a short
 * inner loop would prevent that of the outer one. */
#define FOLD_SAVES_AT_LEAST 24u

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

/* Ends the match: complete repetitions become a fold, or entries when they are few; the beginning of the one
 * that was not completed becomes entries. */
static wb_status end_match(struct path_writer *writer) {
    assert(writer->period <= writer->path.entries.count && writer->matched < writer->period);
    size_t body = writer->path.entries.count - writer->period;
    size_t again = writer->matched;
    if (writer->repeats * (uint64_t)writer->period >= FOLD_SAVES_AT_LEAST) {
        struct path_entry fold = {(uint32_t)writer->period, PATH_REPEAT, writer->repeats};
        WB_TRY(vec_push(&writer->path.entries, fold));
        writer->unfolded = writer->path.entries.count;
    } else {
        again += writer->repeats * writer->period;
    }
    for (size_t i = 0; i < again; i++)
        WB_TRY(store_entry(writer, writer->path.entries.items[body + i % writer->period]));
    writer->period = writer->matched = 0;
    writer->repeats = 0;
    return WB_OK;
}

/* Whether the entry is the next one of the body being matched; if so it counts as written. */
static bool continue_match(struct path_writer *writer, struct path_entry entry) {
    size_t body = writer->path.entries.count - writer->period;
    if (writer->repeats == UINT32_MAX ||
        !entry_equal(entry, writer->path.entries.items[body + writer->matched]))
        return false;
    if (++writer->matched == writer->period) {
        writer->matched = 0;
        writer->repeats++;
    }
    return true;
}

/* Writes a complete run: as part of a repetition, as the begin of one, or as an entry of its own. */
static wb_status write_entry(struct path_writer *writer, struct path_entry entry) {
    if (writer->period != 0) {
        if (continue_match(writer, entry)) return WB_OK;
        WB_TRY(end_match(writer));
    }
    if (writer->last_seen == NULL) {
        writer->last_seen = calloc(SEEN_SLOTS, sizeof *writer->last_seen);
        if (writer->last_seen == NULL) return WB_ERR_LIMIT;
    }
    size_t seen = writer->last_seen[entry_hash(entry) % SEEN_SLOTS];
    bool stands = seen > writer->unfolded && seen <= writer->path.entries.count;
    if (stands && entry_equal(entry, writer->path.entries.items[seen - 1])) {
        writer->period = writer->path.entries.count - (seen - 1);
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
    return writer->period != 0 ? end_match(writer) : WB_OK;
}

/* The runs at the end of a path, the last one first. */
struct path_tail {
    VEC(struct path_entry) runs;
    uint64_t missing; /* instructions still to be found */
};

/* Takes a run from the end, or as much of it as is missing. */
static wb_status take_run(struct path_tail *tail, struct path_entry run) {
    if (tail->missing == 0) return WB_OK;
    if (tail->runs.count == TAIL_RUNS_MAX) return WB_ERR_LIMIT;
    if (run.count > tail->missing) {
        run.first += run.count - (uint32_t)tail->missing;
        run.count = (uint32_t)tail->missing;
    }
    tail->missing -= run.count;
    return vec_push(&tail->runs, run);
}

/* Collects the runs of the last instructions; folds are unrolled. */
static wb_status take_tail(const struct path *path, struct path_tail *tail) {
    for (size_t i = path->entries.count; i-- > 0 && tail->missing != 0;) {
        struct path_entry entry = path->entries.items[i];
        if (entry.count != PATH_REPEAT) {
            WB_TRY(take_run(tail, entry));
            continue;
        }
        for (uint32_t r = 0; r < entry.mask && tail->missing != 0; r++)
            for (size_t b = 1; b <= entry.first && tail->missing != 0; b++)
                WB_TRY(take_run(tail, path->entries.items[i - b]));
    }
    return WB_OK;
}

static wb_status append_repeated(struct path_writer *writer, const struct path_tail *tail, uint64_t times) {
    size_t count = tail->runs.count;
    if (writer->path.entries.count + count >= ENTRIES_MAX || times - 1 > UINT32_MAX) return WB_ERR_LIMIT;
    for (size_t i = count; i-- > 0;)
        WB_TRY(vec_push(&writer->path.entries, tail->runs.items[i]));
    struct path_entry fold = {(uint32_t)count, PATH_REPEAT, (uint32_t)(times - 1)};
    if (times > 1) WB_TRY(vec_push(&writer->path.entries, fold));
    writer->unfolded = writer->path.entries.count;
    return WB_OK;
}

wb_status path_repeat_last(struct path_writer *writer, uint64_t length, uint64_t times) {
    assert(length <= writer->path.length);
    if (length == 0 || times == 0) return WB_OK;
    WB_TRY(flush(writer));
    if (times > (UINT64_MAX - writer->path.length) / length) return WB_ERR_LIMIT;
    struct path_tail tail = {.missing = length};
    wb_status status = take_tail(&writer->path, &tail);
    if (status == WB_OK) status = append_repeated(writer, &tail, times);
    if (status == WB_OK) writer->path.length += length * times;
    vec_free(&tail.runs);
    return status;
}

bool path_repeats(const struct path_writer *writer, const struct path_writer *before, uint64_t length) {
    return writer->period != 0 && writer->period == before->period && writer->matched == before->matched &&
           writer->path.entries.count == before->path.entries.count &&
           writer->open.first == before->open.first && writer->open.count == before->open.count &&
           writer->open.mask == before->open.mask && writer->repeats == before->repeats + 1 &&
           writer->path.length == before->path.length + length;
}

void path_repeat(struct path_writer *writer, uint64_t length, uint32_t times) {
    assert(writer->period != 0 && times <= UINT32_MAX - writer->repeats);
    writer->repeats += times;
    writer->path.length += length * times;
}

/* Whether folds stand behind their bodies and do not nest, and the length is that of what is unrolled: what
 * every path is asserted to be. */
static bool path_holds(const struct path *path) {
    uint64_t length = 0;
    size_t unfolded = 0; /* entries up to the last fold */
    for (size_t i = 0; i < path->entries.count; i++) {
        const struct path_entry *entry = &path->entries.items[i];
        length += entry->count;
        if (entry->count != PATH_REPEAT) continue;
        if (entry->first == 0 || entry->first > i - unfolded) return false;
        for (size_t b = i - entry->first; b < i; b++)
            length += (uint64_t)entry->mask * path->entries.items[b].count;
        unfolded = i + 1;
    }
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
    *writer = (struct path_writer){.last_seen = writer->last_seen};
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
    struct path kept = writer->path;
    kept.entries.count = 0;
    kept.length = kept.hash = 0;
    *writer = (struct path_writer){.path = kept, .last_seen = writer->last_seen};
}

void path_writer_free(struct path_writer *writer) {
    path_free(&writer->path);
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

bool path_runs_next(struct path_runs *runs, struct path_entry *run, uint64_t *times) {
    while (runs->left > 0) {
        const struct path_entry *entry = &runs->path->entries.items[--runs->left];
        if (entry->count == PATH_REPEAT) {
            runs->folded = entry->first;
            runs->repetitions = entry->mask;
            continue;
        }
        *run = *entry;
        *times = runs->folded > 0 ? runs->repetitions + 1 : 1;
        runs->folded -= runs->folded > 0;
        return true;
    }
    assert(runs->folded == 0); /* a fold is behind what it repeats */
    return false;
}

struct path_cursor path_begin(const struct path *path) {
    struct path_cursor cursor = {.entry = path->entries.items, .end = path->entries.items};
    if (path->entries.count != 0) cursor.end += path->entries.count;
    return cursor;
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
        if (cursor->fold != entry) {
            cursor->fold = entry;
            cursor->repetitions = entry->mask;
        }
        if (cursor->repetitions == 0) {
            cursor->fold = NULL;
            cursor->entry++;
        } else {
            cursor->repetitions--;
            cursor->entry -= entry->first;
        }
    }
    return false;
}

bool path_at_fold(const struct path_cursor *cursor, struct path_fold *fold) {
    const struct path_entry *entry = cursor->entry;
    if (cursor->left != 0 || entry == cursor->end || entry->count != PATH_REPEAT || cursor->fold == entry)
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
    return a->entry == b->entry && a->left == b->left && a->fold == b->fold;
}
