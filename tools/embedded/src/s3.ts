import { join, resolve } from 'node:path'
import { makeFolder } from '@palanquin/files/durable'
import { withLock } from './lock.ts'
import { HEALTH_PATH } from './s3/server.ts'
import { type RunningServer, type ServerSpec, startServer, stopServer } from './server.ts'

const PROBE_TIMEOUT_MS = 1000
const STOP_GRACE_MS = 5_000 // uploads under way finish; interrupted ones were not acknowledged

export type S3Options = {
  dataDir: string
  logFile: string
  accessKeyId: string
  secretAccessKey: string
  /** Created if needed. */
  bucket: string
  region?: string | undefined
  port?: number | undefined
  pidFile?: string | undefined
  signal?: AbortSignal | undefined
}
export type RunningS3 = RunningServer & { endpoint: string; region: string }

/** Starts the S3 server on 127.0.0.1, or adopts the one already running on that data. */
export async function startS3(options: S3Options): Promise<RunningS3> {
  const dataDir = resolve(options.dataDir)
  const region = options.region ?? 'us-east-1'
  makeFolder(dataDir, 0o700)
  const program = [process.execPath, 'run', join(import.meta.dir, 's3', 'main.ts'), '--data', dataDir]
  const env = {
    S3_ACCESS_KEY_ID: options.accessKeyId,
    S3_SECRET_ACCESS_KEY: options.secretAccessKey,
    S3_BUCKET: options.bucket,
    S3_REGION: region,
  }
  return await withLock(`${pidFileOf(options)}.lock`, async () => {
    const server = await startServer({
      ...identityOf(options),
      ...options,
      name: 'The S3 server',
      pidFile: pidFileOf(options),
      launch: (port) => ({ command: [...program, '--port', `${port}`], env }),
      probe: answersHealth,
    })
    return { ...server, endpoint: `http://127.0.0.1:${server.port}`, region }
  })
}

/** Ends the S3 server that runs on this data; false when none does. */
export function stopS3(options: Pick<S3Options, 'dataDir' | 'pidFile'>): Promise<boolean> {
  return stopServer({ ...identityOf(options), pidFile: pidFileOf(options) })
}

function identityOf({
  dataDir,
}: Pick<S3Options, 'dataDir'>): Pick<ServerSpec, 'marker' | 'stopSignal' | 'stopGraceMs'> {
  return { marker: `main.ts --data ${resolve(dataDir)}`, stopSignal: 'SIGTERM', stopGraceMs: STOP_GRACE_MS }
}

function pidFileOf({ dataDir, pidFile }: Pick<S3Options, 'dataDir' | 'pidFile'>): string {
  return pidFile ?? `${resolve(dataDir)}.pid`
}

async function answersHealth(port: number, pid: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}${HEALTH_PATH}`, {
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
    })
    return Number(await answer.text()) === pid
  } catch {
    return false // not listening yet
  }
}
