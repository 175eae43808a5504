import { LEVELS } from '@palanquin/domain/level'
import type { Api } from '@palanquin/stack/api'

const HEALTH_TRIES_MAX = 20
const HEALTH_PAUSE_MS = 500

/** What the API reports about the participants of this run. */
export type Outcome = {
  profiles: number
  checkins: number
  walkedKm: number
  motorizedKm: number
  /** Participants by level; 0 is none yet. */
  levels: { label: string; participants: number }[]
  onTheMap: number
  surveys: number
  /** kg CO2e of all participants, and what walking avoided. */
  totalKg: number
  avoidedKg: number
  unlocked: number
  flush: { flushed: number; tookMs: number }
  health: Awaited<ReturnType<Api['health']>>
}

/** Flushes the buffer, then reads every profile. */
export async function readOutcome(
  api: Api,
  userIds: readonly string[],
  slots: <T>(work: () => Promise<T>) => Promise<T>,
): Promise<Outcome> {
  const flush = await api.flush()
  const profiles = await Promise.all(userIds.map((userId) => slots(() => api.profile(userId))))
  const sum = (pick: (profile: (typeof profiles)[number]) => number) =>
    profiles.reduce((all, one) => all + pick(one), 0)
  const reached = (level: number) =>
    profiles.filter((profile) => (profile.level?.level ?? 0) === level).length
  return {
    profiles: profiles.length,
    checkins: sum(({ checkins }) => checkins),
    walkedKm: sum(({ walkedKm }) => walkedKm),
    motorizedKm: sum(({ motorizedKm }) => motorizedKm),
    levels: [
      { label: '   none yet', participants: reached(0) },
      ...LEVELS.map(({ level, icon, nameZh, nameEn }) => ({
        label: `${icon} ${level} ${nameZh} ${nameEn}`,
        participants: reached(level),
      })),
    ].filter(({ participants }) => participants > 0),
    surveys: sum(({ surveyCompleted }) => surveyCompleted),
    totalKg: sum(({ carbon }) => carbon.totalKg),
    avoidedKg: sum(({ carbon }) => carbon.avoidedKg),
    unlocked: profiles.filter(({ achievement }) => achievement.unlocked).length,
    onTheMap: await api.onTheMap(),
    flush,
    health: await settledHealth(api),
  }
}

/** A store that answers late for a moment is no news after a demo. */
async function settledHealth(api: Api): Promise<Outcome['health']> {
  for (let tries = 1; ; tries++) {
    const health = await api.health()
    if (health.status !== 'degraded' || tries === HEALTH_TRIES_MAX) return health
    await Bun.sleep(HEALTH_PAUSE_MS)
  }
}
