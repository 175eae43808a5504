import { GATEWAY, type Service } from '../units/services.ts'
import type { Settings } from './settings.ts'

/**
 * How long the runtime keeps memory that is free (docs/adr/0043-housekeeping-less-often.md; the Dockerfile
 * has the same): holes within pages are looked for once a second instead of ten times, and no helper thread touches
 * blocks of JavaScript's heap in advance. The second is a name of this very version of Bun, which refuses to start
 * with one that it does not know.
 */
export const KEEP_MEMORY = {
  MIMALLOC_PURGE_HOLES_MIN_INTERVAL: '1000',
  BUN_JSC_useWarmUpMarkedBlocks: '0',
} as const

/**
 * How many milliseconds a busy process keeps free pages. The map is left out: its bursts are megabytes. By
 * default Bun's allocator returns blocks of 16 to 64 kB to the kernel all the time, which clears them on the next
 * use: 5 % of the processor time under check-ins (measured). Kept for ever, whatever a flush or a burst of large
 * responses took stays: tracking came to 685 MB after a flush of 300,000 people.
 */
const KEEP_PAGES_MS: Readonly<Record<string, string>> = {
  [GATEWAY]: '5000',
  tracking: '5000',
  engagement: '5000',
}

/** The variables of the runtime's memory for a process, which the user's settings may replace. */
export const runtimeMemory = (process: Service | typeof GATEWAY): Settings => ({
  ...KEEP_MEMORY,
  ...(process in KEEP_PAGES_MS ? { MIMALLOC_PURGE_DELAY: KEEP_PAGES_MS[process] } : {}),
})
