#include "report/html/page.h"

#include <assert.h>
#include <stdlib.h>

/* Widths of what stands in a layer: of a node, and of an edge that passes through. */
#define NODE_WIDTH 1.0
#define BEND_WIDTH 0.22

/* How often layers are put in order, and places improved, downwards and upwards each time. */
#define SWEEPS 12u

/* A node, or the bend of an edge in one layer. */
struct item {
    uint32_t layer, rank; /* rank: from the left */
    double x, width, wanted;
    struct item_list {
        VEC(uint32_t) items;
    } above, below; /* neighbours in the next layers, by number of the item */
};

struct drawing {
    struct arena *arena;
    struct layers *layers;
    struct item *items;
    uint32_t item_count;
    struct item_list *rows; /* per layer its items from the left */
    bool *met;              /* per node: it was walked to */
    uint32_t *order;        /* per node its place in a reversed postorder */
    uint32_t *sorted;       /* the nodes in that order */
};

/* ---- Layers ---------------------------------------------------------------------------------------------
 */

/* Numbers all unnumbered nodes that `node` reaches, downwards from `*left`. */
static void walk_from(struct drawing *drawing, const struct graph *graph, uint32_t node, uint32_t *left) {
    if (drawing->met[node]) return;
    drawing->met[node] = true;
    for (uint32_t e = graph->out.first[node]; e < graph->out.first[node + 1]; e++)
        walk_from(drawing, graph, graph->out.nodes[e], left);
    drawing->order[node] = --*left;
    drawing->sorted[*left] = node;
}

/* Numbers the nodes such that only edges that close a cycle go back: to the start of a walk, which is the
 * first node or one without predecessors. */
static void find_order(struct drawing *drawing, const struct graph *graph) {
    const uint32_t count = graph->node_count;
    uint32_t left = count;
    drawing->met = arena_array(drawing->arena, count, sizeof *drawing->met);
    drawing->order = arena_array(drawing->arena, count, sizeof *drawing->order);
    drawing->sorted = arena_array(drawing->arena, count, sizeof *drawing->sorted);
    for (uint32_t node = count; node-- > 0;)
        if (node == 0 || graph->in.first[node + 1] == graph->in.first[node])
            walk_from(drawing, graph, node, &left);
    for (uint32_t node = 0; node < count; node++) /* cycles without predecessors */
        walk_from(drawing, graph, node, &left);
}

/* Every node one layer below its lowest predecessor. */
static void find_layers(struct drawing *drawing, const struct graph *graph) {
    struct layers *layers = drawing->layers;
    for (uint32_t i = 0; i < layers->node_count; i++) {
        const uint32_t from = drawing->sorted[i], below = layers->nodes[from].layer + 1;
        if (below > layers->layer_count) layers->layer_count = below;
        for (uint32_t e = graph->out.first[from]; e < graph->out.first[from + 1]; e++) {
            const uint32_t to = graph->out.nodes[e];
            if (drawing->order[to] > drawing->order[from] && layers->nodes[to].layer < below)
                layers->nodes[to].layer = below;
        }
    }
}

/* ---- Items ----------------------------------------------------------------------------------------------
 */

static void add_item(struct drawing *drawing, uint32_t layer, double width) {
    struct item_list *row = &drawing->rows[layer];
    drawing->items[drawing->item_count] =
        (struct item){.layer = layer, .width = width, .rank = (uint32_t)row->items.count};
    arena_push(drawing->arena, &row->items, drawing->item_count);
    drawing->item_count++;
}

/* Links neighbouring items of a downward edge. */
static void link_items(struct drawing *drawing, uint32_t upper, uint32_t lower) {
    arena_push(drawing->arena, &drawing->items[upper].below.items, lower);
    arena_push(drawing->arena, &drawing->items[lower].above.items, upper);
}

/* Makes the items, and the rows of all layers in the order of the nodes; bends of edge e are the items from
 * first_bend[e] on. */
