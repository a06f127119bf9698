// Global alignment of two sequences (Needleman and Wunsch): the tiles of one diagonal of the score matrix, a
// tile a block. Within its tile a block goes from diagonal to diagonal with a barrier between them; a thread
// has one row. The row above and the column left of the tile are from earlier diagonals of tiles. The scores
// of pairs of letters come from a table at places that depend on the sequences.
#define TILE 64
#define LETTERS 32

extern "C" __global__ void needleman_wave(float *scores, const unsigned char *down,
                                          const unsigned char *across, const float *similarity, int columns,
                                          int diagonal, float gap) {
    __shared__ float cells[TILE + 1][TILE + 1];
    int thread = threadIdx.x;
    int first_row = (diagonal - blockIdx.x) * TILE;
    int first_column = blockIdx.x * TILE;
    float *corner = scores + first_row * columns + first_column;

    cells[0][thread + 1] = corner[thread + 1];
    cells[thread + 1][0] = corner[(thread + 1) * columns];
    if (thread == 0) cells[0][0] = corner[0];
    const float *row_similarity = similarity + down[first_row + thread] % LETTERS * LETTERS;
    for (int step = 0; step < 2 * TILE - 1; step++) {
        __syncthreads();
        int column = step - thread;
        if (column >= 0 && column < TILE) {
            float match = cells[thread][column] + row_similarity[across[first_column + column] % LETTERS];
            float skip = fmaxf(cells[thread][column + 1], cells[thread + 1][column]) - gap;
            cells[thread + 1][column + 1] = fmaxf(match, skip);
        }
    }
    __syncthreads();
    for (int row = 1; row <= TILE; row++) corner[row * columns + thread + 1] = cells[row][thread + 1];
}
