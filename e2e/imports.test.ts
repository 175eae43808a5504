import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dataOf } from '@palanquin/stack/api'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { until } from '@palanquin/testing/until'
import Type, { type Static } from 'typebox'
import Value from 'typebox/value'
import { fetchPatiently } from './fetch-patiently.ts'
import { kill } from './kill.ts'

let stack: ThrowawayStack
beforeAll(async () => {
  stack = await startThrowawayStack({ USER_AUTH: 'session', PACK_SCHEDULE: '* * * * * *' })
})
afterAll(() => stack.close())

const MIB = 1_048_576
type Person = { userId: string; headers: Record<string, string> }
async function person(): Promise<Person> {
  const reply = await stack.api.post('/session', { device: true })
  const { userId } = dataOf(Type.Object({ userId: Type.String() }), reply)
  const cookie = reply.headers.get('set-cookie')?.split(';')[0] ?? ''
  return { userId, headers: { cookie, origin: stack.running().url } }
}

const State = Type.Object({
  status: Type.String(),
  format: Type.Union([Type.String(), Type.Null()]),
  points: Type.Integer(),
  stored: Type.Integer(),
  duplicates: Type.Integer(),
  tooOld: Type.Integer(),
  invalid: Type.Integer(),
  from: Type.Union([Type.String(), Type.Null()]),
  to: Type.Union([Type.String(), Type.Null()]),
  error: Type.Union([Type.String(), Type.Null()]),
  errorCode: Type.Union([Type.String(), Type.Null()]),
})
const Taken = Type.Object({ data: Type.Object({ importId: Type.String() }) })

const upload = (headers: Record<string, string>, file: string | Uint8Array<ArrayBuffer>) => {
  const form = new FormData()
  form.append('file', new Blob([file]), 'walk.gpx')
  const { url, caFile } = stack.running()
  return fetchPatiently(`${url}/upload/import`, {
    method: 'POST',
    headers,
    body: form,
    tls: { ca: readFileSync(caFile, 'utf8') },
  })
}
const importIdOf = async (answer: Response) => Value.Parse(Taken, await answer.json()).data.importId
/** The report, once it is final. */
async function ended({ headers }: Person, importId: string): Promise<Static<typeof State>> {
  const state = async () => dataOf(State, await stack.api.get(`/import/${importId}`, { headers }))
  await until(async () => ['done', 'failed'].includes((await state()).status), {
    what: 'the end of an import',
  })
  return state()
}
const imported = async (me: Person, file: string | Uint8Array<ArrayBuffer>) => {
  const answer = await upload(me.headers, file)
  expect(answer.status).toBe(202)
  return ended(me, await importIdOf(answer))
}

/** A walk of a point every ten seconds, some 1.1 m/s to the east, that ended an hour ago. */
const start = Date.now() - 6 * 3_600_000
const gpx = (length: number, { everyMs = 10_000 } = {}) =>
  `<?xml version="1.0"?><gpx version="1.1"><trk><trkseg>${Array.from(
    { length },
    (_, at) =>
      `<trkpt lat="24.5" lon="${120.5 + at * 1.1e-4}"><time>${new Date(start + at * everyMs).toISOString()}</time></trkpt>`,
  ).join('')}</trkseg></trk></gpx>`

test('a recording of 500 points is imported, shows as the own track, and counts once however often it is sent', async () => {
  const { api } = stack
  const me = await person()
  const report = await imported(me, gpx(500))
  expect(report).toMatchObject({
    status: 'done',
    format: 'gpx',
    points: 500,
    stored: 500,
    duplicates: 0,
    tooOld: 0,
    invalid: 0,
    from: new Date(start).toISOString(),
    to: new Date(start + 499 * 10_000).toISOString(),
    error: null,
  })
  const again = { status: 'done', points: 500, stored: 0, duplicates: 500 }
  expect(await imported(me, gpx(500))).toMatchObject(again)
  await api.flush()
  const { distanceKm } = await api.profile(me.userId)
  expect(distanceKm).toBeGreaterThan(5)
  const rows =
    await stack.sql`SELECT DISTINCT source, count(*)::int FROM tracking.all_points WHERE user_id = ${me.userId} GROUP BY source`
  expect([...rows]).toEqual([{ source: 'import', count: 500 }])
  expect(await imported(me, gpx(500))).toMatchObject(again)
  await api.flush()
  expect((await api.profile(me.userId)).distanceKm).toBe(distanceKm)
  const track = await api.get(`/user/${me.userId}/track`, { headers: me.headers })
  expect(JSON.stringify(track.body).match(/"Point"/g)).toHaveLength(500)
})

