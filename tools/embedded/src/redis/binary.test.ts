import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { throwawayFolder } from '../../test/throwaway.ts'
import { fetchedRedis, findRedis } from './binary.ts'
import { fetchRedis } from './fetch.ts'

// A distribution's packages are fetched, on a busy machine and a slow line.
setDefaultTimeout(600_000)

let folder: ReturnType<typeof throwawayFolder>
const path = process.env.PATH
beforeAll(() => {
  folder = throwawayFolder()
})
afterAll(async () => {
  process.env.PATH = path
  await folder.remove()
})

/** Answers `--version` like a Redis of that version. */
function pretend(name: string, version: string): string {
  const bin = join(folder.path, name)
  mkdirSync(bin)
  writeFileSync(
    join(bin, 'redis-server'),
    `#!/bin/sh\necho "Redis server v=${version} sha=0 malloc=libc bits=64"\n`,
  )
  chmodSync(join(bin, 'redis-server'), 0o755)
  return bin
}

test('a Redis of version 7.0 or later on the PATH is used, and nothing is fetched', async () => {
  process.env.PATH = `${pretend('seven', '7.0.0')}:${path}`
  const toolchain = join(folder.path, 'unused')
  expect(await findRedis(toolchain, { onProgress: () => {} })).toEqual({
    path: join(folder.path, 'seven', 'redis-server'),
    env: {},
  })
  expect(existsSync(toolchain)).toBe(false)
})

test('an older one is not used; where none can be fetched, the sentence says what to install', async () => {
  process.env.PATH = pretend('six', '6.2.14')
  const work = findRedis(join(folder.path, 'none'), { onProgress: () => {} })
  await expect(work).rejects.toThrow(
    /^No Redis: .*older than 7\.0, and .*; (install it|run `brew install redis`).*, or set REDIS_URL/,
  )
})

const onDebian = Boolean(Bun.which('apt-get') && Bun.which('dpkg'))
test.skipIf(!onDebian)(
  'fetched twice at once it is complete, or, offline, missing with a reason',
  async () => {
    process.env.PATH = path
    const toolchain = join(folder.path, 'toolchain')
    const details: string[] = []
    const fetch = () => fetchedRedis(toolchain, { onProgress: (detail) => details.push(detail) })
    const outcomes = await Promise.all([fetch(), fetch()])
    const names = readdirSync(toolchain).filter((name) => !name.endsWith('.lock'))
    for (const outcome of outcomes) {
      if ('path' in outcome) {
        const ran = Bun.spawnSync([outcome.path, '--version'], { env: outcome.env })
        expect(ran.stdout.toString()).toContain('Redis server v=')
        expect(names).toEqual([`redis-${process.platform}-${process.arch}`])
        expect(details).toHaveLength(2) // the steps of one fetch: the other process waited for it
      } else {
        expect(outcome.problem).toMatch(/^it cannot be fetched \(.+\)$/)
        expect(names).toEqual([])
      }
    }
  },
)

test.skipIf(!onDebian)('an aborted fetch leaves nothing behind that looks complete', async () => {
  process.env.PATH = path
  const target = join(folder.path, 'aborted', 'redis')
  const signal = AbortSignal.abort(new Error('interrupted'))
  await expect(fetchRedis(target, { onProgress: () => {}, signal })).rejects.toThrow('interrupted')
  expect(existsSync(target)).toBe(false)
})
