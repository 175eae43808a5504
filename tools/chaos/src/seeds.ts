import { closeSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { closeOnInterrupt } from '@palanquin/stack/lifecycle/interruption'
import { MAIN_FILE } from '@palanquin/stack/project'
import { HEADS, readFigures, rowOf } from './figures.ts'

type Options = {
  seeds: readonly number[]
  /** How many run side by side, each with its own stack. */
  atOnce: number
  /** For each run, besides its seed and home. */
  args: readonly string[]
  folder: string
  log: (line: string) => void
}

/** Runs several seeds, each in a process of its own; prints a row as each ends. */
export async function runSeeds({ seeds, atOnce, args, folder, log }: Options): Promise<number[]> {
  mkdirSync(folder, { recursive: true })
  const left = [...seeds]
  const broken: number[] = []
  log(HEADS)
  const lane = async () => {
    for (let seed = left.shift(); seed !== undefined; seed = left.shift()) {
      const home = join(folder, `seed-${seed}`)
      const output = openSync(join(folder, `seed-${seed}.log`), 'w')
      const child = Bun.spawn(
        [process.execPath, '--no-env-file', MAIN_FILE, 'chaos', '--seed', `${seed}`, '--home', home, ...args],
        { stdio: ['ignore', output, output] },
      )
      const forget = closeOnInterrupt(async () => {
        left.length = 0
        child.kill('SIGINT')
        await child.exited
      })
      const code = await child.exited
      forget()
      closeSync(output)
      log(rowOf(seed, readFigures(home)))
      if (code === 0) rmSync(home, { recursive: true, force: true })
      else broken.push(seed)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  return broken.toSorted((a, b) => a - b)
}
