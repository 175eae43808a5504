import { dirname, join } from 'node:path'
import { findRedis } from '@palanquin/embedded/redis/binary'
import { PROJECT_ROOT } from '../src/project.ts'

/** XADDs a second that `redis-benchmark` gets out of a Redis, each of one field of `bytes`, over so many connections. */
export async function xaddsPerSecond(
  redisUrl: string,
  {
    key,
    bytes,
    requests,
    connections,
  }: { key: string; bytes: number; requests: number; connections: number },
): Promise<number> {
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
  const rate = Number(
    /"([\d.]+)"/.exec(
      text
        .trim()
        .split('\n')
        .at(-1)
        ?.replace(/^"(?:[^"\\]|\\.)*",/, '') ?? '',
    )?.[1],
  )
  if (code !== 0 || !(rate > 0)) throw new Error(`redis-benchmark ended with ${code}: ${text.slice(-200)}`)
  return rate
}
