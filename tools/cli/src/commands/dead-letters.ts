import { join } from 'node:path'
import { notRunningMessage } from '@palanquin/stack/command-text'
import { LauncherError } from '@palanquin/stack/launcher-error'
import { PROJECT_ROOT } from '@palanquin/stack/project'
import { reportQuarantine } from '@palanquin/stack/recovery/quarantine-report'
import { homeAt } from '@palanquin/stack/run-state/home'
import { type RunFile, readRunFile } from '@palanquin/stack/run-state/run-file'
import { HOME_FLAG, homeFolder, readArguments, usageError } from '../arguments.ts'

/** Each queue has its own tool, which also runs in a container. */
const EVENTS = join(PROJECT_ROOT, 'packages', 'events', 'src', 'dead-letters-cli.ts')
const CHAT = join(PROJECT_ROOT, 'apps', 'line-bot', 'src', 'inbox', 'dead-letters-cli.ts')
/** How the id of a chat message begins; all other ids are events. */
const CHAT_ID = /^chat:/
const OF_ALL = ['list', 'requeue all']

/**
 * `dead-letters list | show <id> | requeue <id|all> | discard <id>`: events and chat messages of this home
 * that could not be handled. The list also reports quarantined points.
 */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments('dead-letters', args, { flags: HOME_FLAG, positionalsMax: 2 })
  const words = positionals.length > 0 ? positionals : ['list']
  const [verb = '', id = ''] = words
  if (!['list', 'show', 'requeue', 'discard'].includes(verb))
    throw usageError('dead-letters', `${verb} is not one of list, show, requeue and discard.`)
  const home = homeAt(homeFolder(values.home))
  const running = readRunFile(home)
  if (!running) throw new LauncherError(notRunningMessage(home), 3)
  if (!OF_ALL.includes(words.join(' '))) return ask(running, CHAT_ID.test(id) ? CHAT : EVENTS, words)
  const codes = [await ask(running, EVENTS, words), await ask(running, CHAT, words)]
  if (verb === 'list') await reportQuarantine(home, running, (line) => console.log(line))
  return Math.max(...codes)
}

function ask(running: RunFile, tool: string, words: readonly string[]): Promise<number> {
  const child = Bun.spawn([process.execPath, '--no-env-file', tool, ...words], {
    env: { ...process.env, REDIS_URL: running.redisUrl },
    stdio: ['inherit', 'inherit', 'inherit'],
  })
  return child.exited
}
