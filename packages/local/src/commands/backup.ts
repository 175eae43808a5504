import { resolve } from 'node:path'
import { HOME_FLAG, homeFolder, readArguments, usageError } from '../arguments.ts'
import { accessOf } from '../backup/access.ts'
import { inSentences } from '../backup/report.ts'
import { saveBackup } from '../backup/save.ts'
import { homeAt } from '../home.ts'
import { showProgress } from '../progress.ts'
import { PROJECT_ROOT } from '../project.ts'
import { readSettings } from '../settings.ts'

const FLAGS = { ...HOME_FLAG, 'no-flush': { type: 'boolean' } } as const

/** `backup <folder>`: PostgreSQL, the objects of S3 and the events under way of a running house, of one moment. */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments('backup', args, { flags: FLAGS, positionalsMax: 1 })
  const [given] = positionals
  if (!given) throw usageError('backup', 'Say which folder the backup goes to.')
  const folder = resolve(given)
  const access = accessOf(homeAt(homeFolder(values.home)), readSettings(PROJECT_ROOT, process.env))
  const manifest = await saveBackup(access, folder, { flush: !values['no-flush'], progress: showProgress() })
  console.log(`
${folder} holds ${inSentences(manifest)}
It holds personal data and PSEUDONYM_SECRET (secrets.env): encrypt it before it leaves this machine.
It does not hold the settings: tokens, the secrets of LINE and the certificate are where you keep .env.`)
  return 0
}
