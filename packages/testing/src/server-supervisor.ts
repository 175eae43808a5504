import { mkdtempSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { PostgresOptions } from '@palanquin/embedded/postgres'
import type { RedisOptions } from '@palanquin/embedded/redis'
import type { Disk } from './mounts.ts'
import type { S3Options } from './s3-server.ts'
import { until } from './until.ts'

/** The supervisor is a small process that starts the servers of one test process. */
const SUPERVISOR_PROCESS = fileURLToPath(new URL('./server-supervisor-process.ts', import.meta.url))

/** What to start; `folder` holds everything of it and is removed in the end. */
export type SupervisedServer = { folder: string } & (
  | { kind: 'postgres'; options: Pick<PostgresOptions, 'settings' | 'nofsync' | 'binaries'> }
  | { kind: 'redis'; options: Pick<RedisOptions, 'maxmemory' | 'extraArgs' | 'toolchainDir'> }
  | { kind: 's3'; options: Pick<S3Options, 'bucket'> }
)
export type Started = { url: string; port: number; pid: number }

/** Orders and answers are lines of JSON; an answer carries the number of its order. */
type Order = { start: SupervisedServer } | { end: SupervisedServer } | { mount: Disk } | { unmount: Disk }
export type SupervisorCommand = { number: number } & Order
export type SupervisorReply = { number: number } & (
  | { started: Started }
  | { done: true }
  | { failed: string }
)

type ServerSupervisor = { ask: (order: Order) => Promise<SupervisorReply> }
let serverSupervisor: Promise<ServerSupervisor> | undefined

/** Starts a server, or starts it again in its folder. Rejects with a sentence that says why it cannot. */
export async function startSupervised(server: SupervisedServer): Promise<Started> {
  const answer = await ask({ start: server })
  if ('started' in answer) return answer.started
  throw new Error('failed' in answer ? answer.failed : 'the supervisor did not understand')
}

/** Ends a server in whatever state it is, and removes its folder. */
export async function stopSupervised(server: SupervisedServer): Promise<void> {
  await done({ end: server })
}

/** Mounts a disk that is unmounted with the last server of this process, or by `unmountSupervised`. */
export const mountSupervised = (disk: Disk): Promise<void> => done({ mount: disk })

/** Unmounts it and removes its folder. */
export const unmountSupervised = (disk: Disk): Promise<void> => done({ unmount: disk })

async function done(order: Order): Promise<void> {
  const answer = await ask(order)
  if ('failed' in answer) throw new Error(answer.failed)
}

async function ask(order: Order): Promise<SupervisorReply> {
  serverSupervisor ??= startSupervisor()
  return (await serverSupervisor).ask(order)
}

async function startSupervisor(): Promise<ServerSupervisor> {
  const path = join(mkdtempSync(join(tmpdir(), 'palanquin-supervisor-')), 'socket')
  // A session of its own: neither Ctrl-C nor the end of a process group ends the supervisor before its work is done.
  Bun.spawnSync(
    ['sh', '-c', '"$0" "$1" "$2" </dev/null >/dev/null &', process.execPath, SUPERVISOR_PROCESS, path],
    { detached: true, stdio: ['ignore', 'ignore', 'inherit'] },
  )
  const socket = await until(() => tryConnect(path), { what: 'the start of the supervisor of test servers' })
  return speak(socket)
}

function tryConnect(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ path })
    socket.once('connect', () => resolve(socket))
    socket.once('error', () => resolve(undefined)) // it does not listen yet
  })
}

function speak(socket: Socket): ServerSupervisor {
  const waiting = new Map<number, (answer: SupervisorReply) => void>()
  let number = 0
  createInterface({ input: socket }).on('line', (line) => {
    const answer: SupervisorReply = JSON.parse(line)
    waiting.get(answer.number)?.(answer)
    waiting.delete(answer.number)
    if (waiting.size === 0) socket.unref()
  })
  socket.on('close', () => {
    for (const [number, resolve] of waiting)
      resolve({ number, failed: 'the supervisor of test servers has died' })
  })
  socket.unref() // the connection alone does not keep a process alive
  return {
    ask: (order) =>
      new Promise((resolve) => {
        socket.ref()
        waiting.set(++number, resolve)
        socket.write(`${JSON.stringify({ ...order, number } satisfies SupervisorCommand)}\n`)
      }),
  }
}
