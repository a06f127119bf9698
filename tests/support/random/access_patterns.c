#include "access_patterns.h"

#include <stdlib.h>

#define WARPS 8u
#define LINE_ELEMENTS 32u

/* Lines from one matrix to the next. */
#define MATRIX_LINES (1u << 20)

/* Lane l of warp w is thread (x, y) of a block of `width` columns. */
struct thread {
    uint32_t x, y;
};

static struct thread thread_of(uint32_t warp, uint32_t lane, uint32_t width) {
    uint32_t number = warp * WARP_LANES + lane;
    return (struct thread){number % width, number / width};
}

/* The lines of one access while it is written. */
struct access_text {
    struct text *text;
    uint32_t last; /* line written last, to leave out repetitions; UINT32_MAX: none */
};

static struct access_text begin(struct text *text, char kind, uint32_t instruction) {
    text_printf(text, " %c%u", kind, instruction);
    return (struct access_text){text, UINT32_MAX};
}

/* A lane reads or writes an element of a matrix. */
static void touch(struct access_text *access, uint32_t matrix, uint32_t element) {
    uint32_t line = matrix * MATRIX_LINES + element / LINE_ELEMENTS;
    if (line == access->last) return;
    text_printf(access->text, "%c%u", access->last == UINT32_MAX ? '=' : ',', line);
    access->last = line;
}

static void end_warp(struct text *text, uint32_t warp) {
    if (warp + 1 < WARPS) text_char(text, ';');
}

static void end_block(struct hand_grid *hand, struct text *text) {
    char *block = text_take(text);
    if (block == NULL) abort();
    hand_grid_add(hand, block);
    free(block);
}

void pattern_vecadd(struct hand_grid *hand, uint32_t blocks) {
    for (uint32_t b = 0; b < blocks; b++) {
        struct text text = {0};
        for (uint32_t w = 0; w < WARPS; w++) {
            for (uint32_t matrix = 0; matrix < 3; matrix++) {
                struct access_text access = begin(&text, matrix == 2 ? 'S' : 'L', matrix);
                touch(&access, matrix, (b * WARPS + w) * WARP_LANES);
            }
            end_warp(&text, w);
        }
        end_block(hand, &text);
    }
}

/* One warp of the stencil, at row y and columns x .. x + 31; the border has no neighbours. */
static void put_stencil(struct text *text, uint32_t x, uint32_t y, uint32_t width, uint32_t height) {
    static const int32_t dx[] = {0, 0, 0, -1, 1}, dy[] = {0, -1, 1, 0, 0};
    for (uint32_t i = 0; i < 5; i++) {
        if (i > 0 && (y == 0 || y == height - 1)) break;
        struct access_text access = begin(text, 'L', i);
        for (uint32_t l = 0; l < WARP_LANES; l++) {
            if (i > 0 && (x + l == 0 || x + l == width - 1)) continue;
            touch(&access, 0, (uint32_t)((int32_t)y + dy[i]) * width + (uint32_t)((int32_t)(x + l) + dx[i]));
        }
    }
    struct access_text access = begin(text, 'S', 5);
    touch(&access, 1, y * width + x);
}

void pattern_stencil(struct hand_grid *hand, uint32_t width, uint32_t height) {
    for (uint32_t y = 0; y < height; y += WARPS) {
        for (uint32_t x = 0; x < width; x += WARP_LANES) {
            struct text text = {0};
            for (uint32_t w = 0; w < WARPS; w++) {
                put_stencil(&text, x, y + w, width, height);
                end_warp(&text, w);
            }
            end_block(hand, &text);
        }
    }
}

#define TILE 16u

/* All lanes of a warp touch element (row, column) of a matrix, both given by what is added to the thread's y
 * and x times a factor. */
struct element_of_thread {
    uint32_t row, row_factor, column, column_factor;
};

static void put_tile_access(struct text *text, char kind, uint32_t instruction, uint32_t n, uint32_t warp,
                            struct element_of_thread element) {
    struct access_text access = begin(text, kind, instruction);
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        struct thread thread = thread_of(warp, l, TILE);
        uint32_t row = element.row + element.row_factor * thread.y;
        touch(&access, instruction, row * n + element.column + element.column_factor * thread.x);
    }
}

/* The blocks of both products; `tiled`: a barrier before and behind the use of a tile. */
static void put_matmul(struct hand_grid *hand, uint32_t n, bool tiled) {
    uint32_t step = tiled ? TILE : 1;
    for (uint32_t block = 0; block < n / TILE * (n / TILE); block++) {
        uint32_t row = block / (n / TILE) * TILE, column = block % (n / TILE) * TILE;
        struct text text = {0};
        for (uint32_t w = 0; w < WARPS; w++) {
            for (uint32_t k = 0; k < n; k += step) {
                put_tile_access(&text, 'L', 0, n, w, (struct element_of_thread){row, 1, k, tiled});
                put_tile_access(&text, 'L', 1, n, w, (struct element_of_thread){k, tiled, column, 1});
                if (tiled) text_string(&text, " | |");
            }
            put_tile_access(&text, 'S', 2, n, w, (struct element_of_thread){row, 1, column, 1});
            end_warp(&text, w);
        }
        end_block(hand, &text);
    }
}

void pattern_matmul(struct hand_grid *hand, uint32_t n) {
    put_matmul(hand, n, false);
}

void pattern_matmul_tiled(struct hand_grid *hand, uint32_t n) {
    put_matmul(hand, n, true);
}

void pattern_transpose(struct hand_grid *hand, uint32_t blocks, uint32_t pitch) {
    for (uint32_t b = 0; b < blocks; b++) {
        struct text text = {0};
        for (uint32_t w = 0; w < WARPS; w++) {
            struct access_text load = begin(&text, 'L', 0);
            for (uint32_t l = 0; l < WARP_LANES; l++)
                touch(&load, 0, (b * WARP_LANES + l) * pitch + w);
            struct access_text store = begin(&text, 'S', 1);
            touch(&store, 1, w * pitch + b * WARP_LANES);
            end_warp(&text, w);
        }
        end_block(hand, &text);
    }
}

void pattern_private(struct hand_grid *hand, uint32_t blocks, uint32_t times) {
    for (uint32_t b = 0; b < blocks; b++) {
        struct text text = {0};
        for (uint32_t w = 0; w < WARPS; w++) {
            for (uint32_t i = 0; i < 4 * times; i++) {
                struct access_text access = begin(&text, 'L', i % 4);
                touch(&access, 0, ((b * WARPS + w) * 4 + i % 4) * LINE_ELEMENTS);
            }
            end_warp(&text, w);
        }
        end_block(hand, &text);
    }
}
