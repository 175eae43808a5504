import { readFileSync } from 'node:fs'
import type { ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { type Driver, openDriver } from './drive.ts'
import type { Costs } from './peak.ts'
import { type Processors, type Stage, sumStages } from './processors.ts'
import { departure, MAP_PATH, minuteOf, profiles, type Request, repeated } from './requests.ts'
import { sizesOf } from './stores.ts'

const FLUSH_EVERY_MINUTES = 5
const MAP_READS = 200
const NEW_CONNECTIONS = 300
/** Answered by the gateway alone, so that only the connection counts. */
const NOWHERE = 'nowhere'
/** A participant may sync ten times per minute of wall time; more simulated minutes wait for that. */
const SYNCS_PER_WALL_MINUTE = 10
const WALL_MINUTE_MS = 61_000
/** Bytes around a body on the wire, each way: head (measured once), and TLS with TCP and IP. */
const HEAD_BYTES = 750
const WIRE_BYTES = 120

type Plan = { participants: number; minutes: number; log: (line: string) => void }
export type Measured = { costs: Costs; points: number; syncsPerS: number; flushPointsPerS: number }
/** A stage of requests, with the bytes of one. */
type MeasuredStage = Stage & { inBytes: number; outBytes: number }

const perSecond = ({ pieces, tookMs }: Stage): number => Math.round((pieces / tookMs) * 1_000)

/**
 * Simulates participants on a running stack in compressed time, and measures the cost of each action. `turn` numbers their
 * departure: another one is at other places.
 */
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
  const walked = await walk(stack, { processors, driver, participants, minutes, log })
  const checkin = await ask(processors, driver, departure(participants, turn), 202)
  await stack.api.flush()
  const profile = await ask(processors, driver, profiles(participants), 200)
  log(`profiles: ${perSecond(profile)}/s`)
  const map = await ask(processors, driver, repeated(MAP_PATH, MAP_READS), 200)
  const kept = await calls({ base: url, ca }, processors)
  const opened = await processors.stage(() => openings(`${url}/${NOWHERE}`, ca))
  const { sync, flush, points, costs } = walked
  const measured = { sync, checkin, profile, map }
  const bytes = (name: 'inBytes' | 'outBytes') => ({
    ...{ sync: sync[name], checkin: checkin[name], profile: profile[name], map: map[name] },
  })
  const connection = { gateway: Math.max(0, (opened.costUs.gateway ?? 0) - (kept.costUs.gateway ?? 0)) }
  const cpuUs = {
    ...{ sync: sync.costUs, checkin: checkin.costUs, profile: profile.costUs, map: map.costUs },
    ...{ flush: flush.costUs, connection },
  }
  return {
    ...{ points, syncsPerS: perSecond(measured.sync), flushPointsPerS: perSecond(flush) },
    costs: {
      ...{ ...costs, cpuUs, idleMsPerS: processors.idleMsPerS },
      ...{ inBytes: bytes('inBytes'), outBytes: bytes('outBytes') },
      servicesMb: processors.servicesMb(),
    },
  }
}

type Walk = Plan & { processors: Processors; driver: Driver }

/** Every simulated minute everyone syncs, and every fifth one ends with a flush. */
async function walk(stack: ThrowawayStack, { processors, driver, participants, minutes, log }: Walk) {
  const syncs: MeasuredStage[] = []
  const flushes: Stage[] = []
  const bufferBytes: number[] = []
  const beganMs = Date.now() - minutes * 60_000
  const startedMs = performance.now()
  const first = await sizesOf(stack)
  let emptied = first.redisBytes
  for (let minute = 0; minute < minutes; minute++) {
    const dueMs = Math.floor(minute / SYNCS_PER_WALL_MINUTE) * WALL_MINUTE_MS
    await Bun.sleep(Math.max(0, dueMs - (performance.now() - startedMs)))
    syncs.push(await ask(processors, driver, minuteOf(participants, { beganMs, minute }), 200))
    if ((minute + 1) % FLUSH_EVERY_MINUTES !== 0 && minute + 1 < minutes) continue
    const buffered = (await sizesOf(stack)).redisBytes - emptied
    const flush = await processors.stage(async () => {
      const { flushed, tookMs } = await stack.api.flush()
      return { pieces: flushed, tookMs }
    })
    flushes.push(flush)
    bufferBytes.push(buffered / flush.pieces)
    emptied = (await sizesOf(stack)).redisBytes
    const last = syncs.at(-1)
    log(
      `minute ${minute + 1}: ${last && perSecond(last)} syncs/s; flush of ${flush.pieces} points: ${perSecond(flush)}/s`,
    )
  }
  const last = await sizesOf(stack)
  const flush = sumStages(flushes)
  const sync = { ...syncs[0], ...sumStages(syncs) }
  return {
    ...{ flush, sync: { inBytes: 0, outBytes: 0, ...sync }, points: flush.pieces },
    costs: {
      bufferBytesPerPoint: bufferBytes[0] ?? 0,
      diskBytesPerPoint: (last.diskBytes - first.diskBytes) / flush.pieces,
      walBytesPerPoint: (last.walBytes - first.walBytes) / flush.pieces,
    },
  }
}

async function ask(
  processors: Processors,
  driver: Driver,
  requests: Iterator<Request, void>,
  status: number,
): Promise<MeasuredStage> {
  let bytes = { inBytes: 0, outBytes: 0 }
  const stage = await processors.stage(async () => {
    const { sent, tookMs, sentBytes, bodyBytes } = await driver.drive(requests, status)
    bytes = { inBytes: sentBytes / sent + WIRE_BYTES, outBytes: bodyBytes / sent + HEAD_BYTES + WIRE_BYTES }
    return { pieces: sent, tookMs }
  })
  return { ...stage, ...bytes }
}

/** Requests over kept connections; opened here, because the gateway closes idle ones. */
async function calls(door: { base: string; ca: string }, processors: Processors): Promise<MeasuredStage> {
  const driver = await openDriver(door)
  try {
    return await ask(processors, driver, repeated(NOWHERE, NEW_CONNECTIONS), 404)
  } finally {
    driver.close()
  }
}

/** Requests, each over a TLS connection of its own. */
async function openings(url: string, ca: string): Promise<{ pieces: number; tookMs: number }> {
  const startedMs = performance.now()
  for (let n = 0; n < NEW_CONNECTIONS; n++) {
    const answer = await fetch(url, { tls: { ca }, keepalive: false })
    await answer.arrayBuffer()
  }
  return { pieces: NEW_CONNECTIONS, tookMs: performance.now() - startedMs }
}
