import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { signatureOf } from '@palanquin/line-simulator/webhook-sender'
import { PIXEL, PIXEL_URL } from '@palanquin/stack/testing/pixel'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { anyBroken, anyFitting } from '@palanquin/testing/json-schema'
import fc from 'fast-check'
import Type from 'typebox'
import Value from 'typebox/value'
import { fetchPatiently } from '../fetch-patiently.ts'
import { makeCard } from '../make-card.ts'
import { type Arrived, complaint } from './complaint.ts'
import { type Described, type Operation, operationsOf } from './openapi.ts'

/** Calls per operation; the seed is fixed, so failures are reproducible. */
const CALLS_PER_OPERATION = 40
const SEED = 20_260_501

type Call = {
  path: string
  method: string
  headers: Record<string, string>
  body: string | undefined
  /** Fields of a form with a picture, for what takes nothing else. */
  form?: Record<string, string> | undefined
}

/** Ends the activity for all others, so it goes last. */
const LAST = '/admin/end-activity'
/** Accepted only with LINE's signature. */
const SIGNED = '/webhook'
/** Endless streams: other tests read them. */
const ENDLESS = '/data/stream'

let stack: ThrowawayStack
let feedbackId: string
let pushId: string
let filename: string
let shareId: string
/** Who is signed in during the calls of an operation, one of two times. */
let session: {
  userId: string
  headers: Record<string, string>
  sessionId: string
  photoId: string
  importId: string
  token: string
  /** Of a LINE user of their own, whom their walk can be joined to. */
  liffIdToken: string
}
/** How many have signed in. */
let signedInCount = 0
/** Of what organisers keep for everybody, by the last part of its path. */
let guideIds: Record<string, string>
let device: { deviceId: string; token: string }
/** What somebody has reported as lost, and a case that an organiser has entered. */
let lost: { id: string; editToken: string; enteredId: string }
/** A link by which a phone app is set up, and the browser that has opened it. */
let setupLink: { code: string; key: string }
/** A code that fetches GPSLogger's profile, once. */
let profileCode: string
let operations: Described[]

beforeAll(async () => {
  // LINE is simulated.
  stack = await startThrowawayStack({ RATE_LIMITS: 'off', LINE: 'stub' })
  const { url, caFile } = stack.running()
  const answer = await fetch(`${url}/openapi.json`, { tls: { ca: readFileSync(caFile, 'utf8') } })
  operations = operationsOf((await answer.json()) as object)
    .filter(({ path, operation }) => !path.endsWith(ENDLESS) && !('501' in operation.responses))
    .sort((a, b) => Number(a.path.endsWith(LAST)) - Number(b.path.endsWith(LAST)))
  // An existing participant: half of the calls name them.
  for (const userId of PEOPLE) {
    await stack.api.post('/user/sync', { userId, displayName: '林媽祖' })
    await stack.api.post('/checkin', { userId, lat: 24.3457, lng: 120.6238 })
  }
  const { body } = await stack.api.post('/feedback', { category: 'praise', message: '讚' })
  feedbackId = Value.Parse(Type.Object({ data: Type.Object({ id: Type.String() }) }), body).data.id
  const named = { zh: '鑾轎', en: 'Palanquin' }
  const place = { kind: 'rest', name: named, lat: 24.3457, lng: 120.6238 }
  guideIds = {
    beacons: await added('/admin/beacons', { kind: 'palanquin', name: named, devices: ['carrier'] }),
    places: await added('/admin/places', place),
    notices: await added('/admin/notices', { level: 'info', ...named }),
  }
  const Reported = Type.Object({ data: Type.Object({ id: Type.String(), editToken: Type.String() }) })
  const reported = await stack.api.post('/lost', { ...LOST, phone: '0912-345-678' })
  lost = { ...Value.Parse(Reported, reported.body).data, enteredId: await added('/admin/lost', LOST) }
  const uploaded = await stack.api.post('/feedback-upload', { image: PIXEL_URL })
  const Uploaded = Type.Object({ data: Type.Object({ filename: Type.String() }) })
  filename = Value.Parse(Uploaded, uploaded.body).data.filename
  const issued = await stack.api.post(
    '/devices',
    { userId: 'U-walks', app: 'traccar' },
    stack.api.as('owner'),
  )
  const Issued = Type.Object({ data: Type.Object({ deviceId: Type.String(), token: Type.String() }) })
  device = Value.Parse(Issued, issued.body).data
  const linked = await stack.api.post('/setup-links', { userId: 'U-walks' }, stack.api.as('owner'))
  const Linked = Type.Object({ data: Type.Object({ code: Type.String() }) })
  setupLink = { code: Value.Parse(Linked, linked.body).data.code, key: 'k'.repeat(22) }
  const logger = await stack.api.post(
    '/devices',
    { userId: 'U-walks', app: 'gpslogger' },
    stack.api.as('owner'),
  )
  profileCode = /setup\/(\w+)\.properties/.exec(JSON.stringify(logger.body))?.[1] ?? ''
  const shared = await makeCard(stack.api, { userId: PEOPLE[1] })
  const Shared = Type.Object({ data: Type.Object({ shareUrl: Type.String() }) })
  shareId = Value.Parse(Shared, shared.body).data.shareUrl.split('/').at(-1) ?? ''
})
afterAll(() => stack.close())

