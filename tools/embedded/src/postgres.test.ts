import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { runScript, throwawayFolder, until } from '../test/throwaway.ts'
import { type RunningPostgres, startPostgres, stopPostgres } from './postgres.ts'
import { identify } from './process.ts'

const UNPRIVILEGED_UID = 65534
const BUSY = `SELECT count(*)::int FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'INSERT INTO busy%'`
const isRoot = process.getuid?.() === 0
let folder: ReturnType<typeof throwawayFolder>
let server: RunningPostgres

const optionsOf = (name: string) => ({
  dataDir: join(folder.path, name),
  logFile: join(folder.path, 'log'),
  nofsync: true,
})
const start = (more = {}) => startPostgres({ ...optionsOf('pg'), ...more })
const dataDir = () => join(folder.path, 'pg')

async function query(statement: string, url = server.url): Promise<unknown> {
  const sql = new SQL(url, { max: 1 })
  try {
    const [row]: Record<string, unknown>[] = await sql.unsafe(statement)
    return Object.values(row ?? {})[0]
  } finally {
    await sql.close()
  }
}

beforeAll(async () => {
  folder = throwawayFolder()
  server = await start()
  await query('CREATE TABLE kept (word text)')
})
afterAll(async () => {
  await server.stop()
  await folder.remove()
})

describe('the server', () => {
  test('is PostgreSQL 18 in UTF-8, with a database of our name', async () => {
    expect(await query('SHOW server_version')).toStartWith('18.')
    expect(await query('SHOW server_encoding')).toBe('UTF8')
    expect(await query('SELECT current_database() || current_user')).toBe('palanquinpalanquin')
    expect(await query(`SELECT upper('é') || length('媽祖🔥')`)).toBe('É3')
  })

  test('is safe and small by default, and takes other settings', async () => {
    expect(await query('SHOW synchronous_commit')).toBe('on')
    expect(await query('SHOW shared_buffers')).toBe('128MB')
    const other = await startPostgres({
      ...optionsOf('other'),
      nofsync: false,
      settings: { max_connections: '17' },
    })
    try {
      expect(await query('SHOW max_connections', other.url)).toBe('17')
      expect(await query('SHOW fsync', other.url)).toBe('on')
    } finally {
      await other.stop()
    }
  })

  test('admits no one without the password, which only its owner can read', async () => {
    expect(statSync(join(folder.path, 'postgres.password')).mode & 0o777).toBe(0o600)
    for (const password of ['', 'guess']) {
      await expect(query('SELECT 1', server.url.replace(server.password, password))).rejects.toThrow()
    }
    expect(identify(server.pid)?.command).not.toContain(server.password)
  })

  test('listens on the loopback only', async () => {
    const addresses = Object.values(networkInterfaces()).flatMap((all = []) =>
      all.map(({ address }) => address),
    )
    expect(await query('SHOW listen_addresses')).toBe('127.0.0.1')
    for (const hostname of addresses.filter((address) => address !== '127.0.0.1' && !address.includes(':'))) {
      await expect(Bun.connect({ hostname, port: server.port, socket: { data() {} } })).rejects.toThrow()
    }
  })

  test.skipIf(!isRoot)(
    'started by root below a folder that only root can enter, it does not run as root',
    async () => {
      expect(statSync(folder.path)).toMatchObject({ uid: 0, mode: 0o40700 })
      expect(statSync(`/proc/${server.pid}`).uid).toBe(UNPRIVILEGED_UID)
      expect(statSync(dataDir())).toMatchObject({ uid: UNPRIVILEGED_UID, mode: 0o40700 })
    },
  )
})

