import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { renameDurably } from '@palanquin/files/durable'
import { readIfThere } from '@palanquin/files/read'
import type { RedisBinary } from './binary.ts'

/** How the append-only file was made readable: its broken end was cut off, or all of it was set aside. */
export type Repair = { kind: 'cut' | 'set aside'; sentence: string }

/** Of Redis 7.0 and later, by its default names. */
const FOLDER = 'appendonlydir'
const MANIFEST = 'appendonly.aof.manifest'
/** Redis' messages about an unreadable file, as opposed to a port, a password or memory. */
const UNREADABLE =
  /append[ -]?only|\bAOF\b|RDB preamble|Wrong signature|Short read or OOM|Internal error in RDB|RDB format version/i
const CHECK_MS_MAX = 300_000 // it reads the whole file, at some 100 MB/s

/** Repairs an append-only file after a power cut, by Redis' error message. */
export function repairOf(dataDir: string, binary: RedisBinary, now: () => Date = () => new Date()) {
  const folder = join(dataDir, FOLDER)
  let tries = 0
  return (said: string): Repair | undefined => {
    if (!UNREADABLE.test(said) || !existsSync(folder)) return undefined
    tries++
    if (tries === 1 && isCut(join(folder, MANIFEST), binary))
      return {
        kind: 'cut',
        sentence: `Redis could not read the end of ${folder} (a power cut?): it was cut off; what is missing comes from the journals and from PostgreSQL.`,
      }
    if (tries > 2) return undefined
    tries = 2
    const aside = freeName(`${folder}.unreadable-${now().toISOString().slice(0, 10)}`)
    renameDurably(folder, aside)
    return {
      kind: 'set aside',
      sentence: `Redis could not read ${folder} (a power cut?): it was renamed to ${aside} and Redis starts empty; points come from the journals, everything else from PostgreSQL.`,
    }
  }
}

/** Whether the tool found a broken end and cut it off. It is the server's program under another name. */
function isCut(manifest: string, { path, env }: RedisBinary): boolean {
  // Anything else the tool takes for a file of Redis 6, and cuts it.
  if (!readIfThere(manifest)?.startsWith('file ')) return false
  const { exitCode } = Bun.spawnSync([path, '--fix', manifest], {
    argv0: 'redis-check-aof',
    env: { ...process.env, ...env },
    stdio: [Buffer.from('y\n'), 'ignore', 'ignore'],
    timeout: CHECK_MS_MAX,
  })
  return exitCode === 0
}

function freeName(path: string): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? path : `${path}.${number}`
    if (!existsSync(name)) return name
  }
}
