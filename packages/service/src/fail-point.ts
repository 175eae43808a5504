import type { Environment } from './config.ts'

/** A place where the process ends as `kill -9` would end it: for crash tests, refused in production. */
export type FailPoint = (place: string) => void

/** `PALANQUIN_FAIL_POINT=<place>` or `<place>*<n>`: at the n-th passage (default the first). */
export function failPointOf(env: Environment): FailPoint {
  const configured = env.PALANQUIN_FAIL_POINT
  if (!configured) return () => {}
  if (env.NODE_ENV === 'production') throw new Error('PALANQUIN_FAIL_POINT is refused in production.')
  const [place, count = '1'] = configured.split('*')
  let left = Number(count)
  return (here) => {
    if (here === place && --left === 0) process.kill(process.pid, 'SIGKILL')
  }
}
