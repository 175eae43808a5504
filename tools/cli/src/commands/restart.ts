import { upDetached } from '@palanquin/stack/lifecycle/detached'
import { supervisorOf } from '@palanquin/stack/lifecycle/home-lock'
import { prepareStores } from '@palanquin/stack/lifecycle/prepare-stores'
import { rollingRestart } from '@palanquin/stack/lifecycle/rolling-restart'
import { showProgress } from '@palanquin/stack/progress'
import { PROJECT_ROOT } from '@palanquin/stack/project'
import { homeAt } from '@palanquin/stack/run-state/home'
import { readRunFile } from '@palanquin/stack/run-state/run-file'
import { readSettings } from '@palanquin/stack/settings/settings'
import { unknownSettings } from '@palanquin/stack/settings/unknown-settings'
import { HOME_FLAG, homeFolder, readArguments } from '../arguments.ts'

/**
 * `restart [name]`: restarts one process after another, each when the one before is ready; without a name
 * all. What a killed launcher left is taken over, on the same port.
 */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments('restart', args, { flags: HOME_FLAG, positionalsMax: 1 })
  const home = homeAt(homeFolder(values.home))
  for (const sentence of unknownSettings(PROJECT_ROOT, process.env)) console.error(sentence)
  const running = readRunFile(home)
  if (running && !supervisorOf(home)) {
    await upDetached(home, Number(new URL(running.url).port), showProgress())
    console.log('The launcher was killed; another one has taken over and restarted everything.')
    return 0
  }
  if (running)
    await prepareStores({ home, settings: readSettings(PROJECT_ROOT, process.env), addresses: running })
  await rollingRestart(home, {
    log: (line) => console.log(line),
    ...(positionals.length > 0 ? { names: positionals } : {}),
  })
  return 0
}
