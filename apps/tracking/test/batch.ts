import { ALONE, readAnswers, writeCalls } from '@palanquin/service/http/batch'
import { type Service, TOKEN } from './harness.ts'

type BatchedBody = {
  ok?: boolean
  data?: {
    id: string
    buffered: number
    duplicates: number
    rejected: unknown[]
    state?: string
    counts?: Record<string, number>
  }
  error?: string
  requestId?: string
}

/** Several calls in one, as the gateway sends them. */
export const sendBatch = (service: Service, path: string, text: string, token = TOKEN): Promise<Response> =>
  Promise.resolve(
    service.app.fetch(
      new Request(`http://tracking.internal${path}`, {
        method: 'POST',
        headers: { 'x-internal-token': token, 'content-type': 'text/plain' },
        body: text,
      }),
    ),
  )

/** The answer to each body of one call, under the request ids `r-0`, `r-1` …; writes never answer `alone`. */
export async function batchOf(
  service: Service,
  path: string,
  bodies: readonly string[],
): Promise<{ status: number; retryAfter: string; body: BatchedBody }[]> {
  const calls = bodies.map((json, at) => ({ requestId: `r-${at}`, json }))
  const answer = await sendBatch(service, path, writeCalls(calls))
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  return (readAnswers(await answer.text(), bodies.length) ?? []).map((one) => {
    if (one === ALONE) throw new Error('a write is judged at once')
    const { json, ...rest } = one
    const body: BatchedBody = JSON.parse(json)
    return { ...rest, body }
  })
}
