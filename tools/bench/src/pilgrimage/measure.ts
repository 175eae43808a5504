import { readFileSync } from 'node:fs'
import type { ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { ask, perSecond } from './ask.ts'
import { connectionCostUs } from './connections.ts'
import type { Driver } from './drive.ts'
import { type Costs, SYNC_SIZES } from './peak.ts'
import type { Processors } from './processors.ts'
import { departure, MAP_PATH, profiles, repeated, roundsOf } from './requests.ts'
import { type Walked, walk } from './walk.ts'

const MAP_READS = 600
/** Before them, for processes that have not made a map yet. */
const MAP_WARMUP_READS = 200

type Plan = { participants: number; minutes: number; log: (line: string) => void }
export type Measured = {
  costs: Costs
  /** Of syncs of the other sizes. */
  larger: readonly Costs[]
  /** How many points all of these have stored. */
  points: number
  syncsPerS: number
  flushPointsPerS: number
}

/** Simulates participants on a running stack in compressed time, and measures the cost of each action. */
export async function measure(
  stack: ThrowawayStack,
  {
    processors,
    driver,
    participants,
    minutes,
    log,
    turn,
  }: Plan & { processors: Processors; driver: Driver; turn: number },
): Promise<Measured> {
  const { caFile, url } = stack.running()
  const ca = readFileSync(caFile, 'utf8')
  const walks: Walked[] = []
  for (const [at, pointsPerSync] of SYNC_SIZES.entries()) {
    const sample = { first: at * participants, participants }
    const rounds = roundsOf(minutes, pointsPerSync)
    walks.push(await walk(stack, { processors, driver, sample, pointsPerSync, rounds, log }))
  }
  const [walked, ...others] = walks
  if (walked === undefined) throw new Error('no size of a sync is measured')
  const checkin = await ask(processors, driver, departure(participants, { turn }), 202)
  await stack.api.flush()
  const profile = await ask(processors, driver, profiles(participants), 200)
  log(`profiles: ${perSecond(profile)}/s`)
  await driver.drive(repeated(MAP_PATH, MAP_WARMUP_READS), 200)
  const map = await ask(processors, driver, repeated(MAP_PATH, MAP_READS), 200)
  const { sync, flush, costs } = walked
  const measured = { sync, checkin, profile, map }
  const bytes = (name: 'inBytes' | 'outBytes') => ({
    sync: sync[name],
    checkin: checkin[name],
    profile: profile[name],
    map: map[name],
  })
  const connection = { gateway: await connectionCostUs({ base: url, ca }, processors) }
  const cpuUs = {
    sync: sync.costUs,
    checkin: checkin.costUs,
    profile: profile.costUs,
    map: map.costUs,
    flush: flush.costUs,
    connection,
  }
  const all: Costs = {
    ...costs,
    cpuUs,
    idleMsPerS: processors.idleMsPerS,
    inBytes: bytes('inBytes'),
    outBytes: bytes('outBytes'),
  }
  return {
    syncsPerS: perSecond(measured.sync),
    flushPointsPerS: perSecond(flush),
    points: walks.reduce((sum, { flush }) => sum + flush.pieces, checkin.pieces),
    costs: all,
    larger: others.map(({ sync, flush, costs }) => ({
      ...all,
      ...costs,
      cpuUs: { ...cpuUs, sync: sync.costUs, flush: flush.costUs },
      inBytes: { ...all.inBytes, sync: sync.inBytes },
      outBytes: { ...all.outBytes, sync: sync.outBytes },
    })),
  }
}
