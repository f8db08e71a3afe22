/*
 * A program with counters writes them into the directory it is in unless LLVM_PROFILE_FILE names a file. A guardian
 * starts with an empty environment, and an agent with a chosen one: their counters must not land in the root directory
 * or in a worktree, where a test would find files that no user ever sees.
 */
#include <stdlib.h>

void __llvm_profile_set_filename(const char *name);

__attribute__((constructor)) static void keep_counters_to_oneself(void) {
    if (!getenv("LLVM_PROFILE_FILE")) {
        __llvm_profile_set_filename("/dev/null");
    }
}
