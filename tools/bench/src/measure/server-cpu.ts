import { storePid, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { cpuMsOf, cpuMsOfTree, type UsedBy } from '../load/cpu.ts'

/** Not involved in what is measured; their idle cost would distort it. */
const ASIDE = ['media', 'line-bot']

/** Processor time of a stack: the processes of `run.json` that serve participants, Redis. */
export function usedByStack({ home, running }: Pick<ThrowawayStack, 'home' | 'running'>): UsedBy {
  const [redis, postgres] = [storePid(home, 'redis'), storePid(home, 'postgres')]
  return () => ({
    ...Object.fromEntries(
      Object.entries(running().services)
        .filter(([name]) => !ASIDE.some((aside) => name.startsWith(aside)))
        .map(([name, { pid }]) => [name, cpuMsOf(pid)]),
    ),
    redis: cpuMsOf(redis),
    postgres: cpuMsOfTree(postgres),
  })
}

/** Processor time of one process. */
export const usedByProcess =
  (name: string, pid: number): UsedBy =>
  () => ({ [name]: cpuMsOf(pid) })
