import { dlopen, FFIType } from 'bun:ffi'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'

const RETRY_MS = 25
const WAIT_MS_MAX = 120_000 // longer than a first start with its downloads on a slow line

/** flock(2): take the lock exclusively, or fail at once. */
const LOCK_EX_NB = 2 | 4
const LIBRARIES =
  process.platform === 'darwin'
    ? ['libSystem.B.dylib']
    : ['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1']

/** Runs `work` while no other process holds the lock `file`. */
export async function withLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  mkdirSync(dirname(file), { recursive: true })
  const descriptor = openSync(file, 'a', 0o600)
  try {
    await acquire(descriptor, file)
    return await work()
  } finally {
    closeSync(descriptor)
  }
}

async function acquire(descriptor: number, file: string): Promise<void> {
  const deadline = Date.now() + WAIT_MS_MAX
  while (flock(descriptor, LOCK_EX_NB) !== 0) {
    if (Date.now() > deadline)
      throw new Error(`Another process has had the lock ${file} for two minutes: end it and try again.`)
    await Bun.sleep(RETRY_MS)
  }
}

function flock(descriptor: number, operation: number): number {
  loaded ??= load()
  return loaded(descriptor, operation)
}
let loaded: ReturnType<typeof load> | undefined

/** The C library is found by its name, which differs between systems. */
function load(): (descriptor: number, operation: number) => number {
  const problems: unknown[] = []
  for (const library of LIBRARIES)
    try {
      const signature = { args: [FFIType.i32, FFIType.i32], returns: FFIType.i32 } as const
      return dlopen(library, { flock: signature }).symbols.flock
    } catch (error) {
      problems.push(error)
    }
  throw new AggregateError(problems, `flock(2) is in none of ${LIBRARIES.join(', ')}`)
}
