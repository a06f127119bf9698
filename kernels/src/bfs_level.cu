// One level of a breadth-first search in a graph in compressed sparse rows: a thread whose vertex was reached
// last marks the targets of its edges that were not reached before. Branches, lengths of loops and addresses
// depend on the graph. Several threads may mark a vertex, all with the same value.
extern "C" __global__ void bfs_level(const int *starts, const int *targets, const int *levels,
                                     unsigned char *reached, int vertices, int level) {
    int vertex = blockIdx.x * blockDim.x + threadIdx.x;
    if (vertex >= vertices || levels[vertex] != level) return;
    for (int edge = starts[vertex]; edge < starts[vertex + 1]; edge++) {
        int target = targets[edge];
        if (levels[target] < 0) reached[target] = 1;
    }
}
