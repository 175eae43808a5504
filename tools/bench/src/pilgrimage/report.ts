import { table } from '@palanquin/stack/table'
import { MINUTE_MS, type Outcome } from './drive-crowd.ts'
import type { Measured } from './measure.ts'
import {
  BUSY_SHARE_MAX,
  busyCores,
  CORES,
  type Costs,
  needsOf,
  PARTICIPANTS_WANTED,
  participantsByDrive,
  participantsOn,
  STAGES,
  sum,
} from './peak.ts'
import type { Crowd } from './pilgrimage.ts'
import { KINDS } from './timetable.ts'

const whole = (value: number): string => Math.round(value).toLocaleString('en-US')
const rounded = (value: number): string => (value >= 100 ? whole(value) : value.toFixed(1))
const WORDS: Record<(typeof STAGES)[number], string> = {
  sync: 'a sync',
  checkin: 'a check-in',
  profile: 'a profile',
  map: 'a look at the map',
  flush: 'a point flushed',
  connection: 'a new TLS connection',
}

/** The cost of each action, as a table. */
function costTable({ cpuUs }: Costs): string {
  const names = [...new Set(STAGES.flatMap((stage) => Object.keys(cpuUs[stage])))]
  return table(
    ['µs of a processor', ...names, 'together'],
    STAGES.map((stage) => [
      WORDS[stage],
      ...names.map((name) => rounded(cpuUs[stage][name] ?? 0)),
      rounded(sum(cpuUs[stage])),
    ]),
    ['left', ...names.map(() => 'right' as const), 'right'],
  )
}

/** By how many people the services' memory grew, from none to all that are in the stores. */
const memoryMbOf = ({ people, servicesMb, emptyServicesMb }: Crowd, participants: number): number =>
  emptyServicesMb + ((servicesMb - emptyServicesMb) * participants) / people

/** The needs of each number of participants, one column each. */
function needTable(costs: Costs, driven: Crowd, participants: readonly number[]): string {
  const needs = participants.map((count) => needsOf(costs, count))
  const row = (name: string, value: (need: (typeof needs)[number]) => number, show = rounded) => [
    name,
    ...needs.map((need) => show(value(need))),
  ]
  return table(
    ['participants', ...participants.map(whole)],
    [
      row('syncs/s at the peak', ({ sync }) => sync),
      row('points/s', ({ flush }) => flush),
      row('check-ins/s', ({ checkin }) => checkin),
      row('profiles/s, looks at the map/s', ({ profile, map }) => profile + map),
      row('processors busy', (need) => need.busyCores),
      row(`cores, ${BUSY_SHARE_MAX * 100} % busy`, ({ cores }) => cores, whole),
      row('the services, MB', (need) => memoryMbOf(driven, need.participants)),
      row('Redis for an hour without PostgreSQL, MB', (need) => need.bufferMbOfAnHour),
      row('points a day, million', (need) => need.pointsPerDay / 1e6),
      row('PostgreSQL a day before it is packed, GB', (need) => need.diskGbPerDay),
      row('its log (WAL) a day, GB', (need) => need.walGbPerDay),
      row('in, Mbit/s', (need) => need.inMbitPerS),
      row('out, Mbit/s', (need) => need.outMbitPerS),
      row('LINE pushes a month', (need) => need.linePushes, whole),
    ],
    ['left', ...participants.map(() => 'right' as const)],
  )
}

const KIND_WORDS = { sync: 'syncs', checkin: 'check-ins', profile: 'profiles', map: 'looks at the map' }

/** For two cores that are busy up to `BUSY_SHARE_MAX`. */
const judged = (capacity: number): string =>
  `${(capacity / PARTICIPANTS_WANTED).toFixed(2)} of the ${whole(PARTICIPANTS_WANTED)} that are wanted: ${capacity >= PARTICIPANTS_WANTED ? 'reached' : 'missed'}`
const COLUMNS = [73_000, 200_000, 300_000, 1_000_000]

