import { rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { startPostgres, stopPostgres } from '@palanquin/embedded/postgres'
import { startRedis, stopRedis } from '@palanquin/embedded/redis'
import { mountDisk, sweepDisks, unmountDisk } from './mounts.ts'
import { startS3, stopS3 } from './s3-server.ts'
import type { Started, SupervisedServer, SupervisorCommand, SupervisorReply } from './server-supervisor.ts'

/** The entry of the supervisor's process; see `server-supervisor.ts`. */

/** The test process connects as soon as the socket is there; if it died before, it never will. */
const CONNECT_MS_MAX = 120_000

const servers = new Map<string, SupervisedServer>()
const disks = new Set<string>()
const underWay = new Set<Promise<void>>()

const STOP = { postgres: stopPostgres, redis: stopRedis, s3: stopS3 }
const filesOf = (folder: string) => ({ dataDir: join(folder, 'data'), logFile: join(folder, 'server.log') })

async function start(server: SupervisedServer): Promise<Started> {
  servers.set(server.folder, server)
  const { url, port, pid } = await startKind(server, filesOf(server.folder))
  return { url, port, pid }
}

async function startKind(server: SupervisedServer, files: ReturnType<typeof filesOf>): Promise<Started> {
  if (server.kind === 'postgres') return await startPostgres({ ...files, ...server.options })
  if (server.kind === 'redis') return await startRedis({ ...files, ...server.options })
  return await startS3({ ...files, ...server.options })
}

async function end(server: SupervisedServer): Promise<void> {
  await STOP[server.kind]({ ...filesOf(server.folder), ...server.options })
  rmSync(server.folder, { recursive: true, force: true })
  servers.delete(server.folder)
}

function unmount(folder: string): void {
  unmountDisk(folder)
  disks.delete(folder)
}

async function obey(order: SupervisorCommand): Promise<SupervisorReply> {
  const { number } = order
  try {
    if ('start' in order) return { number, started: await start(order.start) }
    if ('end' in order) await end(order.end)
    if ('mount' in order) {
      disks.add(order.mount.folder)
      mountDisk(order.mount)
    }
    if ('unmount' in order) unmount(order.unmount.folder)
    return { number, done: true }
  } catch (error) {
    return { number, failed: error instanceof Error ? error.message : String(error) }
  }
}

function serve(client: Socket): void {
  clearTimeout(unconnected)
  createInterface({ input: client }).on('line', (line) => {
    const work = obey(JSON.parse(line)).then((answer) => void client.write(`${JSON.stringify(answer)}\n`))
    underWay.add(work)
    work.finally(() => underWay.delete(work))
  })
  // A reset instead of a proper end: the test process was killed. 'close' follows.
  client.on('error', () => {})
  client.on('close', () => void leave())
}

/** Ends everything, also what was just being started. */
async function leave(): Promise<void> {
  await Promise.allSettled(underWay)
  const results = await Promise.allSettled([...servers.values()].map(end))
  results.push(...(await Promise.allSettled([...disks].map(async (folder) => unmount(folder)))))
  for (const result of results)
    if (result.status === 'rejected') console.error('a test server could not be ended:', result.reason)
  rmSync(dirname(socketPath), { recursive: true, force: true })
  process.exit(results.every((result) => result.status === 'fulfilled') ? 0 : 1)
}

const socketPath = process.argv[2] ?? ''
sweepDisks()
const unconnected = setTimeout(() => void leave(), CONNECT_MS_MAX)
createServer(serve).listen(socketPath)
