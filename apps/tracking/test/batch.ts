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

type Answered = {
  /** ALONE where nothing was done. */
  status: number | typeof ALONE
  retryAfter: string
  isNew: boolean
  body: BatchedBody
}

/** A call as the gateway counted it: by whom it found in the text. */
export type Counted = { userId: string; json: string }

/** The answer to each call of one, under the request ids `r-0`, `r-1` …; those of a text name nobody. */
export async function batchOf(
  service: Service,
  path: string,
  calls: readonly (string | Counted)[],
): Promise<Answered[]> {
  const text = writeCalls(
    calls.map((call, at) => ({
      requestId: `r-${at}`,
      ...(typeof call === 'string' ? { userId: '', json: call } : call),
    })),
  )
  const answer = await sendBatch(service, path, text)
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  return (readAnswers(await answer.text(), calls.length) ?? []).map((one) => {
    if (one === ALONE) return { status: ALONE, retryAfter: '', isNew: false, body: {} }
    const { json, ...rest } = one
    const body: BatchedBody = JSON.parse(json)
    return { ...rest, body }
  })
}
