import type { Log } from '@palanquin/service/log'
import { pause } from '@palanquin/service/pause'
import type { Part } from '@palanquin/service/run'
import { schedule } from '@palanquin/service/schedule'
import type { KeyHash } from '../memory/key-hash.ts'
import type { LocalWindows } from '../memory/local-windows.ts'
import type { RedisWindows } from '../redis/redis-windows.ts'
import { AdmissionLog } from './admission-log.ts'
import { CountingMode, type Step } from './counting-mode.ts'
import { heartbeat } from './heartbeat-script.ts'
import { readAdmissions } from './read-admissions.ts'

/** As long as one that starts waits at most for the one that counts alone to notice it. */
const HEARTBEAT_MS = 250
/** From one question to the next of a gateway that starts while another counts alone. */
const JOIN_PAUSE_MS = 50
/** What a call waits for it at most, after this process was stopped for a minute. */
const SETTLE_MS_MAX = 1_000
/** Longer than the lease of a gateway that crashed, and short enough for a start. */
const JOIN_MS_MAX = 5_000

/**
 * Which gateways count together, and whether this one counts alone. While Redis is away each counts by itself, and all of them
 * would admit as many times a limit as there are gateways: so each has a share.
 */
export class GatewayRegistry implements Part {
  readonly name = 'gateways'
  readonly #shared: Pick<RedisWindows, 'attempt' | 'away'>
  readonly #local: LocalWindows
  readonly #log: Log
  readonly #nowMs: () => number
  readonly #heartbeats: Part
  readonly #mode = new CountingMode()
  readonly #id = crypto.randomUUID()
  readonly #admissions: AdmissionLog
  #all: readonly string[] = [this.#id]
  #beating: Promise<void> | undefined
  #era = 0

  constructor({
    shared,
    local,
    log,
    nowMs = () => performance.now(),
  }: {
    shared: Pick<RedisWindows, 'attempt' | 'away'>
    local: LocalWindows
    log: Log
    nowMs?: () => number
  }) {
    this.#shared = shared
    this.#local = local
    this.#log = log
    this.#nowMs = nowMs
    this.#admissions = new AdmissionLog({ shared, id: this.#id, nowMs })
    this.#heartbeats = schedule(log, [
      { name: 'gateway heartbeat', everyMs: HEARTBEAT_MS, run: () => this.beat() },
    ])
  }

  /** As Redis last had it. */
  get count(): number {
    return this.#all.length
  }

  /** This gateway's part of a limit: the parts add up to the limit, where that is enough for one each. */
  share(limit: number): number {
    const place = Math.max(0, this.#all.indexOf(this.#id))
    return Math.max(1, Math.floor((limit + this.count - 1 - place) / this.count))
  }

  /** Whether this gateway counts the short windows alone, in its memory. */
  isAlone(nowMs: number): boolean {
    return this.#mode.isAlone(nowMs)
  }

  /** Whether it counts them with the others, in Redis. */
  isTogether(nowMs: number): boolean {
    return this.#mode.isTogether(nowMs)
  }

  /** How often it has begun to count alone: what it knew before may have changed since. */
  get era(): number {
    return this.#era
  }

  /** When Redis has said how this gateway counts, or is away; a second later at most. */
  settled(): Promise<void> {
    return this.#untilJoined(SETTLE_MS_MAX)
  }

  /** Logs what it admitted alone; resolves when the call may be answered. */
  admitted(key: KeyHash, atMs: number): Promise<void> | undefined {
    return this.#admissions.add(key, atMs)
  }

  takenBack(key: KeyHash, atMs: number): void {
    if (this.#mode.isAlone(this.#nowMs())) void this.#admissions.takeBack(key, atMs)
  }

  /** No longer counts alone: its memory is full, or another gateway is there. */
  yield(): void {
    if (!this.#mode.yield()) return
    this.#end()
    void this.beat()
  }

  /** Returns once this gateway may count, so that its port opens then. Without Redis it counts by itself. */
  async start(): Promise<void> {
    await this.#untilJoined(JOIN_MS_MAX)
    if (this.#mode.isJoining && !this.#shared.away)
      this.#log.warn(
        { event: 'limits.join_timed_out', waitedMs: JOIN_MS_MAX },
        'Another gateway counts alone and does not stop; this one counts its share',
      )
    await this.#heartbeats.start?.()
  }

  async stop(): Promise<void> {
    await this.#heartbeats.stop?.()
    await this.#beating
    if (this.#mode.yield()) this.#end()
    this.#mode.stop()
    await this.beat()
  }

  async #untilJoined(msMax: number): Promise<void> {
    const untilMs = performance.now() + msMax
    await this.beat()
    while (this.#mode.isJoining && !this.#shared.away && performance.now() < untilMs) {
      await pause(JOIN_PAUSE_MS)
      await this.beat()
    }
  }

  /** Tells Redis that this gateway is there, and hears how it counts. */
  beat(): Promise<void> {
    this.#beating ??= this.#exchange().finally(() => {
      this.#beating = undefined
    })
    return this.#beating
  }

  async #exchange(): Promise<void> {
    // Others begin to count as soon as they know that this one no longer counts alone.
    if (this.#mode.isYielding) await this.#admissions.flush()
    const sentMs = this.#nowMs()
    const intent = this.#mode.intent(sentMs, this.#local.lostMs)
    const word = await this.#shared.attempt((redis) => heartbeat(redis, { id: this.#id, intent }))
    if (word === undefined) return
    this.#note(word.all)
    await this.#take(this.#mode.heard(word, { sentMs, nowMs: this.#nowMs() }))
    if (word.all.length > 1 && this.#mode.yield()) {
      this.#end()
      await this.#exchange()
    }
  }

  async #take(step: Step): Promise<void> {
    if (step === 'begin') {
      this.#era++
      this.#local.beginEra(this.#nowMs())
      this.#log.info({ event: 'limits.sole' }, 'This gateway counts rate limits alone, in its memory')
    }
    if (step === 'end') this.#end()
    if (step === 'join') await this.#join()
  }

  #end(): void {
    this.#local.endEra(this.#nowMs())
    this.#log.info({ event: 'limits.yielded' }, 'This gateway counts rate limits with others, in Redis')
  }

  async #join(): Promise<void> {
    const admissions = await readAdmissions(this.#shared, this.#nowMs)
    if (!admissions) return
    if (admissions.length > 0) {
      this.#local.learnEra(admissions, this.#nowMs())
      this.#log.info(
        { event: 'limits.log_read', admissions: admissions.length },
        'Read what a gateway that counted alone has admitted',
      )
    }
    this.#mode.joined()
  }

  #note(all: readonly string[]): void {
    if (all.length !== this.count)
      this.#log.info(
        { event: 'limits.gateways_changed', count: all.length },
        'The number of gateways that count together has changed',
      )
    this.#all = all
  }
}
