import type { messagingApi } from '@line/bot-sdk'
import { failureOf, type LineOutcome, successOf } from './outcome.ts'

/** LINE answers within a second; a reply token is valid for a minute, and a user waits less long. */
const DEADLINE_MS = 5_000
/** `X-Line-Retry-Key`: a UUID, with which LINE accepts a call once within 24 hours. */
const RETRY_KEY = 'x-line-retry-key'

export type LineCall = {
  method: 'GET' | 'POST' | 'DELETE'
  /** Begins with `/v2/`; built from checked parts alone. */
  path: string
  /** JSON; or bytes with their media type. */
  body?: object | { bytes: Uint8Array<ArrayBuffer>; contentType: string }
  retryKey?: string
  deadlineMs?: number
}

/** One call, with a deadline up to the end of its answer. Never throws. */
export type Caller = <T>(call: LineCall, read: (answer: Response) => Promise<T>) => Promise<LineOutcome<T>>

/** Calls one of LINE's hosts in the name of the bot. */
export function callerAt({ base, accessToken }: { base: string; accessToken: string }): Caller {
  return async ({ method, path, body, retryKey, deadlineMs = DEADLINE_MS }, read) => {
    try {
      const answer = await fetch(new URL(path, base), {
        method,
        headers: {
          authorization: `Bearer ${accessToken}`,
          ...(body === undefined ? {} : { 'content-type': typeOf(body) }),
          ...(retryKey === undefined ? {} : { [RETRY_KEY]: retryKey }),
        },
        ...(body === undefined ? {} : { body: 'bytes' in body ? body.bytes : JSON.stringify(body) }),
        redirect: 'manual',
        signal: AbortSignal.timeout(deadlineMs),
      })
      const success = successOf(answer)
      if (success) return { is: 'ok', value: await read(answer), ...success }
      return failureOf(answer, sentenceOf(await answer.text()))
    } catch (error) {
      return { is: 'unavailable', reason: error instanceof Error ? error.message : String(error) }
    }
  }
}

const typeOf = (body: object): string =>
  'contentType' in body && typeof body.contentType === 'string' ? body.contentType : 'application/json'

/** LINE's `message`, and where it says more the first of its `details`; some of its front ends return a page instead. */
function sentenceOf(text: string): string {
  try {
    const refusal: Partial<messagingApi.ErrorResponse> = JSON.parse(text)
    const [first] = refusal.details ?? []
    return [refusal.message, first?.property, first?.message].filter(Boolean).join(': ')
  } catch {
    return '' // no JSON: the status says enough
  }
}
