/** The load of a day of the pilgrimage, per participant. */
export const PEAK = {
  /** A fix every 30 s: closer fixes do not count (contract, section 3). */
  fixesPerMinute: 2,
  /** So a tracking phone syncs once a minute. */
  pointsPerSync: 2,
  /** At a departure a fifth of all participants check in within ten minutes. */
  checkinShare: 0.2,
  checkinWithinS: 600,
  /** Everyone reads their own profile every ten minutes. */
  profileEveryS: 600,
  /** One in fifty has the map open, which polls every ten seconds. */
  mapShare: 0.02,
  mapEveryS: 10,
  /** Phones that sleep in between open new connections. */
  newConnectionShare: 0.5,
  /** Hours of walking a day, and their average share of the peak. */
  walkingHoursPerDay: 12,
  meanOfPeak: 0.5,
} as const

/** The crowd is driven with the first; phones that sync less often send more points at once. */
export const SYNC_SIZES = [PEAK.pointsPerSync, 6, 60] as const

/** What a machine of so many cores is wanted to hold. */
export const CORES = 2
export const PARTICIPANTS_WANTED = 200_000
/** Above this share of a core, responses begin to queue. */
export const BUSY_SHARE_MAX = 0.6
const MONTHLY_PUSHES = { summary: 1, pauses: 2, perPause: 2, achievement: 1 } as const

export const STAGES = ['sync', 'checkin', 'profile', 'map', 'flush', 'connection'] as const
export type Stage = (typeof STAGES)[number]
/** Processor time in µs per operation of each stage (for a flush: per point), by process. */
export type Costs = {
  pointsPerSync: number
  cpuUs: Record<Stage, Readonly<Record<string, number>>>
  /** Milliseconds of processor time a second when idle. */
  idleMsPerS: number
  bufferBytesPerPoint: number
  diskBytesPerPoint: number
  walBytesPerPoint: number
  inBytes: Record<'sync' | 'checkin' | 'profile' | 'map', number>
  outBytes: Record<'sync' | 'checkin' | 'profile' | 'map', number>
}

/** Operations a second of each stage at the peak. */
export const ratesOf = (
  participants: number,
  pointsPerSync: number = PEAK.pointsPerSync,
): Record<Stage, number> => {
  const points = (participants * PEAK.fixesPerMinute) / 60
  const sync = points / pointsPerSync
  const checkin = (participants * PEAK.checkinShare) / PEAK.checkinWithinS
  const profile = participants / PEAK.profileEveryS
  const map = (participants * PEAK.mapShare) / PEAK.mapEveryS
  return {
    sync,
    checkin,
    profile,
    map,
    flush: points + checkin,
    connection: (sync + checkin + profile) * PEAK.newConnectionShare,
  }
}

export const sum = (parts: Readonly<Record<string, number>>): number =>
  Object.values(parts).reduce((all, part) => all + part, 0)

/** Cores that are busy at the peak, by stage. */
export function busyCores(costs: Costs, participants: number): Record<Stage | 'idle', number> {
  const rates = ratesOf(participants, costs.pointsPerSync)
  const busy = (stage: Stage) => (rates[stage] * sum(costs.cpuUs[stage])) / 1e6
  return {
    sync: busy('sync'),
    checkin: busy('checkin'),
    profile: busy('profile'),
    map: busy('map'),
    flush: busy('flush'),
    connection: busy('connection'),
    idle: costs.idleMsPerS / 1e3,
  }
}

/** How many participants so many cores can serve at their peak. */
export function participantsOn(costs: Costs, cores: number): number {
  const perParticipant = sum(busyCores(costs, 1)) - costs.idleMsPerS / 1e3
  return Math.max(0, Math.floor((cores * BUSY_SHARE_MAX - costs.idleMsPerS / 1e3) / perParticipant))
}

/**
 * The same from so many who were really driven and kept `busy` processors busy, of which `idle` in any case. `doneShare` of their requests were
 * done: on a machine that is too full the others cost little, and served nobody.
 */
export const participantsByDrive = (
  {
    participants,
    doneShare,
    busy,
    idle,
  }: { participants: number; doneShare: number; busy: number; idle: number },
  cores: number,
): number =>
  Math.max(0, Math.floor((participants * doneShare * (cores * BUSY_SHARE_MAX - idle)) / (busy - idle)))

/** What so many participants need. */
export function needsOf(costs: Costs, participants: number) {
  const rates = ratesOf(participants, costs.pointsPerSync)
  const pointsPerDay = rates.flush * PEAK.walkingHoursPerDay * 3_600 * PEAK.meanOfPeak
  const bytesPerS = (direction: Costs['inBytes']) =>
    rates.sync * direction.sync +
    rates.checkin * direction.checkin +
    rates.profile * direction.profile +
    rates.map * direction.map
  const busy = sum(busyCores(costs, participants))
  return {
    participants,
    ...rates,
    busyCores: busy,
    cores: Math.ceil(busy / BUSY_SHARE_MAX),
    bufferMbOfAnHour: (rates.flush * 3_600 * costs.bufferBytesPerPoint) / 1e6,
    pointsPerDay,
    diskGbPerDay: (pointsPerDay * costs.diskBytesPerPoint) / 1e9,
    walGbPerDay: (pointsPerDay * costs.walBytesPerPoint) / 1e9,
    inMbitPerS: (bytesPerS(costs.inBytes) * 8) / 1e6,
    outMbitPerS: (bytesPerS(costs.outBytes) * 8) / 1e6,
    linePushes:
      participants *
      (MONTHLY_PUSHES.summary + MONTHLY_PUSHES.pauses * MONTHLY_PUSHES.perPause + MONTHLY_PUSHES.achievement),
  }
}
