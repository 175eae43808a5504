import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where a fetched Redis is kept between test runs; ignored by git. */
export const TOOLCHAIN =
  process.env.TEST_TOOLCHAIN_DIR ?? join(import.meta.dir, '../../../.palanquin/toolchain')

/** An empty folder of mode 700, and how to remove it. For root it is one that no other user can enter. */
export function throwawayFolder(): { path: string; remove(): Promise<void> } {
  const path = mkdtempSync(join(tmpdir(), 'palanquin-embedded-'))
  const cleanUp = Bun.spawn([process.execPath, 'run', join(import.meta.dir, 'clean-up.ts'), path], {
    detached: true, // or the Ctrl-C that ends the tests would end it too
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  return {
    path,
    remove: async () => {
      await cleanUp.stdin.end()
      await cleanUp.exited
    },
  }
}

/** Runs a script in its own Bun, like a launcher; returns its lines of standard output as they come. */
export function runScript(script: string): { pid: number; kill(): Promise<void>; line(): Promise<string> } {
  const child = Bun.spawn([process.execPath, '-e', script], {
    cwd: import.meta.dir,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = readLines(child.stdout)
  return {
    pid: child.pid,
    kill: async () => {
      child.kill('SIGKILL')
      await child.exited
    },
    line: async () => (await lines.next()).value ?? '',
  }
}

async function* readLines(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<string, undefined> {
  let rest = ''
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  return undefined
}

/** Waits until the condition holds; fails after `withinMs`. */
export async function until(condition: () => boolean | Promise<boolean>, withinMs = 300_000): Promise<void> {
  const deadline = Date.now() + withinMs
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`not so within ${withinMs} ms: ${condition}`)
    await Bun.sleep(5)
  }
}
