import { LauncherError } from './launcher-error.ts'

type Command = { run: (args: string[]) => Promise<number> }

/** Loaded when called for, so that a quick command does not wait for the rest. */
const COMMANDS: Record<string, () => Promise<Command>> = {
  up: () => import('./commands/up.ts'),
  down: () => import('./commands/down.ts'),
  status: () => import('./commands/status.ts'),
  restart: () => import('./commands/restart.ts'),
  logs: () => import('./commands/logs.ts'),
  demo: () => import('./commands/demo.ts'),
  test: () => import('./commands/test.ts'),
  bench: () => import('./commands/bench.ts'),
  chaos: () => import('./commands/chaos.ts'),
  backup: () => import('./commands/backup.ts'),
  restore: () => import('./commands/restore.ts'),
  'dead-letters': () => import('./commands/dead-letters.ts'),
}

async function main([name = 'help', ...args]: string[]): Promise<number> {
  const usage = () => Bun.file(new URL('usage.txt', import.meta.url)).text()
  if (['help', '-h', '--help'].includes(name) || args.includes('--help') || args.includes('-h')) {
    process.stdout.write(await usage())
    return 0
  }
  const command = COMMANDS[name]
  if (!command) throw new LauncherError(`There is no command '${name}'. ./palanquin help lists them.`, 2)
  return (await command()).run(args)
}

main(process.argv.slice(2)).then(
  (exitCode) => process.exit(exitCode),
  (error: unknown) => {
    console.error(error instanceof LauncherError ? error.message : error)
    process.exit(error instanceof LauncherError ? error.exitCode : 1)
  },
)
