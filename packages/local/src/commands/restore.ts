import { resolve } from 'node:path'
import { commandFor } from '../advice.ts'
import { HOME_FLAG, homeFolder, readArguments, usageError } from '../arguments.ts'
import { inSentences } from '../backup/report.ts'
import { restoreBackup } from '../backup/restore.ts'
import { sayingFullDisk } from '../full-disk.ts'
import { homeAt } from '../home.ts'
import { showProgress } from '../progress.ts'
import { PROJECT_ROOT } from '../project.ts'
import { readSettings } from '../settings.ts'

/** `restore <folder>`: fills a home that does not run, and is empty, with what `backup` wrote. */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments('restore', args, { flags: HOME_FLAG, positionalsMax: 1 })
  const [given] = positionals
  if (!given) throw usageError('restore', 'Say which folder the backup is in.')
  const home = homeAt(homeFolder(values.home))
  const stopped = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopped.abort())
  const manifest = await sayingFullDisk(home, () =>
    restoreBackup({
      ...{ home, folder: resolve(given), settings: readSettings(PROJECT_ROOT, process.env) },
      ...{ progress: showProgress(), signal: stopped.signal },
    }),
  )
  console.log(`
Restored into ${home.folder}: ${inSentences(manifest)}
${commandFor(home, 'up')} starts it. Who was erased since that moment must be erased again.`)
  return 0
}
