import { existsSync } from 'node:fs'
import { takeDown } from '@palanquin/stack/lifecycle/take-down'
import { homeAt } from '@palanquin/stack/run-state/home'
import { HOME_FLAG, homeFolder, readArguments } from '../arguments.ts'

/** `down`: stops every process of a home, including those of a killed launcher. */
export async function run(args: string[]): Promise<number> {
  const { values } = readArguments('down', args, { flags: HOME_FLAG })
  const home = homeAt(homeFolder(values.home))
  const ended = existsSync(home.folder) ? await takeDown(home) : []
  if (ended.length === 0) console.log(`Nothing runs in ${home.folder}.`)
  else if (ended[0] === 'supervisor') console.log('Stopped.')
  else console.log(`Stopped what a killed launcher had left running: ${ended.join(', ')}.`)
  return 0
}
