import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { cpuMsOf } from '../load/cpu.ts'
import type { Side } from '../measure/rounds.ts'

type Skeleton = { url: string; used: Side['used']; stop: () => Promise<void> }

/** Both processes; `used` counts the stores of the service as well. */
export async function startSkeleton({
  caFile,
  service: [file, ...args],
  stores,
}: {
  caFile: string
  service: readonly [file: string, ...args: string[]]
  stores: Side['used']
}): Promise<Skeleton> {
  const folder = mkdtempSync(join(tmpdir(), 'skeleton-'))
  const socket = join(folder, 'service.sock')
  const tls = dirname(caFile)
  const service = await startPart(file, [socket, ...args])
  const gateway = await startPart('gateway.ts', [join(tls, 'cert.pem'), join(tls, 'key.pem'), socket])
  return {
    url: `https://localhost:${gateway.said}/`,
    used: () => ({ gateway: cpuMsOf(gateway.pid), service: cpuMsOf(service.pid), ...stores() }),
    stop: async () => {
      await gateway.stop()
      await service.stop()
      rmSync(folder, { recursive: true })
    },
  }
}

/** `said`: the line that it writes once it serves. */
async function startPart(
  file: string,
  args: readonly string[],
): Promise<{ pid: number; said: string; stop: () => Promise<void> }> {
  const child = Bun.spawn([process.execPath, '--no-env-file', join(import.meta.dir, file), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const { value } = await child.stdout.getReader().read()
  return {
    pid: child.pid,
    said: new TextDecoder().decode(value).trim(),
    stop: async () => {
      child.kill()
      await child.exited
    },
  }
}
