import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { RedisClient } from 'bun'
import { TOOLCHAIN, throwawayFolder, until } from '../test/throwaway.ts'
import { identify } from './process.ts'
import { type RunningRedis, startRedis, stopRedis } from './redis.ts'

const PASSWORD = 'a-password'
let folder: ReturnType<typeof throwawayFolder>
let server: RunningRedis

const optionsOf = (name: string) => ({
  dataDir: join(folder.path, name),
  logFile: join(folder.path, 'log'),
  toolchainDir: TOOLCHAIN,
})
const start = (more = {}) => startRedis({ ...optionsOf('redis'), password: PASSWORD, ...more })

async function send(command: string, args: string[] = [], url = server.url): Promise<unknown> {
  const client = new RedisClient(url, { autoReconnect: false, maxRetries: 0 })
  try {
    await client.connect()
    return await client.send(command, args)
  } finally {
    client.close()
  }
}
const setting = async (name: string, url = server.url) => {
  const answer: unknown = await send('CONFIG', ['GET', name], url)
  return typeof answer === 'object' && answer && name in answer ? Reflect.get(answer, name) : answer
}
/** Redis answers before it has written while a flush to the disk is slow. */
const untilWritten = () =>
  until(async () => /^aof_buffer_length:0\s*$/m.test(String(await send('INFO', ['persistence']))))

beforeAll(async () => {
  folder = throwawayFolder()
  server = await start()
})
afterAll(async () => {
  await server.stop()
  await folder.remove()
})

describe('the server', () => {
  test('keeps everything: append-only, no eviction, no snapshots, on the loopback', async () => {
    const settings = {
      appendonly: 'yes',
      appendfsync: 'everysec',
      'maxmemory-policy': 'noeviction',
      save: '',
      bind: '127.0.0.1',
      'auto-aof-rewrite-min-size': `${256 * 1024 * 1024}`,
      rdbcompression: 'no',
    }
    for (const [name, value] of Object.entries(settings))
      expect([name, await setting(name)]).toEqual([name, value])
    expect(await setting('protected-mode')).toBe('yes')
    expect(String(await send('INFO', ['server']))).toMatch(/redis_version:([7-9]|\d\d)\./)
  })

  test('admits no one without the password, which is on no command line and in no file of others', async () => {
    const bare = `redis://127.0.0.1:${server.port}`
    await expect(send('GET', ['x'], bare)).rejects.toThrow()
    expect(identify(server.pid)?.command).not.toContain(PASSWORD)
    expect(statSync(join(folder.path, 'redis', 'redis.conf')).mode & 0o777).toBe(0o600)
  })

  test('takes a memory limit, an access list and settings of the caller', async () => {
    const aclFile = join(folder.path, 'users.acl')
    writeFileSync(aclFile, `user default on >${PASSWORD} ~* &* +@all\nuser reader on >read ~* +get\n`)
    const more = { password: PASSWORD, aclFile, maxmemory: '64mb', extraArgs: ['--appendfsync', 'always'] }
    const other = await startRedis({ ...optionsOf('other'), ...more })
    try {
      expect(await setting('maxmemory', other.url)).toBe(`${64 * 1024 * 1024}`)
      expect(await setting('appendfsync', other.url)).toBe('always')
      const reader = `redis://reader:read@127.0.0.1:${other.port}`
      expect(await send('GET', ['x'], reader)).toBeNull()
      await expect(send('SET', ['x', '1'], reader)).rejects.toThrow(/NOPERM/)
    } finally {
      await other.stop()
    }
  })

  test('can do without a password', async () => {
    const open = await startRedis(optionsOf('open'))
    expect(await send('PING', [], open.url)).toBe('PONG')
    await open.stop()
  })
})

describe('a start', () => {
  test('adopts a running server, unless it was started with other settings', async () => {
    await send('SET', ['kept', 'yes'])
    const again = await start()
    expect(again).toMatchObject({ pid: server.pid, url: server.url, adopted: true })
    server = await start({ maxmemory: '1gb' })
    expect(server).toMatchObject({ port: again.port, adopted: false })
    expect(await send('GET', ['kept'])).toBe('yes')
    server = await start({ port: server.port })
    expect(await setting('maxmemory')).toBe('0')
  })

  // While a flush to the disk is slow, Redis answers for up to two seconds before it has written.
  test('after a kill -9 amid writes has everything that it had written, on the same port', async () => {
    for (let round = 0; round < 3; round++) {
      const client = new RedisClient(server.url, { autoReconnect: false, maxRetries: 0 })
      const write = (at: number) => client.send('SET', [`${round}/${at}`, `${at}`])
      await Promise.all(Array.from({ length: 1000 }, (_, at) => write(at)))
      await untilWritten()
      const cutOff = Array.from({ length: 1000 }, async (_, at) => {
        await write(1000 + at)
        if (at === 500) process.kill(server.pid, 'SIGKILL')
      })
      const outcomes = await Promise.allSettled(cutOff)
      expect(outcomes[500]?.status).toBe('fulfilled')
      const { port } = server
      server = await start()
      expect(server.port).toBe(port)
      const keys = Array.from({ length: 1000 }, (_, at) => `${round}/${at}`)
      expect(await send('EXISTS', keys)).toBe(keys.length)
      client.close()
    }
  })

  test('waits until the data is loaded', async () => {
    await send('EVAL', [`for i = 1, 200000 do redis.call('RPUSH', 'long:' .. i % 100, i) end`, '0'])
    await untilWritten()
    process.kill(server.pid, 'SIGKILL')
    server = await start()
    expect(await send('LLEN', ['long:7'])).toBe(2000)
  })

  test('that is impossible says why in one sentence, and leaves nothing running', async () => {
    const work = startRedis({ ...optionsOf('wrong'), extraArgs: ['--nonsense', '1'] })
    await expect(work).rejects.toThrow(/^Redis does not start\. Its error \(.*\): /)
    expect(await stopRedis(optionsOf('wrong'))).toBe(false)
  })
})

test('the end is orderly: its log says so, and a second one finds nothing to do', async () => {
  expect(await stopRedis(optionsOf('redis'))).toBe(true)
  expect(await stopRedis(optionsOf('redis'))).toBe(false)
  expect(readFileSync(join(folder.path, 'log'), 'utf8')).toContain('User requested shutdown')
  server = await start()
})