test('a file is for its own person: a session or the token of a device, and no other caller', async () => {
  const { api } = stack
  const [me, other] = [await person(), await person()]
  expect((await upload({}, gpx(1))).status).toBe(401)
  expect((await upload({ ...me.headers, origin: 'https://evil.example' }, gpx(1))).status).toBe(403)
  const { token } = dataOf(
    Type.Object({ token: Type.String() }),
    await api.post('/devices', { userId: me.userId, app: 'gpslogger' }, { headers: me.headers }),
  )
  const answer = await upload({ authorization: `Bearer ${token}` }, gpx(20))
  expect(answer.status).toBe(202)
  const importId = await importIdOf(answer)
  expect(await ended(me, importId)).toMatchObject({ status: 'done', stored: 20 })
  expect((await api.get(`/import/${importId}`, { headers: other.headers })).status).toBe(404)
  expect((await api.get(`/import/${importId}`)).status).toBe(401)
  const reading = await api.get(`/import/${importId}`, { headers: { authorization: `Bearer ${token}` } })
  expect(reading.status).toBe(401)
  const mistyped = `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`
  expect((await upload({ authorization: `Bearer ${mistyped}` }, gpx(1))).status).toBe(401)
})

test('what is too large, no form, or no recording is refused with a sentence', async () => {
  const me = await person()
  // Where it takes longer than the gateway goes on reading the connection is cut before the answer is read.
  const large = await until(() => upload(me.headers, new Uint8Array(60 * MIB)).catch(() => undefined), {
    what: 'the refusal of a large file',
  })
  expect([large.status, await large.text()]).toEqual([413, expect.stringContaining('in parts')])
  const bomb = '<?xml version="1.0"?><!DOCTYPE gpx [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><gpx>&b;</gpx>'
  const refused = [
    [bomb, 'refused'],
    ['no recording', 'unknown_format'],
    ['['.repeat(1_000_000), 'refused'],
  ] as const
  for (const [file, errorCode] of refused)
    expect(await imported(me, file)).toMatchObject({
      status: 'failed',
      stored: 0,
      error: expect.stringMatching(/\.$/),
      errorCode,
    })
})

test('kill -9 of media and of tracking in the middle: each point arrives once, and the report is whole', async () => {
  const me = await person()
  const length = 15_000
  const answer = await upload(me.headers, gpx(length, { everyMs: 1_000 }))
  expect(answer.status).toBe(202)
  const importId = await importIdOf(answer)
  expect((await upload(me.headers, gpx(1))).status).toBe(409)
  const stored = async () => {
    const { body, status } = await stack.api.get(`/import/${importId}`, { headers: me.headers })
    return status === 200 ? Value.Parse(Type.Object({ data: State }), body).data.stored : 0
  }
  expect(await until(stored, { what: 'the first points' })).toBeLessThan(length)
  const back = [kill(stack, 'media'), kill(stack, 'tracking')]
  for (const isBack of back) await isBack()
  const report = await ended(me, importId)
  expect(report).toMatchObject({ status: 'done', points: length, tooOld: 0, invalid: 0 })
  expect(report.stored + report.duplicates).toBe(length)
  await stack.api.flush()
  const [row] =
    await stack.sql`SELECT count(*)::int AS points FROM tracking.all_points WHERE user_id = ${me.userId}`
  expect(row?.points).toBe(length)
})
