import { Departures } from '@palanquin/service/departures'
import {
  ALONE,
  type BatchedAnswer,
  type BatchedCall,
  inBatches,
  readAnswers,
  writeCalls,
} from '@palanquin/service/http/batch'
import { ARRIVED_HEADER } from '@palanquin/service/http/headers'
import { READS } from '../gather.ts'
import type { Priority } from '../route.ts'
import type { Failure, Reply } from './attempt.ts'
import type { Service } from './service.ts'

type Outcome = BatchedAnswer | typeof ALONE | Failure | 'full'
type Batching = Pick<Service, 'call' | 'placesFor'>
type Waiting = BatchedCall & { settle: (outcome: Outcome) => void }

const decoder = new TextDecoder()

/**
 * The calls of one route in one tick of the event loop, as one call of its service: those that the limits counted together come
 * in one tick. All are to be sent alone when the service does not know such batches (an older copy): calls of
 * such a route are idempotent. Not a `BatchLoader`, because each call takes a place of its service (ADR 0014).
 */
export class Batch {
  readonly #service: Batching
  readonly #target: string
  readonly #headers: Record<string, string>
  readonly #deadlineMs: number
  readonly #priority: Priority
  readonly #departures: Departures
  #waiting: Waiting[] = []

  constructor({
    service,
    target,
    headers,
    deadlineMs,
    priority,
  }: {
    service: Batching
    target: string
    headers: Record<string, string>
    deadlineMs: number
    priority: Priority
  }) {
    this.#service = service
    this.#target = target
    this.#headers = headers
    this.#deadlineMs = deadlineMs
    this.#priority = priority
    this.#departures = new Departures({ ...READS, leave: () => this.#flush() })
  }

  /**
   * The service's reply to this call, why there is none, or ALONE. Never rejects. `gather`: waits for others for some
   * milliseconds, longer than the limits have gathered them.
   */
  add({ requestId, userId, json }: BatchedCall, { gather = false } = {}): Promise<Outcome> {
    return new Promise((settle) => {
      const waiting = this.#waiting.push({ requestId, userId, json, settle })
      if (gather) this.#departures.joined(waiting)
      else this.#departures.leaveThisTick()
    })
  }

  #flush(): Promise<unknown> {
    const waiting = this.#waiting
    this.#waiting = []
    const places = Math.min(waiting.length, this.#service.placesFor(this.#priority))
    const sent = inBatches(waiting.slice(0, places)).map((calls) => this.#send(calls))
    for (const { settle } of waiting.slice(places)) settle('full')
    return Promise.all(sent)
  }

  async #send(calls: readonly Waiting[]): Promise<void> {
    const body = writeCalls(calls)
    const headers = { ...this.#headers, [ARRIVED_HEADER]: String(Date.now()) }
    const outcome = await this.#service.call(
      { method: 'POST', target: this.#target, headers, body },
      {
        deadlineMs: this.#deadlineMs,
        repeatable: true,
        small: true,
        priority: this.#priority,
        places: calls.length,
      },
    )
    const replies = typeof outcome === 'string' ? undefined : repliesOf(outcome, calls.length)
    calls.forEach(({ settle }, at) => {
      settle(typeof outcome === 'string' ? outcome : (replies?.[at] ?? ALONE))
    })
  }
}

/** Undefined when the reply is no batch. */
function repliesOf({ status, body }: Reply, calls: number): (BatchedAnswer | typeof ALONE)[] | undefined {
  if (body instanceof ReadableStream) {
    void body.cancel()
    return undefined
  }
  return status === 200 ? readAnswers(decoder.decode(body), calls) : undefined
}
