import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { RedisClient } from 'bun'
import { TOOLCHAIN, throwawayFolder } from '../../test/throwaway.ts'
import { type RunningRedis, startRedis } from '../redis.ts'

setDefaultTimeout(600_000)
let folder: ReturnType<typeof throwawayFolder>
beforeAll(() => {
  folder = throwawayFolder()
})
afterAll(() => folder.remove())

const optionsOf = (name: string) => ({
  dataDir: join(folder.path, name),
  logFile: join(folder.path, `${name}.log`),
  toolchainDir: TOOLCHAIN,
})
const below = (name: string, file = '') => join(folder.path, name, 'appendonlydir', file)

async function send({ url }: RunningRedis, command: string, args: string[]): Promise<unknown> {
  const client = new RedisClient(url, { autoReconnect: false, maxRetries: 0 })
  try {
    await client.connect()
    return await client.send(command, args)
  } finally {
    client.close()
  }
}

/** A Redis that has run and was stopped, with one key in its base file and one after it. */
async function stopped(name: string): Promise<void> {
  const server = await startRedis(optionsOf(name))
  await send(server, 'SET', ['early', '1'])
  await send(server, 'BGREWRITEAOF', [])
  for (;;) if (String(await send(server, 'INFO', ['persistence'])).includes('rewrite_in_progress:0')) break
  await send(server, 'SET', ['late', '1'])
  await server.stop()
}

const newest = (name: string, part: 'base' | 'incr'): string => {
  const file = readdirSync(below(name))
    .filter((each) => each.includes(`.${part}.`))
    .at(-1)
  return below(name, file)
}

const ends: { what: string; spoil: (name: string) => void; kind?: string; left: string[] }[] = [
  { what: 'nothing', spoil: () => {}, left: ['early', 'late'] },
  {
    what: 'zeros at the end',
    spoil: (name) => appendFileSync(newest(name, 'incr'), Buffer.alloc(5_000)),
    kind: 'cut',
    left: ['early', 'late'],
  },
  {
    what: 'a torn last entry',
    spoil: (name) => appendFileSync(newest(name, 'incr'), '*3\r\n$3\r\nSET\r\n$3\r\nab'),
    left: ['early', 'late'], // which Redis cuts off by itself
  },
  {
    what: 'zeros in place of the newest file',
    spoil: (name) => writeFileSync(newest(name, 'incr'), Buffer.alloc(300)),
    kind: 'cut',
    left: ['early'],
  },
  {
    what: 'zeros in place of the base',
    spoil: (name) => writeFileSync(newest(name, 'base'), Buffer.alloc(300)),
    kind: 'set aside',
    left: [],
  },
  {
    what: 'zeros in place of the manifest',
    spoil: (name) => writeFileSync(below(name, 'appendonly.aof.manifest'), Buffer.alloc(88)),
    kind: 'set aside',
    left: [],
  },
  {
    what: 'an empty manifest',
    spoil: (name) => writeFileSync(below(name, 'appendonly.aof.manifest'), ''),
    kind: 'set aside',
    left: [],
  },
]

test.each(ends)(
  'Redis starts by itself on what a power cut left: $what',
  async ({ what, spoil, kind, left }) => {
    const name = what.replaceAll(' ', '-')
    await stopped(name)
    spoil(name)
    const server = await startRedis(optionsOf(name))
    try {
      expect(server.repairs.map((repair) => repair.kind)).toEqual(
        kind === 'cut' || kind === 'set aside' ? [kind] : [],
      )
      const keys = await Promise.all(['early', 'late'].map((key) => send(server, 'EXISTS', [key])))
      expect(['early', 'late'].filter((_, at) => keys[at] === 1)).toEqual(left)
      await send(server, 'SET', ['later', '1'])
    } finally {
      await server.stop()
    }
    const again = await startRedis(optionsOf(name))
    expect(again.repairs).toEqual([])
    expect(await send(again, 'EXISTS', ['later'])).toBe(1)
    await again.stop()
  },
)

test('a set-aside file is kept for inspection', () => {
  const names = readdirSync(join(folder.path, 'zeros-in-place-of-the-base'))
  const aside = names.find((name) => /^appendonlydir\.unreadable-\d{4}-\d\d-\d\d$/.test(name)) ?? ''
  const files = readdirSync(join(folder.path, 'zeros-in-place-of-the-base', aside))
  expect(files.some((file) => file.endsWith('.manifest'))).toBe(true)
})

test('a server that does not start for another reason keeps its files unchanged', async () => {
  await stopped('refused')
  const before = readFileSync(newest('refused', 'incr'))
  await expect(
    startRedis({ ...optionsOf('refused'), extraArgs: ['--no-such-setting', '1'] }),
  ).rejects.toThrow('Redis does not start')
  expect(readFileSync(newest('refused', 'incr'))).toEqual(before)
})
