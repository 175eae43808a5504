import { resolve } from 'node:path'
import { accessOf } from '@palanquin/backup/access'
import { inSentences } from '@palanquin/backup/report'
import { saveBackup } from '@palanquin/backup/save'
import { showProgress } from '@palanquin/stack/progress'
import { PROJECT_ROOT } from '@palanquin/stack/project'
import { homeAt } from '@palanquin/stack/run-state/home'
import { readSettings } from '@palanquin/stack/settings/settings'
import { HOME_FLAG, homeFolder, readArguments, usageError } from '../arguments.ts'

const FLAGS = { ...HOME_FLAG, 'no-flush': { type: 'boolean' } } as const

/**
 * `backup <folder>`: a consistent copy of PostgreSQL, the objects and the unfinished events of a running
 * stack.
 */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments('backup', args, { flags: FLAGS, positionalsMax: 1 })
  const [given] = positionals
  if (!given) throw usageError('backup', 'The folder for the backup is missing.')
  const folder = resolve(given)
  const access = accessOf(homeAt(homeFolder(values.home)), readSettings(PROJECT_ROOT, process.env))
  const manifest = await saveBackup(access, folder, { flush: !values['no-flush'], progress: showProgress() })
  console.log(`
${folder} holds ${inSentences(manifest)}
It contains personal data and PSEUDONYM_SECRET (secrets.env): encrypt it before it leaves this machine.
It does not contain the settings (tokens, LINE's secrets, certificate): back up .env yourself.`)
  return 0
}
