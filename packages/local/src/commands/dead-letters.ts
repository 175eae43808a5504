import { join } from 'node:path'
import { HOME_FLAG, homeFolder, readArguments } from '../arguments.ts'
import { homeAt } from '../home.ts'
import { LauncherError } from '../launcher-error.ts'
import { PROJECT_ROOT } from '../project.ts'
import { readRunFile } from '../run-file.ts'

const CLI = join(PROJECT_ROOT, 'packages', 'events', 'src', 'dead-letters-cli.ts')

/** `dead-letters list | show <id> | requeue <id|all> | discard <id>`: the event package's own tool, on this home's Redis. */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments('dead-letters', args, { flags: HOME_FLAG, positionalsMax: 2 })
  const home = homeAt(homeFolder(values.home))
  const running = readRunFile(home)
  if (!running) throw new LauncherError(`Nothing runs in ${home.folder}: ./palanquin up starts it.`, 3)
  const child = Bun.spawn(
    [process.execPath, '--no-env-file', CLI, ...(positionals.length > 0 ? positionals : ['list'])],
    {
      env: { ...process.env, REDIS_URL: running.redisUrl },
      stdio: ['inherit', 'inherit', 'inherit'],
    },
  )
  return child.exited
}
