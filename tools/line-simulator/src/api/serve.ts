import { newRequestId } from '../ids.ts'
import type { Platform } from '../platform.ts'
import { type Answer, apiError, type Call, notFound, responseOf } from './answer.ts'
import { monthlyLimit } from './messages.ts'
import { type Host, match, ROUTES, type Route } from './routes.ts'

const BODY_BYTES_MAX = 2 * 1024 * 1024
const UNAUTHORIZED =
  'Authentication failed. Confirm that the access token in the authorization header is valid.'
const TOO_FAST = 'The API rate limit has been exceeded. Try again later.'

/** Answers one call as LINE would, or as the fault that was ordered for it. */
export async function serve(
  request: Request,
  { platform, host, ended }: { platform: Platform; host: Host; ended: AbortSignal },
): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url)
  const requestId = newRequestId()
  const found = find(request.method, pathname, host)
  if (!('route' in found)) return responseOf(found, requestId)
  const { route, params } = found
  const { endpoint } = route
  const fault = platform.faults.take(endpoint)
  const note = (status: number) => {
    const retryKey = request.headers.get('x-line-retry-key')
    const call = { atMs: platform.clock.now(), method: request.method, path: pathname, endpoint, status }
    platform.noteCall({ ...call, ...(retryKey === null ? {} : { retryKey }) })
  }
  const finish = (answer: Answer): Response => {
    note(answer.status)
    return responseOf(answer, requestId)
  }
  if (fault?.kind === 'slow') await Bun.sleep(fault.delayMs)
  if (fault?.kind === 'error') return finish(apiError(500, 'Internal server error'))
  if (fault?.kind === 'rate') return finish(apiError(429, TOO_FAST))
  if (fault?.kind === 'quota') return finish(monthlyLimit())
  if (fault?.kind === 'hang' || fault?.kind === 'reset') note(0)
  if (fault?.kind === 'hang') return silence([request.signal, ended])
  if (fault?.kind === 'reset') return cut()
  const { method, headers } = request
  const bytes = new Uint8Array(await request.arrayBuffer())
  const answer = admit({ platform, requestId, method, params, query: searchParams, headers, bytes }, route)
  if (answer.status < 300 && fault?.kind === 'error-after')
    return finish(apiError(500, 'Internal server error'))
  if (fault?.kind === 'hang-after' || fault?.kind === 'reset-after') note(0)
  if (fault?.kind === 'hang-after') return silence([request.signal, ended])
  if (fault?.kind === 'reset-after') return cut()
  return finish(answer)
}

type Found = { route: Route; params: Record<string, string> }
function find(method: string, path: string, host: Host): Found | Answer {
  const here = ROUTES.filter((route) => route.host === host || (host === 'api' && route.host === 'login'))
  const fitting = here.flatMap((route): Found[] => {
    const params = match(route.path, path)
    return params ? [{ route, params }] : []
  })
  if (fitting.length === 0) return notFound()
  return (
    fitting.find(({ route }) => route.method === method) ??
    apiError(405, `The request method, ${method}, is not supported`)
  )
}

/** Token, rate and size, then the endpoint itself. */
function admit(call: Call, { host, endpoint, handle }: Route): Answer {
  const { platform, headers, bytes } = call
  const token = `Bearer ${platform.channel.channelAccessToken}`
  if (host !== 'login' && headers.get('authorization') !== token) return apiError(401, UNAUTHORIZED)
  if (!platform.rates.take(endpoint)) return apiError(429, TOO_FAST)
  return bytes.length > BODY_BYTES_MAX ? apiError(413, 'Payload too large') : handle(call)
}

/** No answer, until the client gives up or the stub closes. */
async function silence(signals: AbortSignal[]): Promise<Response> {
  const either = AbortSignal.any(signals)
  if (!either.aborted)
    await new Promise<void>((resolve) => either.addEventListener('abort', () => resolve(), { once: true }))
  return cut()
}

/** The connection ends without an answer: a body that fails before its first byte does that in Bun, silently without a reason. */
const cut = (): Response => new Response(new ReadableStream({ pull: (controller) => controller.error() }))