/** One that can still be taken back: an operation does, another reads it. */
async function schedulePush(): Promise<string> {
  const push = { to: 'owners', text: '集合', scheduledAt: Date.now() + 86_400_000 }
  const { body } = await stack.api.post('/push', push, stack.api.as('owner'))
  return Value.Parse(Type.Object({ data: Type.Object({ pushId: Type.String() }) }), body).data.pushId
}

const added = async (path: string, body: object): Promise<string> => {
  const answer = await stack.api.post(path, body, stack.api.as('owner'))
  return Value.Parse(Type.Object({ data: Type.Object({ id: Type.String() }) }), answer.body).data.id
}

/** Signs in somebody new: one operation erases, another signs out. */
async function signIn(operation: string): Promise<typeof session> {
  const { body, headers } = await stack.api.post('/session', { device: true })
  const { userId } = Value.Parse(Type.Object({ data: Type.Object({ userId: Type.String() }) }), body).data
  const cookie = headers.get('set-cookie')?.split(';')[0] ?? ''
  const own = { cookie, origin: stack.running().url }
  const call = { method: 'POST', path: '/upload/photos', headers: own, form: {}, body: undefined }
  const Photo = Type.Object({ data: Type.Object({ id: Type.String() }) })
  const { id } = Value.Parse(Photo, JSON.parse(new TextDecoder().decode((await answerOf(call)).bytes))).data
  const importId = operation.includes('/import/') ? await importAs(call) : ''
  const { body: sessions } = await stack.api.get('/sessions', { headers: own })
  const Sessions = Type.Object({
    data: Type.Object({ items: Type.Tuple([Type.Object({ id: Type.String() })]) }),
  })
  const [{ id: sessionId }] = Value.Parse(Sessions, sessions).data.items
  const opened = await stack.api.post('/share', { hours: 1 }, { headers: own })
  const Opened = Type.Object({ data: Type.Object({ token: Type.String() }) })
  const { token } = Value.Parse(Opened, opened.body).data
  const liffIdToken = await newLiffIdToken()
  return { userId, headers: own, sessionId, photoId: id, importId, token, liffIdToken }
}

/** One of each person is read at a time: it would be in the way of every other call. */
async function importAs(call: Call): Promise<string> {
  const Taken = Type.Object({ data: Type.Object({ importId: Type.String() }) })
  return Value.Parse(Taken, await (await answerTo({ ...call, path: '/upload/import' })).json()).data.importId
}

