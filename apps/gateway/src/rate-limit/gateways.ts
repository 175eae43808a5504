import type { Log } from '@palanquin/service/log'
import { defineScript, runScript } from '@palanquin/service/redis-script'
import type { Part } from '@palanquin/service/run'
import { schedule } from '@palanquin/service/schedule'
import type { RedisWindows } from './redis-windows.ts'

const KEY = 'rl:{gateways}'
const HEARTBEAT_MS = 1_000
/** A gateway without a heartbeat for so long is gone: longer than Redis takes to restart, so that none seems alone then. */
const GONE_MS = 60_000

/** KEYS[1]: the gateways by their last heartbeat, in Redis' time. ARGV: id, ms after which one is gone. Returns all ids. */
const HEARTBEAT = defineScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return table.concat(redis.call('ZRANGE', KEYS[1], 0, -1), ' ')
`)

/**
 * How many gateways count together, and which of them this one is. While Redis is away each counts alone, and all of them
 * would admit as many times a limit as there are gateways: so each has a share.
 */
export class GatewayRegistry implements Part {
  readonly name = 'gateways'
  readonly #shared: Pick<RedisWindows, 'attempt'>
  readonly #log: Log
  readonly #heartbeats: Part
  readonly #id = crypto.randomUUID()
  #all: readonly string[] = [this.#id]

  constructor({ shared, log }: { shared: Pick<RedisWindows, 'attempt'>; log: Log }) {
    this.#shared = shared
    this.#log = log
    this.#heartbeats = schedule(log, [
      { name: 'gateway heartbeat', everyMs: HEARTBEAT_MS, run: () => this.#beat() },
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

  async start(): Promise<void> {
    await this.#beat()
    await this.#heartbeats.start?.()
  }

  async stop(): Promise<void> {
    await this.#heartbeats.stop?.()
    await this.#shared.attempt((redis) => redis.zRem(KEY, this.#id))
  }

  async #beat(): Promise<void> {
    const said = await this.#shared.attempt((redis) =>
      runScript(redis, HEARTBEAT, { keys: [KEY], args: [this.#id, String(GONE_MS)] }),
    )
    if (said === undefined) return
    const all = String(said).split(' ').sort()
    if (all.length !== this.count)
      this.#log.info(
        { event: 'limits.gateways_changed', count: all.length },
        'The number of gateways that count together has changed',
      )
    this.#all = all
  }
}
