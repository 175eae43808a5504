import { createServer } from 'node:net'
import { isCode, readIfThere, writeAtomically } from './file.ts'

const HOST = '127.0.0.1'
const RETRY_MS = 50
/** For two seconds: the threads of a killed server may have its port for a moment after their process is gone. */
const LOOKS_MAX = 40

/** Below the ports that systems give to connections and to servers that ask for any. */
const PORT_MIN = 20_000
const PORT_MAX = 32_000
const DRAWS = 20

/** A free port of 127.0.0.1 that no other program is given by chance. */
export async function newPort(): Promise<number | undefined> {
  for (let draw = 0; draw < DRAWS; draw++) {
    const port = await tryPort(PORT_MIN + Math.floor(Math.random() * (PORT_MAX - PORT_MIN)))
    if (port !== undefined) return port
  }
  return tryPort(0)
}

/** A free port of 127.0.0.1: the one recorded in `file` if that is free within two seconds. */
export async function keepPort(file: string): Promise<number> {
  const kept = Number(readIfThere(file))
  const free = kept > 0 && (await becomesFree(kept)) ? kept : await newPort()
  if (free === undefined) throw new Error('This machine has no free TCP port on 127.0.0.1.')
  if (free !== kept) writeAtomically(file, `${free}\n`)
  return free
}

/** Whether the port is free now or soon: a server that ended releases it a little later. */
export async function becomesFree(port: number): Promise<boolean> {
  for (let looks = 1; (await tryPort(port)) === undefined; looks++) {
    if (looks > LOOKS_MAX) return false
    await Bun.sleep(RETRY_MS)
  }
  return true
}

/** The port that could be bound (any for 0), or undefined when it is taken. */
function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error) =>
      isCode(error, 'EADDRINUSE') || isCode(error, 'EACCES') ? resolve(undefined) : reject(error),
    )
    server.listen({ port, host: HOST, exclusive: true }, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : undefined))
    })
  })
}
