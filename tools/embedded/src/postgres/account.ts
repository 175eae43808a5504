import { statSync } from 'node:fs'
import { readIfThere } from '../file.ts'

/** How to run a program as PostgreSQL's account; for a normal user nothing changes. */
export type Account = { owner?: { uid: number; gid: number }; launch(command: string[]): Run }
export type Run = { command: string[]; uid?: number; gid?: number }

const ITSELF: Account = { launch: (command) => ({ command }) }

/**
 * PostgreSQL refuses to be root, and runs as the owner of its folder, else as the user `nobody` or `daemon`.
 * Undefined for a normal user, who stays the same.
 */
export function chooseOwner(folder: string): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const { uid, gid } = statSync(folder)
  if (uid !== 0) return { uid, gid }
  const found = ['nobody', 'daemon'].map(lookUp).find((account) => account !== undefined)
  if (!found)
    throw new Error(
      'PostgreSQL refuses to run as root and there is no user nobody or daemon: run this as a normal user.',
    )
  return found
}

/** A way to become `owner` with access to both `program` and `folder`. */
export function findWay({
  owner,
  program,
  folder,
}: {
  owner: Account['owner']
  program: string
  folder: string
}): Account {
  if (!owner) return ITSELF
  const plain = (command: string[]): Run => ({ command, ...owner })
  const ways = [plain, ...['dac_read_search', 'dac_override'].map((capability) => keeping(owner, capability))]
  const launch = ways.find((way) => reaches(way, program, folder))
  if (launch) return { owner, launch }
  throw new Error(
    `PostgreSQL refuses to run as root, and user ${owner.uid} can reach neither ${program} nor ${folder}: run this as a normal user, install util-linux, or use a folder that every user may enter.`,
  )
}

function keeping({ uid, gid }: { uid: number; gid: number }, capability: string) {
  const caps = `+${capability}`
  const become = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--securebits=+no_setuid_fixup']
  return (command: string[]): Run => ({
    command: ['setpriv', ...become, `--inh-caps=${caps}`, `--ambient-caps=${caps}`, ...command],
  })
}

function reaches(way: (command: string[]) => Run, program: string, folder: string): boolean {
  const { command, ...as } = way([
    '/bin/sh',
    '-c',
    'test -r "$1" && test -x "$1" && test -w "$2"',
    'sh',
    program,
    folder,
  ])
  try {
    return Bun.spawnSync(command, { ...as, cwd: '/', stdio: ['ignore', 'ignore', 'ignore'] }).success
  } catch {
    return false // no setpriv, or no right to change users: the next way may work
  }
}

function lookUp(name: string): { uid: number; gid: number } | undefined {
  const fields = readIfThere('/etc/passwd')
    ?.split('\n')
    .find((line) => line.startsWith(`${name}:`))
    ?.split(':')
  const [uid, gid] = [Number(fields?.[2]), Number(fields?.[3])]
  return uid > 0 && gid > 0 ? { uid, gid } : undefined
}
