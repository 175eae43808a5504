import { storePid, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { cpuMsOf, cpuMsOfFamily, type UsedBy } from '../load/cpu.ts'

/** They have no part in what is measured so; what they use at rest would count by how long a round takes. */
const ASIDE = ['media', 'line-bot']

/**
 * The processor time that the servers of a stack have used: the processes of `run.json` through which a participant's
 * requests go, Redis, and PostgreSQL with its backends. The pids are looked up each time, because a service may have been
 * started again.
 */
export function usedByStack({ home, running }: Pick<ThrowawayStack, 'home' | 'running'>): UsedBy {
  const [redis, postgres] = [storePid(home, 'redis'), storePid(home, 'postgres')]
  return () => ({
    ...Object.fromEntries(
      Object.entries(running().services)
        .filter(([name]) => !ASIDE.some((aside) => name.startsWith(aside)))
        .map(([name, { pid }]) => [name, cpuMsOf(pid)]),
    ),
    redis: cpuMsOf(redis),
    postgres: cpuMsOfFamily(postgres),
  })
}

/** Of one process. */
export const usedByProcess =
  (name: string, pid: number): UsedBy =>
  () => ({ [name]: cpuMsOf(pid) })
