import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** Where files are memory, if there is such a place: for what a process leaves behind, not what a power cut does. */
export const MEMORY_FOLDER = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
