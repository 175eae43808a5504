import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type LineStub, testLine } from '@palanquin/line-simulator/stub'
import { dataOf } from '@palanquin/stack/api'
import { PIXEL_URL } from '@palanquin/stack/testing/pixel'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { auditPoints, NOTHING_WRONG } from '@palanquin/testing/faults/audit'
import { ledger, outcomeOf, pointKey } from '@palanquin/testing/faults/ledger'
import { rounds } from '@palanquin/testing/faults/rounds'
import { type FragileDisk, fragileDisk, whyNoPowerCut, withPowerCut } from '@palanquin/testing/power-cut'
import { seededRandom } from '@palanquin/testing/random'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import Type from 'typebox'
import { connect } from './with-line.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const DISK_MEGABYTES = 2_048
const LANES = 8
/** Of hundreds at once some would wait longer than a call of the object store may. */
const PICTURES_AT_ONCE = 4
/** When the power goes during the load; a flush runs every second, uploads all the time. */
const UNDER_LOAD_MS = { min: 300, max: 2_500 }
const POINTS_A_SYNC = 20
/** The limit of check-ins is 5 a minute per participant. */
const CHECKINS_EACH = 5

const Uploaded = Type.Object({ filename: Type.String() })
const PNG_SIGNATURE = '89504e470d0a1a0a'

