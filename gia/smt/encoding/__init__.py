"""C operations as functions on symbolic states, bit-precisely: values, memory, calls, the library, unfoldings."""
