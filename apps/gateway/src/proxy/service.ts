import type { Priority } from '../route.ts'
import type { Address } from './address.ts'
import { attempt, type Call, type Failure, type Reply } from './attempt.ts'
import { Copies, type Copy } from './copies.ts'
import { Reconnect } from './reconnect.ts'
import { relay } from './relay.ts'
import { StreamLifetime } from './stream-lifetime.ts'
import { WholeBodies } from './whole-bodies.ts'

/** `full`: too many calls are under way; the service was not asked. */
export type Outcome = Reply | Failure | 'full'
export type CallOptions = {
  deadlineMs: number
  repeatable?: boolean
  stream?: boolean
  priority?: Priority
  /** How many requests of clients it stands for. */
  places?: number
  /** A body of a known length up to this is read whole. */
  wholeBytesMax?: number
  /** Whether to wait for a service that has just gone away. */
  hold?: boolean
}

/** Which share of a service's places each kind may fill: what can wait never takes the last place of what cannot. */
const SHARE: Readonly<Record<Priority, number>> = { low: 0.5, normal: 0.875, critical: 1 }

const NONE: ReadonlySet<Copy> = new Set()

/**
 * About when an event stream is ended, for its client to come back: a place is nobody's for good, and after a restart streams
 * spread over all gateways again.
 */
const STREAM_AGE_MS = 900_000

/** A service behind the gateway: its copies, and a bound on what is under way, so that a slow one stalls no other. */
export class Service {
  readonly #copies: Copies
  readonly #comeback: Reconnect
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
    this.#comeback = new Reconnect(addresses)
    this.#inFlightMax = inFlightMax
    this.#streamsMax = streamsMax
    this.#streamAgeMs = streamAgeMs
    this.#wholeBodies = wholeBodies
  }

  /** Calls and event streams under way. */
  get underWay(): { calls: number; streams: number } {
    return { calls: this.#inFlight, streams: this.#streams }
  }

  /** Whether a call of this kind would be told `full` now. */
  isFull({ stream, priority }: { stream: boolean; priority: Priority }, places = 1): boolean {
    if (stream) return this.#streams >= this.#streamsMax
    return this.#inFlight + places - 1 >= this.#inFlightMax * SHARE[priority]
  }

  /** How many calls of this kind would be let in now. */
  placesFor(priority: Priority): number {
    return Math.max(0, Math.ceil(this.#inFlightMax * SHARE[priority] - this.#inFlight))
  }

  /** Ends every event stream, for the process to stop. */
  endStreams(): void {
    for (const abort of this.#openStreams) abort()
  }

  /**
   * Asks a copy. Another one is asked when the first could not be reached, and also when the connection broke under a
   * call that is `repeatable`, then the same one if there is no other. Where none can be reached that could a moment ago, as when
   * the only one restarts, the call is held until one is back: no copy has seen it. Never throws.
   */
  async call(call: Call, options: CallOptions): Promise<Outcome> {
    const { stream = false, priority = 'critical', places = 1 } = options
    if (this.isFull({ stream, priority }, places)) return 'full'
    const leave = this.#enter({ stream, places })
    const reply = await this.#untilAnswered(call, { ...options, stream, places })
    if (typeof reply !== 'string' && reply.relayed) reply.relayed.watch({ ended: leave })
    else leave()
    return reply
  }

  async #untilAnswered(
    call: Call,
    {
      deadlineMs,
      repeatable = false,
      hold = true,
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
        if (!hold || !(await this.#comeback.wait(bytesIn(call), endMs))) return 'unopened'
        nowMs = performance.now()
        tried = NONE
        continue
      }
      const outcome = await this.#ask(copy, call, { ...options, deadlineMs: endMs - nowMs })
      nowMs = performance.now()
      if (outcome === 'unopened') this.#copies.rest(copy, nowMs)
      else {
        this.#comeback.isBack()
        if (outcome !== 'broken' || repeats-- === 0) return outcome
      }
      if (outcome === 'unopened' || this.#copies.count > tried.size + 1) tried = new Set([...tried, copy])
    }
  }

  async #ask(
    copy: Copy,
    call: Call,
    { stream, deadlineMs, places, wholeBytesMax }: CallOptions & { stream: boolean; places: number },
  ): Promise<Reply | Failure> {
    copy.busy += places
    const reply = await attempt(copy.address, call, {
      deadlineMs,
      wholeBodies: this.#wholeBodies,
      stream,
      wholeBytesMax,
    })
    if (typeof reply !== 'string' && reply.leaving) this.#copies.rest(copy, performance.now())
    if (typeof reply === 'string' || !(reply.body instanceof ReadableStream)) {
      copy.busy -= places
      return reply
    }
    const { abort } = reply
    const ending = stream ? new StreamLifetime({ ageMs: this.#streamAgeMs, giveUp: abort }) : undefined
    const { body, relayed } = relay(reply.body, { abort, bytes: bytesOf(reply), ending })
    if (stream) this.#openStreams.add(abort)
    relayed.watch({
      ended: () => {
        this.#openStreams.delete(abort)
        copy.busy -= places
      },
    })
    return { ...reply, body, relayed }
  }

  #enter({ stream, places }: { stream: boolean; places: number }): () => void {
    const by = (n: number) => {
      if (stream) this.#streams += n
      else this.#inFlight += n
    }
    by(places)
    return () => by(-places)
  }
}

/** At least as many as its body has. */
function bytesIn({ body }: Call): number {
  if (body === undefined) return 0
  return typeof body === 'string' ? body.length : body.byteLength
}

/** How long its service says that the body is. */
function bytesOf({ headers }: Reply): number | undefined {
  const length = headers.get('content-length')
  return length === null ? undefined : Number(length)
}