/** Each size of a sync, and how many participants two cores hold. */
function needTables(sizes: readonly Costs[], driven: Crowd): string {
  const tables = sizes.map((costs) => {
    const capacity = participantsOn(costs, CORES)
    const { pointsPerSync, cpuUs } = costs
    const columns = [...new Set([capacity, ...COLUMNS])].sort((a, b) => a - b)
    return `Syncs of ${pointsPerSync} points (${rounded(sum(cpuUs.sync))} µs each, ${rounded(sum(cpuUs.flush))} a point flushed): 2 cores hold ${whole(capacity)}, by arithmetic.

${needTable(costs, driven, columns)}`
  })
  return tables.join('\n\n')
}

/** What became of a crowd's requests, which were sent when they were due. */
const drivenTable = ({ kinds, tookMs }: Crowd): string =>
  outcomeTable(
    'sent',
    KINDS.map((kind) => [KIND_WORDS[kind], kinds[kind]]),
    tookMs,
  )

/** Requests by the minute in which they were due: a flush takes some of them. */
const minuteTable = ({ minutes }: Crowd): string =>
  outcomeTable(
    'in minute',
    minutes.map((outcome, minute) => [String(minute + 1), outcome]),
    MINUTE_MS,
  )

function outcomeTable(name: string, outcomes: readonly [string, Outcome][], withinMs: number): string {
  const rows = outcomes.map(([of, { due, done, refused, p50Ms, p99Ms, longestMs }]) => {
    const others = Object.entries(refused).map(([why, times]) => `${why} ${whole(times)}`)
    return [
      ...[of, whole(due), rounded((due / withinMs) * 1_000), whole(done)],
      ...[p50Ms, p99Ms, longestMs].map(rounded),
      others.join(', ') || 'none',
    ]
  })
  const columns = ['due', 'a second', 'done', 'p50, ms', 'p99, ms', 'longest, ms']
  const right = columns.map(() => 'right' as const)
  return table([name, ...columns, 'not done'], rows, ['left', ...right, 'left'])
}

function drivenReport(driven: Crowd, idleMsPerS: number): string {
  const { participants, kinds } = driven
  const sumOf = (count: 'due' | 'done') => KINDS.reduce((all, kind) => all + kinds[kind][count], 0)
  const doneShare = sumOf('done') / sumOf('due')
  const load = { participants, doneShare, busy: sum(driven.busy), idle: idleMsPerS / 1_000 }
  const capacity = participantsByDrive(load, CORES)
  const busy = Object.entries(driven.busy).map(([name, share]) => `${name} ${share.toFixed(2)}`)
  return `
Then really driven as ${whole(driven.participants)} participants at their peak for ${rounded(driven.tookMs / 60_000)} minutes, half of the requests over new TLS connections:

${drivenTable(driven)}

${minuteTable(driven)}

Processors busy: ${sum(driven.busy).toFixed(2)} (${busy.join(', ')}); the load beside them on the same machine was at most ${whole(driven.behindMs)} ms late. The services: at most ${whole(driven.servicesMb)} MB with ${whole(driven.people)} people in the stores, ${whole(driven.emptyServicesMb)} with none.
${(100 * doneShare).toFixed(1)} of 100 requests were done, and count. By this, 2 cores hold ${whole(capacity)} participants at their peak, ${judged(capacity)}.
All ${whole(driven.stored)} points that were acknowledged are stored, each once.`
}

export function report(
  { costs, larger, points, syncsPerS, flushPointsPerS }: Measured,
  driven: Crowd,
): string {
  const capacity = participantsOn(costs, CORES)
  const stages = Object.entries(busyCores(costs, capacity)).map(
    ([name, cores]) => `${name} ${cores.toFixed(2)}`,
  )
  return `
${costTable(costs)}

Measured over ${whole(points)} points, the load beside it on the same machine: ${whole(syncsPerS)} syncs/s, flushed at ${whole(flushPointsPerS)} points/s.
A point: ${rounded(costs.bufferBytesPerPoint)} bytes in Redis (its share of the stream alone), ${rounded(costs.diskBytesPerPoint)} in PostgreSQL (indexes, rollups and all), ${rounded(costs.walBytesPerPoint)} in its log.
A machine of 2 cores can serve ${whole(capacity)} participants at their peak (${stages.join(', ')} of ${CORES * BUSY_SHARE_MAX} cores), ${judged(capacity)}.

${needTables([costs, ...larger], driven)}
${drivenReport(driven, costs.idleMsPerS)}`
}
