import type { Log } from '@palanquin/service/log'
import { defineScript, runScript } from '@palanquin/service/redis-script'
import type { Part } from '@palanquin/service/run'
import type { RedisWindows } from './redis-windows.ts'

const KEY = 'rl:{gateways}'
const EVERY_MS = 1_000
/** Who has not been heard of for so long is gone: longer than Redis takes to come back, so that nobody seems alone then. */
const GONE_MS = 60_000

/** KEYS[1]: the gateways by when they were last heard of, in Redis' time. ARGV: id, ms after which one is gone. Answers all ids. */
const SHOW_UP = defineScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return table.concat(redis.call('ZRANGE', KEYS[1], 0, -1), ' ')
`)

/**
 * How many gateways count together, and which of them this one is. While Redis is away each keeps the limits by itself, and
 * all of them together would let through as many times a limit as there are gateways: so each has a share.
 */
export class GatewayRegistry implements Part {
  readonly name = 'gateways'
  readonly #shared: Pick<RedisWindows, 'attempt'>
  readonly #log: Log
  readonly #id = crypto.randomUUID()
  #all: readonly string[] = [this.#id]
  #timer: ReturnType<typeof setInterval> | undefined

  constructor({ shared, log }: { shared: Pick<RedisWindows, 'attempt'>; log: Log }) {
    this.#shared = shared
    this.#log = log
  }

  /** As they were when Redis last told. */
  get count(): number {
    return this.#all.length
  }

  /** This gateway's part of a limit: the parts of all of them come to the limit, where that is enough for one each. */
  share(limit: number): number {
    const place = Math.max(0, this.#all.indexOf(this.#id))
    return Math.max(1, Math.floor((limit + this.count - 1 - place) / this.count))
  }

  async start(): Promise<void> {
    this.#timer = setInterval(() => void this.#showUp(), EVERY_MS)
    await this.#showUp()
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#shared.attempt((redis) => redis.zRem(KEY, this.#id))
  }

  async #showUp(): Promise<void> {
    const said = await this.#shared.attempt((redis) =>
      runScript(redis, SHOW_UP, { keys: [KEY], args: [this.#id, String(GONE_MS)] }),
    )
    if (said === undefined) return
    const all = String(said).split(' ').sort()
    if (all.length !== this.count)
      this.#log.info(
        { event: 'limits.gateways', count: all.length },
        'another number of gateways counts together',
      )
    this.#all = all
  }
}
