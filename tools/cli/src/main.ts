import { LauncherError } from '@palanquin/stack/launcher-error'
import { helpOf, usage } from './help.ts'

type Command = { run: (args: string[]) => Promise<number> }

/** Commands are imported on demand, so that a quick one starts quickly. */
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
  const asked = ['help', '-h', '--help'].includes(name)
  const [topic] = asked ? args : [name]
  if (asked && topic === undefined) return print(usage())
  const command = COMMANDS[topic ?? name]
  if (!command) throw new LauncherError(`There is no command '${topic}'. ./palanquin help lists them.`, 2)
  if (asked || args.includes('--help') || args.includes('-h')) return print(helpOf(topic ?? name) ?? usage())
  return (await command()).run(args)
}

/** The system's message about a file that a user can act on; undefined for anything else. */
function sentenceOfFile(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !FILE_CODES.has(`${error.code}`)) return undefined
  return `This cannot be done here: ${error.message}.`
}
const FILE_CODES = new Set([
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOSPC',
  'EDQUOT',
  'ENOTDIR',
  'EISDIR',
  'ELOOP',
  'ENAMETOOLONG',
])

function print(text: string): number {
  process.stdout.write(text)
  return 0
}

main(process.argv.slice(2)).then(
  (exitCode) => process.exit(exitCode),
  (error: unknown) => {
    console.error(error instanceof LauncherError ? error.message : (sentenceOfFile(error) ?? error))
    process.exit(error instanceof LauncherError ? error.exitCode : 1)
  },
)
