import type { Home } from '@palanquin/stack/run-state/home'
import { table } from '@palanquin/stack/table'
import postgres from 'postgres'
import { openStack } from '../deployment.ts'
import { openSampler } from './sampler.ts'
import { type Sample, slopeOf } from './slope.ts'

/** The same participants all the time, so that nothing has a reason to grow. */
const PEOPLE = 3_000
const LANES = 16
const SAMPLE_EVERY_MS = 5_000
/** Capacity is measured for this long, with every participant seen once. */
const MEASURE_MS = 20_000
const WARM_SHARE = 1 / 3
/** Significant growth exceeds its error and this share of the level within the run. */
const SURE_ERRORS = 3
const GROWTH_SHARE = 0.05
const HOUR_MS = 3_600_000

export type SoakResult = { report: string; isFlat: boolean; isLongEnough: boolean }

/** A soak test: half of the machine's capacity, and a check of everything that must not grow. */
export async function runSoak(
  home: Home,
  { lastsMs, log }: { lastsMs: number; log: (line: string) => void },
): Promise<SoakResult> {
  const deployment = await openStack(home, { settings: { RATE_LIMITS: 'off' } })
  const sql = postgres(deployment.run.databaseUrl, { max: 1, onnotice: () => {} })
  const redis = new Bun.RedisClient(deployment.run.redisUrl)
  try {
    let [sent, refused, pauseMs, isRunning] = [0, 0, 0, true]
    const lane = async (at: number) => {
      for (let index = at; isRunning; index += LANES) {
        const userId = `soak-${index % PEOPLE}`
        const place = { lat: 23 + (index % 90_000) / 100_000, lng: 120 + (index % PEOPLE) / 10_000 }
        const reply = await deployment.api.post('/checkin', { userId, ...place }).catch(() => null)
        sent++
        if (reply?.status !== 202) refused++
        await Bun.sleep(pauseMs)
      }
    }
    const lanes = Array.from({ length: LANES }, (_, at) => lane(at))
    await Bun.sleep(MEASURE_MS)
    const perS = sent / (MEASURE_MS / 1000)
    pauseMs = (LANES * 1000) / perS // each lane pauses as long as it waits for responses
    log(`${perS.toFixed(0)} check-ins a second are this machine's capacity; half of that from now on.`)
    ;[sent, refused] = [0, 0]
    const beganMs = performance.now()
    const sampler = openSampler(deployment, sql, redis, beganMs)
    while (performance.now() - beganMs < lastsMs) {
      await sampler.look()
      await Bun.sleep(SAMPLE_EVERY_MS)
    }
    isRunning = false
    await Promise.all(lanes)
    log(
      `${sent} check-ins, ${(sent / (lastsMs / 1000)).toFixed(0)} a second; ${refused} answered otherwise than 202.`,
    )
    return judge(sampler.series, lastsMs)
  } finally {
    redis.close()
    await sql.end({ timeout: 1 })
    await deployment.close()
  }
}

function judge(series: ReadonlyMap<string, readonly Sample[]>, lastsMs: number): SoakResult {
  const grown: string[] = []
  let isLongEnough = true
  const rows = [...series].map(([name, samples]) => {
    const warm = samples.filter(({ atMs }) => atMs > lastsMs * WARM_SHARE)
    const slope = slopeOf(warm)
    if (!slope) isLongEnough = false
    const level = warm.at(-1)?.value ?? 0
    const expected = slope ? ((slope.perHour - SURE_ERRORS * slope.error) * lastsMs) / HOUR_MS : 0
    const grows = expected > Math.max(1, level * GROWTH_SHARE)
    if (grows) grown.push(name)
    return [
      name,
      (samples[0]?.value ?? 0).toFixed(0),
      level.toFixed(0),
      slope ? `${slope.perHour.toFixed(1)} ± ${slope.error.toFixed(1)}` : 'too short',
      grows ? 'grows' : slope ? 'flat' : '',
    ]
  })
  const heads = ['', 'first', 'last', 'an hour, ± error', '']
  return {
    report: table(heads, rows, ['left', 'right', 'right', 'right', 'left']),
    isFlat: grown.length === 0,
    isLongEnough,
  }
}
