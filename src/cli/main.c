#include "warpbound.h"

int main(void) {
    return wb_version() == NULL;
}