static void make_items(struct drawing *drawing, uint32_t *first_bend) {
    struct layers *layers = drawing->layers;
    size_t count = layers->node_count;
    for (uint32_t e = 0; e < layers->edge_count; e++)
        count += layers->edges[e].bend_count;
    drawing->items = arena_array(drawing->arena, count, sizeof *drawing->items);
    drawing->rows = arena_array(drawing->arena, layers->layer_count, sizeof *drawing->rows);
    for (uint32_t node = 0; node < layers->node_count; node++)
        add_item(drawing, layers->nodes[node].layer, NODE_WIDTH);
    for (uint32_t e = 0; e < layers->edge_count; e++) {
        first_bend[e] = drawing->item_count;
        for (uint32_t b = 0; b < layers->edges[e].bend_count; b++)
            add_item(drawing, layers->nodes[layers->edges[e].from].layer + 1 + b, BEND_WIDTH);
    }
    for (uint32_t e = 0; e < layers->edge_count; e++) {
        const struct layers_edge *edge = &layers->edges[e];
        uint32_t upper = edge->from;
        if (edge->back) continue;
        for (uint32_t b = 0; b < edge->bend_count; b++, upper = first_bend[e] + b - 1)
            link_items(drawing, upper, first_bend[e] + b);
        link_items(drawing, upper, edge->to);
    }
}

/* ---- Order and places -----------------------------------------------------------------------------------
 */

/* Puts a row in the order of what its items want; those that want nothing stay. */
static void sort_row(struct drawing *drawing, uint32_t layer) {
    uint32_t *row = drawing->rows[layer].items.items;
    const size_t count = drawing->rows[layer].items.count;
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t moved = row[i];
        uint32_t at = i;
        for (; at > 0 && drawing->items[row[at - 1]].wanted > drawing->items[moved].wanted; at--)
            row[at] = row[at - 1];
        row[at] = moved;
    }
    for (uint32_t i = 0; i < count; i++)
        drawing->items[row[i]].rank = i;
}

/* The place that an item prefers: the average rank, or place, of its neighbours above or below; else its own.
 * */
static double wish(const struct drawing *drawing, const struct item *item, bool from_above, bool of_rank) {
    const struct item_list *neighbours = from_above ? &item->above : &item->below;
    double sum = 0;
    if (neighbours->items.count == 0) return of_rank ? item->rank : item->x;
    for (size_t i = 0; i < neighbours->items.count; i++) {
        const struct item *neighbour = &drawing->items[neighbours->items.items[i]];
        sum += of_rank ? neighbour->rank : neighbour->x;
    }
    return sum / (double)neighbours->items.count;
}

/* How far apart two neighbours in a row stand at least. */
static double distance(const struct item *a, const struct item *b) {
    return (a->width + b->width) / 2 + 0.12;
}

/* Moves the items of a row to where they want to stand, as far as there is room: halfway between pushing all
 * to the right and pushing all to the left, which both keep the distances. */
static void place_row(struct drawing *drawing, uint32_t layer) {
    const uint32_t *row = drawing->rows[layer].items.items;
    const uint32_t count = (uint32_t)drawing->rows[layer].items.count;
    for (uint32_t i = 0; i < count; i++) {
        struct item *item = &drawing->items[row[i]];
        item->x = item->wanted;
        if (i == 0) continue;
        const struct item *before = &drawing->items[row[i - 1]];
        const double least = before->x + distance(before, item);
        if (item->x < least) item->x = least;
    }
    double most = 0;
    for (uint32_t i = count; i-- > 0;) {
        struct item *item = &drawing->items[row[i]];
        double pushed = item->wanted;
        if (i + 1 < count) {
            const double limit = most - distance(item, &drawing->items[row[i + 1]]);
            if (pushed > limit) pushed = limit;
        }
        most = pushed;
        item->x = (item->x + pushed) / 2;
    }
}

/* One sweep over all rows, downwards or upwards. */
static void sweep(struct drawing *drawing, bool down, bool of_rank) {
    const uint32_t layers = drawing->layers->layer_count;
    for (uint32_t i = 0; i < layers; i++) {
        const uint32_t layer = down ? i : layers - 1 - i;
        for (size_t r = 0; r < drawing->rows[layer].items.count; r++) {
            struct item *item = &drawing->items[drawing->rows[layer].items.items[r]];
            item->wanted = wish(drawing, item, down, of_rank);
        }
        if (of_rank)
            sort_row(drawing, layer);
        else
            place_row(drawing, layer);
    }
}