describe.skipIf(whyNoPowerCut !== null)(withPowerCut('a power cut of the whole stack'), () => {
  const random = seededRandom(41)
  const book = ledger()
  const pictures = new Set<string>()
  const named = new Map<string, string>()
  let disk: FragileDisk
  let stack: ThrowawayStack
  let line: LineStub
  let people = 0
  let chatted = 0
  beforeAll(async () => {
    disk = await fragileDisk(DISK_MEGABYTES)
    line = testLine()
  })
  afterAll(async () => {
    await stack.close()
    await disk.close()
    await line.close()
  })

  const comeUp = async () => {
    stack = await startThrowawayStack(line.environment, { folder: join(disk.folder, 'home') })
    connect(line, stack)
  }

  /** Sends without a pause until stopped. Responses after the power cut count as indeterminate. */
  function load() {
    let stopped = false
    const post = async (path: string, body: unknown) => {
      const reply = await stack.api.post(path, body).catch(() => undefined)
      if (reply === undefined && !stopped) await Bun.sleep(20)
      return stopped ? undefined : reply
    }
    const checkIn = async (userId: string) => {
      for (let i = 0; i < CHECKINS_EACH && !stopped; i++) {
        const recordedAt = Date.now() - 60_000 + i
        const reply = await post('/checkin', { userId, recordedAt, lat: 24 + i / 100, lng: 120.6 })
        book.note(pointKey({ userId, kind: 'checkin', recordedAt }), outcomeOf(reply?.status))
      }
    }
    const sync = async (userId: string) => {
      const startMs = Date.now() - 3_600_000
      const points = Array.from({ length: POINTS_A_SYNC }, (_, i) => ({
        lat: 24 + i / 1000,
        lng: 120.6,
        recordedAt: startMs + i * 40_000,
      }))
      const reply = await post('/track/sync', { userId, points })
      for (const { recordedAt } of points)
        book.note(pointKey({ userId, kind: 'track', recordedAt }), outcomeOf(reply?.status))
    }
    const upload = async () => {
      const reply = await post('/feedback-upload', { image: PIXEL_URL })
      if (reply?.status === 200) pictures.add(dataOf(Uploaded, reply).filename)
      await Bun.sleep(20) // an upload costs more than all the others
    }
    const name = async (userId: string) => {
      const reply = await post('/user/sync', { userId, displayName: `name of ${userId}` })
      if (reply?.status === 200) named.set(userId, `name of ${userId}`)
    }
    /** A chat location is a check-in; LINE does not resend what was acknowledged. */
    const chat = async () => {
      const userId = line.control.people.add().userId
      const event = line.control.from(userId).location({ lat: 24.5, lng: 120.7 })
      const { ok } = await line.control.send(event).catch(() => ({ ok: false }))
      const key = pointKey({ userId, kind: 'checkin', recordedAt: event.timestamp })
      book.note(key, ok && !stopped ? 'acknowledged' : 'indeterminate')
      if (ok) chatted++
      await Bun.sleep(20)
    }
    const lane = async (work: (userId: string) => Promise<void>) => {
      while (!stopped) await work(`p${++people}`)
    }
    const works = [upload, name, chat, ...Array.from({ length: LANES }, (_, at) => (at % 2 ? checkIn : sync))]
    const lanes = works.map(lane)
    return {
      /** Later responses do not count. */
      ignore: () => {
        stopped = true
      },
      ended: () => Promise.all(lanes),
    }
  }

  const cutUnderLoad = async (afterMs: number, meanwhile: () => Promise<unknown> = async () => {}) => {
    const { ignore, ended } = load()
    await until(() => pictures.size > 0 && named.size > 0 && chatted > 0, { what: 'something of everything' })
    await Bun.sleep(afterMs) // the time of the power cut is random on purpose
    void meanwhile().catch(() => {})
    ignore()
    await disk.cut()
    await ended()
    await stack.abandon()
    await disk.restore()
  }

  /** Everything acknowledged in all rounds so far. */
  const expectAllThere = async () => {
    const audit = async () => {
      await until(() => stack.api.flush().catch(() => undefined), { what: 'a whole flush' })
      return await auditPoints(stack.sql, book)
    }
    // Accepted chat events arrive through the conversation; the next line says what is missing.
    await until(async () => (await audit()).lost.length === 0, { what: 'everything' }).catch(() => undefined)
    const { acknowledged, indeterminate: _, ...found } = await audit()
    expect(found).toEqual(NOTHING_WRONG)
    expect(acknowledged).toBeGreaterThan(0)
    const left = [...pictures]
    const shown: string[] = []
    const look = async () => {
      for (let name = left.pop(); name !== undefined; name = left.pop()) shown.push(await pictureOf(name))
    }
    await Promise.all(Array.from({ length: PICTURES_AT_ONCE }, look))
    expect(shown.filter((signature) => signature !== PNG_SIGNATURE)).toEqual([])
    const rows = await stack.sql`SELECT user_id, display_name FROM engagement.participants`
    const names = new Map(rows.map((row) => [String(row.user_id), row.display_name]))
    expect([...named].filter(([userId, name]) => names.get(userId) !== name)).toEqual([])
  }

  const pictureOf = async (filename: string) => {
    const { caFile } = stack.running()
    const image = `${stack.api.base}/feedback-image/${filename}.png`
    const ask = async () => {
      const answer = await fetch(image, { tls: { ca: readFileSync(caFile, 'utf8') } })
      return answer.status < 500 && answer
    }
    const answer = await until(ask, { what: `an answer for ${image}` })
    return Buffer.from(await answer.arrayBuffer()).toString('hex', 0, 8)
  }

  test('seconds after the first start: the home restarts with its tokens, its certificate and everything acknowledged', async () => {
    await comeUp()
    const { tokens, internalToken, caFile } = stack.running()
    const authority = readFileSync(caFile, 'utf8')
    await cutUnderLoad(0)
    await comeUp()
    expect(stack.running()).toMatchObject({ tokens, internalToken })
    expect(readFileSync(caFile, 'utf8')).toBe(authority)
    // None of them had to be made again; the welcome below names the certificate in any case.
    const [repairs = ''] = stack.said.split('Palanquin runs at')
    expect(repairs).not.toMatch(/secrets|certificate|run\.json/)
    await expectAllThere()
  })

  test('under load, repeatedly: nothing acknowledged is lost or doubled, and every image is there', async () => {
    for (let round = 0; round < rounds(2); round++) {
      await cutUnderLoad(random.between(UNDER_LOAD_MS.min, UNDER_LOAD_MS.max))
      await comeUp()
      await expectAllThere()
    }
  })

  test('during a flush', async () => {
    await cutUnderLoad(1_500, () => stack.api.flush())
    await comeUp()
    await expectAllThere()
  })
})
