import type { Log } from '@palanquin/service/log'
import { type Redis, untilThere } from '@palanquin/service/redis'
import type { Part } from '@palanquin/service/run'
import { callRedis } from '../buffer/call-redis.ts'
import { pointsKey } from '../buffer/keys.ts'

/** A machine whose clock is set meanwhile is right again after so long. */
const SAMPLE_EVERY_MS = 1_000
const SAMPLE_DEADLINE_MS = 500
/** A start waits so long for the first sample; without it points are judged leniently. */
const FIRST_SAMPLE_MS_MAX = 500
/** Clocks that are kept by NTP differ by less: then the machine's own is taken as it is. Points have five minutes. */
const DIFFERENCE_MS_MIN = 2_000

export type RedisClock = Part & {
  /** Epoch ms by Redis' clock, as it was last sampled; by the machine's own where it never was. */
  now: () => number
  /** Whether Redis has ever said what time it is: without that nobody knows how wrong this machine's clock is. */
  isSure: () => boolean
}

/**
 * One clock for all processes: when a point arrived, and whether it lies ahead, is judged by Redis' time, however wrong the
 * clock of the machine is. Sampled once a second; while Redis is away the last known difference holds.
 */
export function redisClock({ redis, own, log }: { redis: Redis; own: () => number; log: Log }): RedisClock {
  let offsetMs = 0
  let sure = false
  let timer: ReturnType<typeof setInterval> | undefined
  let sampling: Promise<void> | undefined

  const sample = async (): Promise<void> => {
    if (!redis.isReady) return
    const before = own()
    const reply = await callRedis(redis.send(pointsKey(0), ['TIME']), SAMPLE_DEADLINE_MS).catch(() => null)
    const after = own()
    if (!Array.isArray(reply)) return
    const redisMs = Number(reply[0]) * 1_000 + Math.floor(Number(reply[1]) / 1_000)
    if (!Number.isFinite(redisMs)) return
    const found = redisMs - (before + after) / 2
    // What the answer took may have passed on either way.
    const isApart = Math.abs(found) > DIFFERENCE_MS_MIN + (after - before) / 2
    const next = isApart ? Math.round(found) : 0
    if (Math.abs(next - offsetMs) > DIFFERENCE_MS_MIN) {
      const offBySeconds = Math.round(-next / 1_000)
      log.warn(
        { event: 'clock.differs', offBySeconds },
        'the clock of this machine is not that of Redis: Redis counts',
      )
      offsetMs = next
    }
    sure = true
  }
  const sampleOnce = (): Promise<void> => {
    sampling ??= sample().finally(() => {
      sampling = undefined
    })
    return sampling
  }

  return {
    name: 'clock',
    now: () => own() + offsetMs,
    isSure: () => sure,
    start: async () => {
      timer = setInterval(() => void sampleOnce(), SAMPLE_EVERY_MS)
      redis.on('ready', () => void sampleOnce())
      await untilThere(redis, FIRST_SAMPLE_MS_MAX)
      await sampleOnce()
    },
    stop: async () => {
      clearInterval(timer)
      await sampling
    },
  }
}
