import { dirname, join } from 'node:path'
import { findRedis } from '@palanquin/embedded/redis/binary'
import { PROJECT_ROOT } from '@palanquin/stack/project'
import type { Driven } from '../measure/rounds.ts'

const REWRITE_LOOK_MS = 100

/** XADDs a second by `redis-benchmark`, each of one field of `bytes`. */
export async function xadds(
  redisUrl: string,
  {
    key,
    bytes,
    requests,
    connections,
  }: { key: string; bytes: number; requests: number; connections: number },
): Promise<Driven> {
  const { path, env } = await findRedis(join(PROJECT_ROOT, '.palanquin', 'toolchain'), {
    onProgress: () => {},
    signal: undefined,
  })
  const { hostname, port, username, password } = new URL(redisUrl)
  const login = password ? ['--user', username || 'default', '-a', decodeURIComponent(password)] : []
  const child = Bun.spawn(
    [
      join(dirname(path), 'redis-benchmark'),
      ...['-h', hostname, '-p', port, ...login, '-c', String(connections), '-n', String(requests), '--csv'],
      // Bounded, as the buffer is by its flush.
      ...['XADD', key, 'MAXLEN', '~', '10000', '*', 'p', 'x'.repeat(bytes)],
    ],
    { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'ignore'] },
  )
  const [text, code] = await Promise.all([child.stdout.text(), child.exited])
  const perSecond = rateOf(text)
  if (code !== 0 || !(perSecond > 0))
    throw new Error(`redis-benchmark ended with ${code}: ${text.slice(-200)}`)
  await untilRewritten(redisUrl)
  return { sent: requests, perSecond, cpuMs: Number(child.resourceUsage()?.cpuTime.total ?? 0n) / 1_000 }
}

/** Its child would take a processor from the round that comes next. */
async function untilRewritten(redisUrl: string): Promise<void> {
  const redis = new Bun.RedisClient(redisUrl)
  try {
    while (/^aof_rewrite_in_progress:1/m.test(String(await redis.send('INFO', ['persistence']))))
      await Bun.sleep(REWRITE_LOOK_MS)
  } finally {
    redis.close()
  }
}

/** From the last line of its CSV, `"the command","123.4",…`; NaN where there is none. */
function rateOf(csv: string): number {
  const line = csv.trim().split('\n').at(-1) ?? ''
  return Number(/^"(?:[^"\\]|\\.)*","([\d.]+)"/.exec(line)?.[1])
}
