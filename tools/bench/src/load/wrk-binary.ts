import { join } from 'node:path'
import { withLock } from '@palanquin/embedded/lock'
import { librariesOf } from '@palanquin/embedded/redis/binary'
import { fetchProgram } from '@palanquin/embedded/redis/fetch'
import { PROJECT_ROOT } from '@palanquin/stack/project'

export type Wrk = { path: string; env: Record<string, string>; name: string }

const PROGRAM = { name: 'wrk', root: 'wrk', packages: ['wrk'] }

let found: Promise<Wrk | { problem: string }> | undefined

/** wrk from the PATH, else the one fetched from the distribution before, else fetched now. */
export function findWrk(): Promise<Wrk | { problem: string }> {
  found ??= find(join(PROJECT_ROOT, '.palanquin', 'toolchain', `wrk-${process.platform}-${process.arch}`))
  return found
}

async function find(folder: string): Promise<Wrk | { problem: string }> {
  const installed = Bun.which('wrk', { PATH: process.env.PATH ?? '' })
  const ready = (installed && named({ path: installed, env: {} })) || fetchedIn(folder)
  if (ready) return ready
  return await withLock(`${folder}.lock`, async () => {
    const problem = fetchedIn(folder)
      ? undefined
      : await fetchProgram(PROGRAM, folder, { onProgress: () => {} })
    return fetchedIn(folder) ?? { problem: problem ?? 'the one that was fetched does not run here' }
  })
}

const fetchedIn = (folder: string): Wrk | undefined =>
  named({ path: join(folder, 'usr/bin/wrk'), env: librariesOf(folder) })

/** With its version; undefined when it does not run. */
function named({ path, env }: Omit<Wrk, 'name'>): Wrk | undefined {
  try {
    const asked = Bun.spawnSync([path, '--version'], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const version = /^wrk \D*([\d.]+)/.exec(asked.stdout.toString() || asked.stderr.toString())?.[1]
    return version === undefined ? undefined : { path, env, name: `wrk ${version}` }
  } catch {
    return undefined // no such program
  }
}
