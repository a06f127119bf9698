/* A program of somebody else's: prints the version of the library, and what that was built without. */
#include <stdio.h>
#include <warpbound.h>

int main(void) {
    printf("%s", wb_version());
    for (size_t i = 0; wb_makespan_method_name(i) != NULL; i++)
        if (wb_makespan_method_missing(i) != NULL) printf(" %s", wb_makespan_method_missing(i));
    printf("\n");
    return 0;
}