async function newLiffIdToken(): Promise<string> {
  const userId = `U${String(++signedInCount).padStart(32, '0')}`
  const issued = await fetch(`${stack.running().line.stubUrl}_stub/id-token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ userId }),
  })
  return Value.Parse(Type.Object({ idToken: Type.String() }), await issued.json()).idToken
}

const secret = () => stack.running().line.channelSecret ?? ''

const LOST = { kind: 'lost', about: '阿公，戴紅帽' }
const PEOPLE = ['U-lin', 'U-chen']
/** An unknown token is a 503 for Colota and PhoneTrack, and for OsmAnd a 401 after ten seconds. */
const APPS = ['owntracks', 'overland', 'traccar', 'traccar', 'gpslogger', 'opengts', 'ulogger', 'unknown']
/** Values for path parameters, because random text would never match. */
const anyNamed = (name: string, path: string): fc.Arbitrary<string> | undefined => {
  const guide = Object.keys(guideIds).find((part) => path.includes(`/${part}/`))
  if (name === 'id' && path.includes('/sessions/')) return fc.constant(session.sessionId)
  if (name === 'id' && path.includes('/photos/')) return fc.constant(session.photoId)
  if (name === 'id' && path.includes('/import/')) return fc.constant(session.importId)
  if (name === 'id' && path.endsWith('/admin/lost/{id}')) return fc.constant(lost.enteredId)
  if (name === 'id' && path.endsWith('/lost/{id}')) return fc.constant(lost.id)
  if (name === 'id' && guide !== undefined) return fc.constant(guideIds[guide] ?? '')
  if (name === 'userId') return fc.oneof(anyone, fc.constant(session.userId))
  if (name === 'filename') return fc.constant(filename)
  if (name === 'app') return fc.constantFrom(...APPS)
  if (name === 'pushId') return fc.constant(pushId)
  if (name === 'id' && path.includes('/devices/')) return fc.constant(device.deviceId)
  if (name === 'token' && path.startsWith('/in/')) return fc.constant(device.token)
  if (name === 'token') return fc.constant(session.token)
  if (name === 'code' && path.startsWith('/in/gpslogger/')) return fc.constant(profileCode)
  if (name === 'shareId') return fc.constant(shareId)
  return name === 'id' ? fc.constant(feedbackId) : undefined
}
const anyForm = fc.record(
  {
    point: fc.constantFrom('{"lat":24.5,"lng":120.7}', '{"lat":91,"lng":0}', '{', '[]', '{"note":7}'),
    lat: fc.constantFrom('24.5', 'north'),
    lng: fc.constantFrom('120.7', '181'),
    recordedAt: fc.constantFrom('now', '0', '2026-05-01T15:00:00Z'),
  },
  { requiredKeys: [] },
)
function pictureForm(fields: Record<string, string>): FormData {
  const form = new FormData()
  form.append('photo', new Blob([new Uint8Array(PIXEL)]), 'a.png')
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return form
}
const anyone = fc.oneof(fc.constantFrom(...PEOPLE), fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/))
const strange = fc.constantFrom('..', '%2e%2e', 'a b', '\u0000', '媽祖', 'x'.repeat(65), "'", '%', '{}', '-')

/** A call of an operation: mostly valid, often with one mistake. */
function anyCall(path: string, method: string, operation: Operation): fc.Arbitrary<Call> {
  const { parameters = [], requestBody } = operation
  const schemaOf = (name: string, place: string) =>
    parameters.find((parameter) => parameter.name === name && parameter.in === place)?.schema ?? {}
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')
  const places = fc.tuple(
    ...names.map((name) =>
      fc.oneof(
        { weight: 5, arbitrary: anyNamed(name, path) ?? anyText(schemaOf(name, 'path')) },
        // `/in/..` is another path.
        { weight: name === 'app' ? 0 : 1, arbitrary: strange },
      ),
    ),
  )
  const asked = parameters.filter((parameter) => parameter.in === 'query')
  const queryOf = (some: typeof asked) =>
    fc.record(Object.fromEntries(some.map(({ name, schema }) => [name, anyText(schema)])), {
      requiredKeys: [],
    })
  // Combined, some part is nearly always wrong, so some calls have only one mistake.
  const query = fc.oneof(queryOf(asked), ...asked.map((one) => queryOf([one])))
  const json = requestBody?.content['application/json']
  const body = json?.schema === undefined ? fc.constant(undefined) : anyBody(json.schema, json.example)
  const isForm = json === undefined && requestBody?.content['multipart/form-data'] !== undefined
  const form = isForm ? anyForm : fc.constant(undefined)
  const token = fc.constantFrom('owner', 'owner', 'manager', 'none' as const)
  const signed = fc.constantFrom(true, true, false)
  return fc
    .record({ places, query, body, form, token, signed, signedIn: fc.boolean() })
    .map(
      ({
        places: values,
        query: given,
        body: text,
        form: fields,
        token: who,
        signed: isSigned,
        signedIn,
      }) => {
        const filled = names.reduce(
          (whole, name, at) => whole.replace(`{${name}}`, encodeURIComponent(values[at] ?? '')),
          path,
        )
        const search = new URLSearchParams(
          Object.entries(given).map(([name, value]): [string, string] => [name, value ?? '']),
        ).toString()
        return {
          path: filled + (search && `?${search}`),
          method: method.toUpperCase(),
          headers: {
            ...(text === undefined ? {} : { 'content-type': 'application/json' }),
            ...(who === 'none'
              ? {}
              : { 'x-admin-token': stack.running().tokens[who === 'owner' ? 'owner' : 'manager'] }),
            ...(path.endsWith('/lost/{id}') ? { 'x-feedback-token': lost.editToken } : {}),
            ...(signedIn ? session.headers : {}),
            ...(path.endsWith(SIGNED) && isSigned
              ? { 'x-line-signature': signatureOf(secret(), text ?? '') }
              : {}),
          },
          body: text,
          form: fields,
        }
      },
    )
}

/** Many parameters are optional, and constraints outside of schemas (a bounding box) come from examples. */
const examplesOf = (schema: object): unknown[] =>
  'examples' in schema && Array.isArray(schema.examples) ? schema.examples : []

const anyText = (schema: unknown): fc.Arbitrary<string> =>
  fc
    .oneof(
      { weight: 3, arbitrary: anyFitting(objectOf(schema)) },
      { weight: 1, arbitrary: anyBroken(objectOf(schema)) },
      ...examplesOf(objectOf(schema)).map((example) => ({ weight: 3, arbitrary: fc.constant(example) })),
    )
    .map((value) => (typeof value === 'string' ? value.toWellFormed() : (JSON.stringify(value) ?? '')))

const anyBody = (schema: unknown, example: unknown): fc.Arbitrary<string> => {
  const known = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return fc.constant(value)
    if ('userId' in value) return fc.constantFrom(value, { ...value, userId: PEOPLE[0] })
    if ('liffIdToken' in value) return fc.constantFrom(value, { ...value, liffIdToken: session.liffIdToken })
    if ('code' in value && 'key' in value) return fc.constantFrom(value, { ...value, ...setupLink })
    return fc.constant(value)
  }
  return fc
    .oneof(
      { weight: 3, arbitrary: anyFitting(objectOf(schema)).chain(known) },
      { weight: 2, arbitrary: anyBroken(objectOf(schema)).chain(known) },
      // Random values rarely satisfy all survey questions.
      ...(example === undefined ? [] : [{ weight: 1, arbitrary: fc.constant(example).chain(known) }]),
    )
    .map((value) => JSON.stringify(value) ?? 'null')
}

/** A call and its response. More cards at once than a busy machine can draw are refused for a while; for longer is a failure. */
async function answerOf(call: Call): Promise<Arrived> {
  const answer = await answerTo(call)
  return { status: answer.status, headers: answer.headers, bytes: await answer.bytes() }
}

function answerTo({ path, method, headers, body: text, form }: Call): Promise<Response> {
  const { url, caFile } = stack.running()
  const body = form ? pictureForm(form) : text
  return fetchPatiently(url + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
    tls: { ca: readFileSync(caFile, 'utf8') },
    redirect: 'manual',
  })
}

/** What is wrong with a response; null when nothing is. */
function wrongWith(operation: Operation, answer: Arrived): string | null {
  if (answer.status >= 500)
    return `answered ${answer.status}: ${new TextDecoder().decode(answer.bytes).slice(0, 200)}`
  // An invalid path parameter makes another path, which the document does not know.
  const isElsewhere = answer.status === 404 || answer.status === 405
  if (isElsewhere && !(String(answer.status) in operation.responses)) return null
  return complaint(operation, answer)
}

const objectOf = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {})

test('no generated request gets a 500, or a response that the document does not describe', async () => {
  const complaints: string[] = []
  const unheard: string[] = []
  for (const { path, method, operation } of operations) {
    session = await signIn(path)
    if (path.endsWith('/push/{pushId}')) pushId = await schedulePush()
    const calls = fc.sample(anyCall(path, method, operation), { numRuns: CALLS_PER_OPERATION, seed: SEED })
    const answers = await Promise.all(calls.map(answerOf))
    // A GET of a phone app without a position leads to its set-up.
    if (!answers.some(({ status }) => status < 300 || status === 303)) unheard.push(`${method} ${path}`)
    for (const [at, answer] of answers.entries()) {
      const wrong = wrongWith(operation, answer)
      if (wrong)
        complaints.push(`${method} ${calls[at]?.path} ${calls[at]?.body?.slice(0, 300) ?? ''} → ${wrong}`)
    }
  }
  expect(complaints).toEqual([])
  // Only operations that succeeded at least once had their responses checked.
  expect(unheard).toEqual([])
})
