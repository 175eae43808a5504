import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '@palanquin/service/log'
import { type FragileDisk, fragileDisk, whyNoPowerCut, withPowerCut } from '@palanquin/testing/power-cut'
import { fill, upTo } from '../../test/journal-harness.ts'
import { openJournal } from './journal.ts'
import { decodeLines, encodeLine } from './line.ts'
import { Segment } from './segment.ts'

setDefaultTimeout(120_000) // a busy machine

const log = createLog({ service: 'test', level: 'silent' })

describe.skipIf(whyNoPowerCut !== null)(withPowerCut('a power cut'), () => {
  let disk: FragileDisk
  beforeAll(async () => {
    disk = await fragileDisk(64)
  })
  afterAll(() => disk.close())

  const open = (fsync: boolean) =>
    openJournal({
      folder: join(disk.folder, 'journal'),
      bytesMax: 2 ** 30,
      fsync,
      now: Date.now,
      log,
      onReplayWanted: () => {},
    })
  /** The `n` of all entries in the files. */
  const entriesOnDisk = async (): Promise<number[]> => {
    const journal = await open(true)
    const found: number[] = []
    for (const segment of journal.backlog()) {
      const { lines } = await segment.lines(Date.now())
      for (const line of lines) if ('json' in line) found.push(JSON.parse(line.json).n)
    }
    await journal.close()
    return found
  }

  test('every answered entry is in the journal, and none is answered once the disk is gone', async () => {
    const journal = await open(true)
    const receipts = await fill(journal, 500)
    expect(receipts.every((receipt) => receipt !== null)).toBe(true)
    await disk.cut()
    expect(await fill(journal, 3, 500)).toEqual([null, null, null])
    await journal.close().catch(() => {}) // its folder is gone
    await disk.restore()
    expect(await entriesOnDisk()).toEqual(upTo(500))
  })

  test('without fsync entries are lost: the disk of these tests does forget', async () => {
    const before = await entriesOnDisk()
    const journal = await open(false)
    expect((await fill(journal, 500, 1_000)).every((receipt) => receipt !== null)).toBe(true)
    await disk.cut()
    await journal.close().catch(() => {})
    await disk.restore()
    expect(await entriesOnDisk()).toEqual(before)
  })
})

test('entries whose sync failed are withdrawn, and those answered before stay', () => {
  const folder = mkdtempSync(join(tmpdir(), 'palanquin-journal-'))
  try {
    const path = join(folder, '000000000001.log')
    const segment = Segment.create({ sequence: 1, path, now: 0 })
    segment.append(encodeLine('{"n":0}'), 1)
    const refused = encodeLine('{"n":"新"}') + encodeLine('{"n":2}')
    segment.append(refused, 2)
    segment.withdraw({ bytes: Buffer.byteLength(refused), count: 2 })
    expect(decodeLines(readFileSync(path, 'utf8'))).toEqual({ lines: [{ json: '{"n":0}' }], torn: '' })
    expect([segment.entries, segment.bytes, segment.sealed]).toEqual([1, readFileSync(path).length, true])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