/* ---- The result -----------------------------------------------------------------------------------------
 */

/* Gives each upward edge a lane of its own in its layers, the short edges first. */
static void find_lanes(struct layers *layers) {
    for (uint32_t span = 0; span < layers->layer_count; span++) {
        for (uint32_t e = 0; e < layers->edge_count; e++) {
            struct layers_edge *edge = &layers->edges[e];
            const uint32_t top = layers->nodes[edge->to].layer, bottom = layers->nodes[edge->from].layer;
            if (!edge->back || bottom - top != span) continue;
            for (uint32_t o = 0; o < layers->edge_count; o++) {
                const struct layers_edge *other = &layers->edges[o];
                const uint32_t other_top = layers->nodes[other->to].layer,
                               other_bottom = layers->nodes[other->from].layer;
                const bool is_placed = other->back && (other_bottom - other_top < span ||
                                                       (other_bottom - other_top == span && o < e));
                if (is_placed && other_top <= bottom && top <= other_bottom && other->lane >= edge->lane)
                    edge->lane = other->lane + 1;
            }
            if (edge->lane >= layers->lane_count) layers->lane_count = edge->lane + 1;
        }
    }
}

/* Takes the places over, moved such that the leftmost begins at 0. */
static void take_places(struct drawing *drawing, const uint32_t *first_bend) {
    struct layers *layers = drawing->layers;
    double left = 0, right = 0;
    for (uint32_t i = 0; i < drawing->item_count; i++) {
        const struct item *item = &drawing->items[i];
        if (i == 0 || item->x - item->width / 2 < left) left = item->x - item->width / 2;
        if (i == 0 || item->x + item->width / 2 > right) right = item->x + item->width / 2;
    }
    layers->width = right - left;
    for (uint32_t node = 0; node < layers->node_count; node++)
        layers->nodes[node].x = drawing->items[node].x - left;
    for (uint32_t e = 0; e < layers->edge_count; e++) {
        struct layers_edge *edge = &layers->edges[e];
        double *bends = arena_array(drawing->arena, edge->bend_count, sizeof *bends);
        for (uint32_t b = 0; b < edge->bend_count; b++)
            bends[b] = drawing->items[first_bend[e] + b].x - left;
        edge->bends = bends;
    }
}

struct layers layers_place(struct arena *arena, uint32_t node_count, const struct graph_edge *edges,
                           uint32_t edge_count) {
    assert(arena_is_protected(arena));
    struct layers layers = {.node_count = node_count, .edge_count = edge_count};
    struct drawing drawing = {.arena = arena, .layers = &layers};
    const struct graph graph = graph_build(arena, node_count, edges, edge_count);
    uint32_t *first_bend = arena_array(arena, edge_count, sizeof *first_bend);
    layers.nodes = arena_array(arena, node_count, sizeof *layers.nodes);
    layers.edges = arena_array(arena, edge_count, sizeof *layers.edges);
    find_order(&drawing, &graph);
    find_layers(&drawing, &graph);
    for (uint32_t e = 0; e < edge_count; e++) {
        const uint32_t from = edges[e].from, to = edges[e].to;
        const bool back = drawing.order[to] <= drawing.order[from];
        layers.edges[e] = (struct layers_edge){.from = from, .to = to, .back = back};
        if (!back) layers.edges[e].bend_count = layers.nodes[to].layer - layers.nodes[from].layer - 1;
    }
    make_items(&drawing, first_bend);
    for (uint32_t i = 0; i < SWEEPS; i++) {
        sweep(&drawing, true, true);
        sweep(&drawing, false, true);
    }
    for (uint32_t i = 0; i < drawing.item_count; i++)
        drawing.items[i].x = drawing.items[i].rank;
    for (uint32_t i = 0; i < SWEEPS; i++) {
        sweep(&drawing, true, false);
        sweep(&drawing, false, false);
    }
    find_lanes(&layers);
    take_places(&drawing, first_bend);
    return layers;
}
