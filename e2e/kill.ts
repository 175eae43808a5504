import type { ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { until } from '@palanquin/testing/until'

type Running = Pick<ThrowawayStack, 'running'>

/** The pid of a running service. */
function pidOf(stack: Running, service: string): number {
  const pid = stack.running().services[service]?.pid
  if (pid === undefined) throw new Error(`${service} does not run`)
  return pid
}

/** Sends kill -9 to a service; the returned function waits until another process runs in its place. */
export function kill(stack: Running, service: string): () => Promise<void> {
  const killed = pidOf(stack, service)
  process.kill(killed, 'SIGKILL')
  return async () => {
    const isReplaced = () => ![undefined, killed].includes(stack.running().services[service]?.pid)
    await until(isReplaced, { what: `${service} to be restarted` })
  }
}
