import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, chownSync, cpSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { throwawayFolder } from '../../test/throwaway.ts'
import { type Account, chooseOwner, findWay } from './account.ts'
import { findPostgres, type PostgresBinaries, programsOf } from './binaries.ts'

const isRoot = process.getuid?.() === 0
let folder: ReturnType<typeof throwawayFolder>
let binaries: PostgresBinaries

/** initdb looks for `postgres` beside itself, which needs all rights of the account. */
function initialise(account: Account, { initdb }: PostgresBinaries, data: string) {
  const { command, ...as } = account.launch([
    initdb,
    '-D',
    data,
    '--auth=trust',
    '--no-sync',
    '--username=palanquin',
  ])
  return Bun.spawnSync(command, { ...as, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] })
}

beforeAll(() => {
  folder = throwawayFolder()
  binaries = findPostgres()
})
afterAll(() => folder.remove())

describe.skipIf(!isRoot)('as root', () => {
  test('the owner of the data stays its owner; root’s data goes to the user nobody', () => {
    const given = join(folder.path, 'given')
    mkdirSync(given)
    expect(chooseOwner(given)).toEqual({ uid: 65534, gid: 65534 })
    chownSync(given, 1234, 1235)
    expect(chooseOwner(given)).toEqual({ uid: 1234, gid: 1235 })
  })

  test('PostgreSQL runs although only root can enter the folders of its programs and of its data', () => {
    const closed = join(folder.path, 'closed')
    const native = join(closed, 'native')
    cpSync(dirname(dirname(binaries.initdb)), native, { recursive: true, verbatimSymlinks: true })
    chmodSync(closed, 0o700)
    const data = join(closed, 'data')
    mkdirSync(data, { mode: 0o700 })
    const owner = { uid: 65534, gid: 65534 }
    chownSync(data, owner.uid, owner.gid)
    const own = programsOf(dirname(native), binaries.major)
    const ran = initialise(
      findWay({ owner, program: own.postgres, folder: data }),
      own,
      join(data, 'cluster'),
    )
    expect([ran.stderr.toString(), ran.exitCode]).toEqual(['', 0])
  })

  test('no capability is kept where none is needed', () => {
    const open = join('/tmp', `palanquin-open-${process.pid}`)
    mkdirSync(open)
    try {
      chownSync(open, 65534, 65534)
      const { launch } = findWay({ owner: { uid: 65534, gid: 65534 }, program: '/bin/sh', folder: open })
      expect(launch(['/bin/sh'])).toEqual({ command: ['/bin/sh'], uid: 65534, gid: 65534 })
    } finally {
      chmodSync(open, 0o700)
      Bun.spawnSync(['rmdir', open])
    }
  })

  test('where it is impossible, the sentence says what to do', () => {
    const missing = {
      owner: { uid: 65534, gid: 65534 },
      program: join(folder.path, 'no-postgres'),
      folder: folder.path,
    }
    expect(() => findWay(missing)).toThrow(/run this as a normal user, install util-linux, or use a folder/)
  })
})

test.skipIf(isRoot)('a normal user stays the same', () => {
  expect(chooseOwner(folder.path)).toBeUndefined()
  const account = findWay({ owner: undefined, program: binaries.postgres, folder: folder.path })
  expect(account.launch(['program'])).toEqual({ command: ['program'] })
  expect(initialise(account, binaries, join(folder.path, 'cluster')).exitCode).toBe(0)
})
