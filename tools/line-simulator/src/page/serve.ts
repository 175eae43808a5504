import { fileURLToPath } from 'node:url'
import { isRecord } from '../is-record.ts'
import type { Person, Relation } from '../people.ts'
import type { Platform } from '../platform.ts'
import { act } from './act.ts'
import { contentPicture, gatewayPicture, menuPicture } from './pictures.ts'
import { REMOTE, type RemoteCall } from './remote.ts'
import type { Stage } from './stage.ts'

/** The page's list of people: a trial may have thousands. */
const PEOPLE_SHOWN_MAX = 100
const RELATIONS: readonly Relation[] = ['none', 'friend', 'blocked', 'deleted']

/** Everything that the page shows of one person's chat. */
function stateOf(platform: Platform, userId: string) {
  const { people, quota, richMenus } = platform
  const person = people.find(userId) ?? people.all()[0] ?? people.add({ relation: 'none' })
  const menu = person.relation === 'friend' ? richMenus.seenBy(person.userId) : undefined
  return {
    people: [...new Set([person, ...people.all().slice(0, PEOPLE_SHOWN_MAX)])],
    person,
    lines: platform.talk(person.userId),
    menu: menu && { richMenuId: menu.richMenuId, ...menu.menu },
    quota: { limit: quota.limit, used: quota.consumed() },
  }
}

/** Changes a person, or adds one where no `userId` is given. */
function changePerson(platform: Platform, body: Record<string, unknown>): Person {
  const { userId, displayName, language, relation } = body
  const person = typeof userId === 'string' ? platform.people.get(userId) : platform.people.add()
  if (typeof displayName === 'string' && displayName !== '') person.displayName = displayName
  if (typeof language === 'string') person.language = language === '' ? undefined : language
  const chosen = RELATIONS.find((known) => known === relation)
  if (chosen) person.relation = chosen
  platform.changed()
  return person
}

/** A broadcast to thousands is one change to a page. */
const COLLECT_MS = 50
const HEARTBEAT_MS = 15_000

/** Server-sent events: one empty message whenever there is something new to draw. */
function changes(request: Request, platform: Platform): Response {
  const encoder = new TextEncoder()
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      const send = (text: string) => controller.enqueue(encoder.encode(text))
      let pending: ReturnType<typeof setTimeout> | undefined
      const stop = platform.onChange(() => {
        pending ??= setTimeout(() => {
          pending = undefined
          send('data: changed\n\n')
        }, COLLECT_MS)
      })
      const heartbeat = setInterval(() => send(': here\n\n'), HEARTBEAT_MS)
      send('data: changed\n\n')
      const end = () => {
        stop()
        clearTimeout(pending)
        clearInterval(heartbeat)
        controller.close()
      }
      request.signal.addEventListener('abort', end, { once: true })
    },
  })
  return new Response(stream, { headers: { 'content-type': 'text/event-stream' } })
}

/** Everything comes from here, and what a bot writes runs nowhere. */
const SECURITY = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** The page with the chat, and what it asks. */
export async function servePage(request: Request, stage: Stage): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url)
  const answer = await (request.method === 'POST'
    ? post(request, pathname, stage)
    : get(request, pathname, searchParams, stage))
  for (const [name, value] of Object.entries(SECURITY)) answer.headers.set(name, value)
  return answer
}

async function get(request: Request, path: string, query: URLSearchParams, stage: Stage): Promise<Response> {
  if (request.method !== 'GET') return problem(405, 'GET or POST is expected')
  if (path === '/') return file('index.html', 'text/html; charset=utf-8')
  if (path === '/ready') return Response.json({ ok: true })
  if (path === '/page.css') return file('page.css', 'text/css; charset=utf-8')
  if (path === '/page.js')
    return new Response(await script(), { headers: { 'content-type': 'text/javascript' } })
  if (path === '/_stub/state') return Response.json(stateOf(stage.platform, query.get('userId') ?? ''))
  if (path === '/_stub/changes') return changes(request, stage.platform)
  if (path === '/_stub/picture') return gatewayPicture(query.get('url') ?? '', stage.target())
  const [, , kind, id = ''] = path.split('/')
  if (kind === 'content') return contentPicture(stage.platform, id)
  if (kind === 'menu') return menuPicture(stage.platform, id)
  return remote(`GET ${path}`, { stage, body: {}, query })
}

async function post(request: Request, path: string, stage: Stage): Promise<Response> {
  // A page of another site can send neither this type nor this origin without being asked.
  const origin = request.headers.get('origin')
  if (origin !== null && origin !== new URL(request.url).origin) return problem(403, 'another origin')
  if (request.headers.get('content-type') !== 'application/json') return problem(415, 'JSON is expected')
  const body: unknown = await request.json().catch(() => undefined)
  if (!isRecord(body)) return problem(400, 'a JSON object is expected')
  if (path === '/_stub/act') return orProblem(() => act(stage, body))
  if (path === '/_stub/person') return orProblem(() => changePerson(stage.platform, body))
  return remote(`POST ${path}`, { stage, body, query: new URLSearchParams() })
}

function remote(name: string, call: RemoteCall): Promise<Response> {
  const handle = Object.hasOwn(REMOTE, name) ? REMOTE[name] : undefined
  return handle ? orProblem(() => handle(call)) : Promise.resolve(problem(404, `there is no ${name}`))
}

/** A wrong order is answered with its fault. */
async function orProblem(work: () => object | Promise<object>): Promise<Response> {
  try {
    return Response.json(await work())
  } catch (error) {
    return problem(400, error instanceof Error ? error.message : String(error))
  }
}

const problem = (status: number, error: string) => Response.json({ error }, { status })
const file = (name: string, type: string) =>
  new Response(Bun.file(here(name)), { headers: { 'content-type': type } })

let built: Promise<string> | undefined
/** The page's script with what it draws by, as one file for a browser. */
function script(): Promise<string> {
  built ??= Bun.build({ entrypoints: [here('page.js')], target: 'browser' }).then(
    async ({ outputs: [output] }) => output?.text() ?? '',
  )
  return built
}
