import type { Log } from '@palanquin/service/log'
import { type Redis, untilThere } from '@palanquin/service/redis'
import type { Part } from '@palanquin/service/run'
import { callRedis } from '../buffer/call-redis.ts'
import { pointsKey } from '../buffer/keys.ts'

/** A change of Redis' clock is noticed after so long. */
const SAMPLE_EVERY_MS = 1_000
const SAMPLE_DEADLINE_MS = 500
/** A start waits so long for the first sample; without one points are judged leniently. */
const FIRST_SAMPLE_MS_MAX = 500
/** Clocks kept by NTP differ by less: then the machine's own is used. Points have five minutes of tolerance. */
const DIFFERENCE_MS_MIN = 2_000

export type RedisClock = Part & {
  /** Epoch ms by the clock of Redis as last sampled; by `own` before the first sample. */
  now: () => number
  /** Whether there was a sample: without one the error of this machine's clock is unknown. */
  isSure: () => boolean
}

/** Epoch ms by this machine's clock as it was when the process started: setting that clock later changes nothing here. */
export const steadyNow = (): number => Math.floor(performance.timeOrigin + performance.now())

/**
 * One clock for all processes: points are judged by the time of Redis, however wrong the clock of the machine is. Sampled
 * once a second; while Redis is away the last difference holds.
 */
export function redisClock({ redis, own, log }: { redis: Redis; own: () => number; log: Log }): RedisClock {
  let offsetMs = 0
  let isSure = false
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
    const differenceMs = redisMs - (before + after) / 2
    // The round trip may have been spent in either direction.
    const isApart = Math.abs(differenceMs) > DIFFERENCE_MS_MIN + (after - before) / 2
    const next = isApart ? Math.round(differenceMs) : 0
    if (Math.abs(next - offsetMs) > DIFFERENCE_MS_MIN) {
      const offBySeconds = Math.round(-next / 1_000)
      log.warn(
        { event: 'clock.differs', offBySeconds },
        'The clock of this machine differs from that of Redis, which counts',
      )
      offsetMs = next
    }
    isSure = true
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
    isSure: () => isSure,
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
