// The precompiled header of all rooms is built with this file.
