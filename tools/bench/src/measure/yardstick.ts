import { dirname, join } from 'node:path'

const ECHO_FILE = join(import.meta.dir, 'echo.ts')

export type Yardstick = { url: string; pid: number; stop: () => Promise<void> }

/** A TLS server of Bun with the stack's certificate, in its own process. */
export async function startYardstick({
  caFile,
  get,
}: {
  caFile: string
  get?: { file: string; from: 'file' | 'memory' }
}): Promise<Yardstick> {
  const tls = dirname(caFile)
  const command = [
    ECHO_FILE,
    join(tls, 'cert.pem'),
    join(tls, 'key.pem'),
    ...(get ? [get.file, get.from] : []),
  ]
  const child = Bun.spawn([process.execPath, '--no-env-file', ...command], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const reader = child.stdout.getReader()
  const { value } = await reader.read()
  return {
    url: `https://localhost:${new TextDecoder().decode(value).trim()}/`,
    pid: child.pid,
    stop: async () => {
      child.kill()
      await child.exited
    },
  }
}
