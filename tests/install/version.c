/* A program of somebody else's: prints the versions of the library and of the header, and what that was built
 * without. */
#include <stdio.h>
#include <warpbound.h>

int main(void) {
    printf("%s %d.%d.%d", wb_version(), WB_VERSION_MAJOR, WB_VERSION_MINOR, WB_VERSION_PATCH);
    for (size_t i = 0; wb_makespan_method_name(i) != NULL; i++)
        if (wb_makespan_method_missing(i) != NULL) printf(" %s", wb_makespan_method_missing(i));
    printf("\n");
    return 0;
}
