import type { Priority } from '../route.ts'
import type { Address } from './address.ts'
import { attempt, attemptSmall, type Call, type Failure, type Reply } from './attempt.ts'
import { Copies, type Copy } from './copies.ts'
import { Reconnect } from './reconnect.ts'
import { relay } from './relay.ts'
import { StreamLifetime } from './stream-lifetime.ts'
import { WholeBodies } from './whole-bodies.ts'

/** `full`: too many calls are in flight; the service was not called. */
export type Outcome = Reply | Failure | 'full'
export type CallOptions = {
  deadlineMs: number
  repeatable?: boolean
  stream?: boolean
  /** The call and its reply are small and of a known length, so neither `fetch` nor its buffers are needed. */
  small?: boolean
  priority?: Priority
  /** How many client requests it stands for. */
  places?: number
  /** A body of a known length up to this is read whole. */
  wholeBytesMax?: number
  /** Whether to wait for a service that has just gone away. */
  waitForRestart?: boolean
}

/** The share of a service's places that each priority may fill, so that low ones leave some to critical ones. */
const SHARE: Readonly<Record<Priority, number>> = { low: 0.5, normal: 0.875, critical: 1 }

const NONE: ReadonlySet<Copy> = new Set()

/**
 * About when an event stream is ended for its client to reconnect, so that streams spread over all gateways after a
 * restart.
 */
const STREAM_AGE_MS = 900_000

/** A service behind the gateway: its copies, and a bound on calls in flight, so that a slow service stalls no other. */
export class Service {
  readonly #copies: Copies
  readonly #reconnect: Reconnect
  readonly #inFlightMax: number
  readonly #streamsMax: number
  readonly #streamAgeMs: number
  readonly #wholeBodies: WholeBodies
  readonly #openStreams = new Set<() => void>()
  #inFlight = 0
  #streams = 0

  constructor({
    addresses,
    inFlightMax,
    streamsMax,
    streamAgeMs = STREAM_AGE_MS,
    wholeBodies = new WholeBodies(),
  }: {
    addresses: readonly Address[]
    inFlightMax: number
    streamsMax: number
    streamAgeMs?: number | undefined
    wholeBodies?: WholeBodies
  }) {
    this.#copies = new Copies(addresses)
    this.#reconnect = new Reconnect(addresses)
    this.#inFlightMax = inFlightMax
    this.#streamsMax = streamsMax
    this.#streamAgeMs = streamAgeMs
    this.#wholeBodies = wholeBodies
  }

  /** Calls and event streams in flight. */
  get inFlight(): { calls: number; streams: number } {
    return { calls: this.#inFlight, streams: this.#streams }
  }

  /** Whether a call of this priority would be `full` now. */
  isFull({ stream, priority }: { stream: boolean; priority: Priority }, places = 1): boolean {
    if (stream) return this.#streams >= this.#streamsMax
    return this.#inFlight + places - 1 >= this.#inFlightMax * SHARE[priority]
  }

  /** How many calls of this priority would be admitted now. */
  placesFor(priority: Priority): number {
    return Math.max(0, Math.ceil(this.#inFlightMax * SHARE[priority] - this.#inFlight))
  }

  /** Ends every event stream, for the process to stop. */
  endStreams(): void {
    for (const abort of this.#openStreams) abort()
  }

  /**
   * Calls a copy. Another one is called when the first is unreachable, and also when the connection broke under a call that is
   * `repeatable`, or the same one if there is no other. When none is reachable that was a moment ago, as when the only one
   * restarts, the call waits until one is back: no copy has received it. Never throws.
   */
  async call(call: Call, options: CallOptions): Promise<Outcome> {
    const { stream = false, priority = 'critical', places = 1 } = options
    if (this.isFull({ stream, priority }, places)) return 'full'
    const release = this.#reserve({ stream, places })
    const reply = await this.#untilAnswered(call, { ...options, stream, places })
    if (typeof reply !== 'string' && reply.relayed) reply.relayed.watch({ ended: release })
    else release()
    return reply
  }

  async #untilAnswered(
    call: Call,
    {
      deadlineMs,
      repeatable = false,
      waitForRestart = true,
      ...options
    }: CallOptions & { stream: boolean; places: number },
  ): Promise<Reply | Failure> {
    let nowMs = performance.now()
    const endMs = nowMs + deadlineMs
    let tried = NONE
    let repeats = repeatable ? 1 : 0
    for (;;) {
      const copy = this.#copies.pick(tried, nowMs)
      if (!copy) {
        if (!waitForRestart || !(await this.#reconnect.wait(bytesIn(call), endMs))) return 'unopened'
        nowMs = performance.now()
        tried = NONE
        continue
      }
      const outcome = await this.#attempt(copy, call, { ...options, deadlineMs: endMs - nowMs })
      nowMs = performance.now()
      if (outcome === 'unopened') this.#copies.avoid(copy, nowMs)
      else {
        this.#reconnect.isBack()
        if (outcome !== 'broken' || repeats-- === 0) return outcome
      }
      if (outcome === 'unopened' || this.#copies.count > tried.size + 1) tried = new Set([...tried, copy])
    }
  }

  async #attempt(
    copy: Copy,
    call: Call,
    {
      stream,
      small = false,
      deadlineMs,
      places,
      wholeBytesMax,
    }: CallOptions & { stream: boolean; places: number },
  ): Promise<Reply | Failure> {
    copy.busy += places
    const wholeBodies = this.#wholeBodies
    const reply = small
      ? await attemptSmall(copy.exchange, call, { deadlineMs })
      : await attempt(copy.address, call, { deadlineMs, wholeBodies, stream, wholeBytesMax })
    if (typeof reply !== 'string' && reply.leaving) this.#copies.avoid(copy, performance.now())
    if (typeof reply === 'string' || !(reply.body instanceof ReadableStream)) {
      copy.busy -= places
      return reply
    }
    const { abort } = reply
    const lifetime = stream ? new StreamLifetime({ ageMs: this.#streamAgeMs, giveUp: abort }) : undefined
    const { body, relayed } = relay(reply.body, { abort, bytes: bytesOf(reply), lifetime })
    if (stream) this.#openStreams.add(abort)
    relayed.watch({
      ended: () => {
        this.#openStreams.delete(abort)
        copy.busy -= places
      },
    })
    return { ...reply, body, relayed }
  }

  #reserve({ stream, places }: { stream: boolean; places: number }): () => void {
    const by = (n: number) => {
      if (stream) this.#streams += n
      else this.#inFlight += n
    }
    by(places)
    return () => by(-places)
  }
}

/** Of a text its length, which is a lower bound. */
function bytesIn({ body }: Call): number {
  if (body === undefined) return 0
  return typeof body === 'string' ? body.length : body.byteLength
}

/** The announced length of the body. */
function bytesOf({ headers }: Reply): number | undefined {
  const length = headers.get('content-length')
  return length === null ? undefined : Number(length)
}
