//! Files in memory and on disk.
