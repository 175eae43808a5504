import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { openRedis } from '@palanquin/backup/streams'
import type { LineStub } from '@palanquin/line-simulator/stub'
import type { Redis } from '@palanquin/service/redis'
import type { ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { seededRandom } from '@palanquin/testing/random'
import { searchFiles, searchPostgres, searchRedis } from '@palanquin/testing/search'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { needlesOf, type Person, type Sent, travellers } from './under-way.ts'
import { startWithLine } from './with-line.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
const ROUNDS = 8
const COUNTED_MIN = 5
/** From when all is sent: as long as the requests take on a quiet machine. */
const PAUSE_MS_MAX = 800
/** The answer of one of these that comes late is no new write: what it is about was sent before. */
const NEVER_NEW = ['card', 'chat']
const INBOX = '{line}:inbox'

let line: LineStub
let stack: ThrowawayStack
let redis: Redis
let people: ReturnType<typeof travellers>
let bystander: Person
let close: () => Promise<void>
beforeAll(async () => {
  ;({ line, stack, close } = await startWithLine({
    RATE_LIMITS: 'off',
    PACK_SCHEDULE: '* * * * * *',
    PUBLIC_BASE_URL: 'https://walk.example',
  }))
  redis = await openRedis(stack.running().redisUrl)
  people = travellers({ stack, line })
  bystander = await people.make('bystander')
  await people.everything(bystander)
  await allDone()
})
afterAll(async () => {
  redis.destroy()
  await close()
})

/** Until it is done: on a busy machine a part may be late, and the next call goes on. */
const erase = ({ userId }: Person) =>
  until(
    async () => {
      const { status } = await stack.api.delete(`/user/${userId}`, stack.api.as('owner'))
      return status === 200 || status === 404
    },
    { what: 'an erasure to its end' },
  )
const noRow = async (rows: string) => (await stack.sql.unsafe(`SELECT FROM ${rows} LIMIT 1`)).length === 0
/** The end of everything that was accepted: media reads one file after another. */
async function allDone(): Promise<void> {
  await until(() => noRow("media.imports WHERE status IN ('queued', 'running')"), { what: 'no import' })
  await until(async () => (await people.upload(bystander.token, 10)).status === 202, { what: 'a next file' })
  await until(() => noRow("media.imports WHERE status IN ('queued', 'running')"), { what: 'the next import' })
  await until(async () => (await redis.xLen(INBOX)) === 0, { what: 'an empty inbox' })
  await until(() => noRow('line.pushes WHERE finished_at IS NULL'), { what: 'no push' })
  await stack.api.flush()
}
const found = async (needles: string[]) => [
  ...(await searchPostgres(stack.sql, needles)),
  ...(await searchRedis(stack.running().redisUrl, needles)),
  ...searchFiles(stack.home.folder, needles, { except: ['pg', 'redis', 'toolchain'] }),
]
/** When the last erasure ended, by the clock that the requests were answered by. */
async function endOfErasure(): Promise<number> {
  const [row] = await stack.sql`SELECT max(at) AS at FROM tracking.erasures`
  return new Date(row?.at).getTime()
}
/** Objects that nobody's row names. */
async function strayObjects(): Promise<string[]> {
  const rows =
    await stack.sql`SELECT object_key AS key FROM media.photos UNION ALL SELECT object_key FROM media.cards`
  const files = new Bun.Glob('**/*').scanSync({ cwd: stack.home.objects, dot: true })
  return [...files].filter((key) => !rows.some((row) => row.key === key))
}

/** @returns what was answered only after the erasure, and may be new */
async function round(person: Person, pauseMs: number): Promise<Sent[]> {
  const sending = people.everything(person)
  await Bun.sleep(pauseMs) // the point in time within everything is chance on purpose
  await erase(person)
  const endedAt = await endOfErasure()
  const late = (await sending).filter(
    ({ what, answeredAt }) => answeredAt > endedAt && !NEVER_NEW.includes(what),
  )
  await allDone()
  if (late.length > 0) await erase(person)
  return late
}

test('what is under way for a person when they are erased is gone with them, at whatever step it is', async () => {
  const random = seededRandom(36)
  const before = await stack.api.profile(bystander.userId)
  let counted = 0
  for (let made = 0; made < ROUNDS || counted < COUNTED_MIN; made++) {
    const person = await people.make(`leaver-${made}`)
    const pauseMs = random.integer(0, PAUSE_MS_MAX)
    const late = await round(person, pauseMs)
    if (late.length === 0) counted++
    expect({ made, pauseMs, late, found: await found(needlesOf(person)) }).toMatchObject({ found: [] })
    expect((await stack.api.get(`/user/${person.userId}`)).status).toBe(404)
  }
  await until(async () => (await strayObjects()).length === 0, { what: 'no object of anybody else' })
  expect(await stack.api.profile(bystander.userId)).toMatchObject({
    distanceKm: before.distanceKm,
    photos: 1,
  })
  expect((await found([bystander.texts.words, bystander.texts.note])).length).toBeGreaterThan(1)
})
