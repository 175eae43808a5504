import { auditPoints } from '@palanquin/testing/faults/audit'
import { ledger } from '@palanquin/testing/faults/ledger'
import postgres from 'postgres'
import { drive } from '../demo/drive.ts'
import { planPilgrim, type Time } from '../demo/pilgrim.ts'
import type { Home } from '../home.ts'
import type { Fault } from './faults.ts'
import { type House, openHouse } from './house.ts'
import { injector } from './inject.ts'
import { openLinks } from './links.ts'
import { passBy } from './passers-by.ts'
import { openPhones, type Phones, seldomAndWithoutRepeats } from './phones.ts'
import type { Findings } from './report.ts'
import { effectsInTheEnd, settle } from './settle.ts'

/** Of walking, at most so much is packed into a run: points may be up to 30 days old, and more of them show nothing new. */
const HOURS_MAX = 12
const SPEED_MAX = 600
const HOUR_MS = 3_600_000

export type Plan = { seed: number; lastsMs: number; walkers: number; faults: readonly Fault[] }
/** Something that the run itself does beside the faults: the control that must be caught. */
export type Saboteur = {
  during: (house: House) => Promise<void>
  after: (sql: postgres.Sql, house: House) => Promise<void>
}

/** The whole run in a home of its own: load, faults, healing, the end of the activity, and what is found in the stores. */
export async function runChaos(
  home: Home,
  { seed, lastsMs, walkers, faults }: Plan,
  { tell, saboteur }: { tell: (line: string) => void; saboteur?: Saboteur },
): Promise<Findings> {
  const links = openLinks()
  const house = await openHouse(home, { links })
  const sql = postgres(house.run.databaseUrl, { max: 2, onnotice: () => {} })
  const redis = new Bun.RedisClient(house.run.redisUrl)
  const beganMs = performance.now()
  const tellTime = (line: string) =>
    tell(`${((performance.now() - beganMs) / 1000).toFixed(1).padStart(6)} s  ${line}`)
  try {
    const book = ledger()
    const over = new AbortController()
    const phones = openPhones(house.api, book, over.signal)
    const time: Time = { beginMs: Date.now(), lastsMs, speed: speedOf(lastsMs) }
    const done = load(phones, { seed, walkers, time })
    const inject = injector({ home, run: house.run, links, tell: tellTime })
    const sabotaged = saboteur?.during(house)
    for (const fault of faults) {
      await Bun.sleep(beganMs + fault.atMs - performance.now())
      inject.begin(fault)
    }
    await Bun.sleep(Math.max(0, beganMs + lastsMs - performance.now()))
    await sabotaged
    await inject.healed()
    tellTime('all faults are over; waiting for everything to come back')
    const settled = await settle(house, phones, done)
    over.abort()
    tellTime('looking into the stores')
    await saboteur?.after(sql, house)
    const effects = await effectsInTheEnd(sql, redis, phones.promised, saboteur ? 0 : undefined)
    const audit = await auditPoints(sql, book)
    return { ...settled, audit, faults: [...settled.faults, ...effects], phones, injected: faults.length }
  } finally {
    redis.close()
    await sql.end({ timeout: 1 })
    await house.close()
  }
}

const speedOf = (lastsMs: number): number => Math.min(SPEED_MAX, Math.floor((HOURS_MAX * HOUR_MS) / lastsMs))

/** Pilgrims of the demo, and people who pass by; resolves when all of them have been answered for everything. */
async function load(
  { sender }: Phones,
  { seed, walkers, time }: { seed: number; walkers: number; time: Time },
): Promise<void> {
  const endsMs = time.beginMs + time.lastsMs
  const { signal } = new AbortController()
  const pilgrims = Array.from({ length: walkers }, (_, index) =>
    seldomAndWithoutRepeats(planPilgrim(`pilgrim-${seed}`, index, { seed, time })),
  )
  await Promise.all([
    passBy(sender, `passer-${seed}`, () => Date.now() < endsMs),
    ...pilgrims.map((pilgrim) =>
      drive(pilgrim, { sender, beginMs: time.beginMs, moved: () => {}, now: Date.now, signal }),
    ),
  ])
}
