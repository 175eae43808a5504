import { join } from 'node:path'
import { type RunningServer, type ServerSpec, startServer, stopServer } from '@palanquin/embedded/server'

const PROGRAM = join(import.meta.dir, 's3-server-process.ts')
const PROBE_TIMEOUT_MS = 1_000

export type S3Options = { dataDir: string; logFile: string; bucket: string }

/** Starts an S3 server on 127.0.0.1, of another hand than ours: `fauxqs`, which takes any keys. */
export async function startS3({
  dataDir,
  logFile,
  bucket,
}: S3Options): Promise<RunningServer & { url: string }> {
  const server = await startServer({
    ...identityOf(dataDir),
    name: 'The S3 server',
    logFile,
    launch: (port) => ({ command: [process.execPath, 'run', PROGRAM, dataDir, bucket, `${port}`] }),
    probe: answers,
  })
  return { ...server, url: `http://127.0.0.1:${server.port}` }
}

export const stopS3 = ({ dataDir }: Pick<S3Options, 'dataDir'>): Promise<boolean> =>
  stopServer(identityOf(dataDir))

const identityOf = (
  dataDir: string,
): Pick<ServerSpec, 'marker' | 'pidFile' | 'stopSignal' | 'stopGraceMs'> => ({
  marker: `${PROGRAM} ${dataDir}`,
  pidFile: `${dataDir}.pid`,
  stopSignal: 'SIGKILL',
  stopGraceMs: 0,
})

const answers = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) }).then(
    () => true,
    () => false, // not listening yet
  )
