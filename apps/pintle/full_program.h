/// The program with everything in it, and how this one goes on there.
///
/// The libraries for SDF models and for pictures bring 250 others with them, whose linking takes ten
/// times as long as most verbs. They are in a second program, pintle-full, and only who needs them
/// waits for them.
#pragma once

namespace pintle::app {

/// Begins anew in pintle-full, with the arguments of `main`. Returns where there is none, and in
/// itself. Nothing may have been read, written or opened before.
void go_on_in_full_program();
/// What `main` was called with.
void keep_arguments(char** argv);

}  // namespace pintle::app
