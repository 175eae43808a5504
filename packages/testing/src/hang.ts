/**
 * What takes so long hangs, on any machine: nothing that a test waits for takes a tenth of it on a quiet one. The only limit of
 * time that tests have. It says nothing of speed: what is about time is a benchmark (`./palanquin bench`).
 */
export const HANG_MS = 600_000