describe('a start', () => {
  test('adopts a running server, unless it was started with other settings', async () => {
    const again = await start()
    expect(again).toMatchObject({ pid: server.pid, url: server.url, adopted: true })
    server = await start({ settings: { work_mem: '5MB' } })
    expect(server).toMatchObject({ port: again.port, adopted: false })
    expect(await query('SHOW work_mem')).toBe('5MB')
    server = await start()
  })

  test('after a kill -9 recovers what was committed, on the same port', async () => {
    await query(`INSERT INTO kept VALUES ('committed')`)
    const { port, pid } = server
    process.kill(pid, 'SIGKILL')
    server = await start()
    expect(server).toMatchObject({ port, adopted: false })
    expect(await query('SELECT word FROM kept')).toBe('committed')
  })

  test('after a kill -9 waits for a backend that still works: what it acknowledges is not lost', async () => {
    await query('CREATE TABLE busy (n int)')
    const sql = new SQL(server.url, { max: 1 })
    const insert = () =>
      sql.unsafe('INSERT INTO busy SELECT generate_series(1, 1000000)').then(
        () => true,
        () => false,
      )
    let inserting = insert()
    while ((await query(BUSY)) !== 1) {
      if ((await Promise.race([inserting, 'under way'])) === 'under way') continue
      // It was over before it was seen.
      await query('TRUNCATE busy')
      inserting = insert()
    }
    process.kill(server.pid, 'SIGKILL')
    server = await start()
    const isAcknowledged = await inserting
    await sql.close({ timeout: 0 })
    expect(await query('SELECT count(*)::int FROM busy')).toBe(isAcknowledged ? 1_000_000 : 0)
    // Otherwise nothing was seen of what is tested here.
    expect(isAcknowledged).toBe(true)
    await query('DROP TABLE busy')
  })

  test('is not blocked by a postmaster.pid whose pid is another process by now', async () => {
    const lock = join(dataDir(), '18', 'postmaster.pid')
    const left = readFileSync(lock, 'utf8')
    process.kill(server.pid, 'SIGKILL')
    await until(() => identify(server.pid) === undefined)
    // of the same user, or PostgreSQL would notice by itself
    const other = Bun.spawn(
      ['/bin/sh', '-c', 'exec sleep 60'],
      isRoot ? { uid: UNPRIVILEGED_UID, gid: UNPRIVILEGED_UID } : {},
    )
    try {
      writeFileSync(lock, left.replace(`${server.pid}`, `${other.pid}`))
      server = await start()
      expect(await query('SELECT count(*)::int FROM kept')).toBe(1)
      expect(other.exitCode).toBeNull()
    } finally {
      other.kill()
    }
  })

  test('ends a server that hangs, and starts another', async () => {
    const { pid } = server
    process.kill(pid, 'SIGSTOP')
    server = await start({ settings: { work_mem: '6MB' } })
    expect(server.pid).not.toBe(pid)
    expect(identify(pid)).toBeUndefined()
    server = await start()
  })

  test('with a lost password file sets another password, and keeps its data', async () => {
    const { password } = server
    await server.stop()
    rmSync(join(folder.path, 'postgres.password'))
    server = await start()
    expect(server.password).not.toBe(password)
    expect(await query('SELECT count(*)::int FROM kept')).toBe(1)
  })

  test('with a wrong password says what to do, and leaves nothing running', async () => {
    await server.stop()
    const passwordFile = join(folder.path, 'another-password')
    writeFileSync(passwordFile, 'guess\n')
    await expect(start({ passwordFile })).rejects.toThrow('restore the password file')
    expect(await stopPostgres(optionsOf('pg'))).toBe(false)
    server = await start()
  })

  test('that is impossible says why in one sentence', async () => {
    const work = startPostgres({ ...optionsOf('wrong'), settings: { shared_buffers: 'plenty' } })
    await expect(work).rejects.toThrow(/^PostgreSQL does not start\. Its error \(.*\): .*shared_buffers/)
  })

  test('stops when it is aborted, and leaves nothing running', async () => {
    await server.stop()
    const signal = AbortSignal.abort(new Error('interrupted'))
    await expect(start({ signal })).rejects.toThrow('interrupted')
    expect(await stopPostgres(optionsOf('pg'))).toBe(false)
    server = await start()
  })
})

describe('an initdb that did not finish', () => {
  test('is removed and done again after a kill -9 of the launcher at any time of it', async () => {
    const options = optionsOf('killed')
    const script = `import { startPostgres } from '../src/postgres.ts'; await startPostgres(${JSON.stringify(options)})`
    for (const delayMs of [0, 150, 400]) {
      const launcher = runScript(script)
      const begun = () =>
        existsSync(options.dataDir) && readdirSync(options.dataDir).some((name) => name.startsWith('initdb-'))
      await until(begun)
      await Bun.sleep(delayMs) // a random time within initdb: it has no observable steps
      await launcher.kill()
    }
    const whole = await startPostgres(options)
    try {
      expect(await query('SELECT 1', whole.url)).toBe(1)
      expect(readdirSync(options.dataDir)).toEqual(['18'])
    } finally {
      await whole.stop()
    }
  })

  test('is not taken for a cluster', async () => {
    const options = optionsOf('half')
    mkdirSync(join(options.dataDir, 'initdb-0123', 'base'), { recursive: true })
    writeFileSync(join(options.dataDir, 'initdb-0123', 'PG_VERSION'), '18\n')
    const whole = await startPostgres(options)
    await whole.stop()
    expect(readdirSync(options.dataDir)).toEqual(['18'])
  })
})

test('two starts at the same time give one server', async () => {
  const [one, other] = await Promise.all([startPostgres(optionsOf('both')), startPostgres(optionsOf('both'))])
  expect(one.pid).toBe(other.pid)
  await one.stop()
  expect(await stopPostgres(optionsOf('both'))).toBe(false)
})
