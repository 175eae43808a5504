import { resolve } from 'node:path'
import { inSentences } from '@palanquin/backup/report'
import { restoreBackup } from '@palanquin/backup/restore'
import { commandFor } from '@palanquin/stack/command-text'
import { showProgress } from '@palanquin/stack/progress'
import { PROJECT_ROOT } from '@palanquin/stack/project'
import { explainFullDisk } from '@palanquin/stack/recovery/full-disk'
import { homeAt } from '@palanquin/stack/run-state/home'
import { readSettings } from '@palanquin/stack/settings/settings'
import { HOME_FLAG, homeFolder, readArguments, usageError } from '../arguments.ts'

/** `restore <folder>`: fills a stopped, empty home from a backup. */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments('restore', args, { flags: HOME_FLAG, positionalsMax: 1 })
  const [given] = positionals
  if (!given) throw usageError('restore', 'The folder of the backup is missing.')
  const home = homeAt(homeFolder(values.home))
  const stopped = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopped.abort())
  const manifest = await explainFullDisk(home, () =>
    restoreBackup({
      home,
      folder: resolve(given),
      settings: readSettings(PROJECT_ROOT, process.env),
      progress: showProgress(),
      signal: stopped.signal,
    }),
  )
  console.log(`
Restored into ${home.folder}: ${inSentences(manifest)}
${commandFor(home, 'up')} starts it. Participants erased since the backup must be erased again.`)
  return 0
}
