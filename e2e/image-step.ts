import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { PROJECT_ROOT } from '@palanquin/stack/project'

const read = (name: string): string => readFileSync(join(PROJECT_ROOT, name), 'utf8')

/** The instructions of a stage of the Dockerfile, after those of the stages that it builds on. */
function instructionsOf(target: string): string[] {
  const lines = read('Dockerfile')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
  const from = lines.findIndex((line) => line.startsWith('FROM ') && line.endsWith(` AS ${target}`))
  if (from < 0) return []
  const rest = lines.slice(from + 1)
  const end = rest.findIndex((line) => line.startsWith('FROM '))
  const own = rest.slice(0, end < 0 ? undefined : end).filter((line) => /^[A-Z]/.test(line))
  return [...instructionsOf(lines[from]?.split(' ')[1] ?? ''), ...own]
}

/** Follows WORKDIR, COPY and RUN of a stage in a folder in the place of an image. */
export async function buildStage(target: string, folder: string): Promise<string> {
  let workdir = folder
  for (const instruction of instructionsOf(target)) {
    const [name, ...words] = instruction.split(' ')
    if (name === 'WORKDIR') workdir = join(folder, words[0] ?? '')
    if (name === 'COPY') copyFromContext(words, workdir)
    if (name !== 'RUN') continue
    const command = words.filter((word) => !word.startsWith('--mount')).join(' ')
    const printed = await run(command, workdir)
    if (printed !== '') return `${command}: ${printed}`
  }
  return ''
}

async function run(command: string, cwd: string): Promise<string> {
  const child = Bun.spawn(['sh', '-c', command], { cwd, stdout: 'pipe', stderr: 'pipe' })
  const [out, problems, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return code === 0 ? '' : out + problems
}

function copyFromContext(words: string[], workdir: string): void {
  const ignored = read('.dockerignore')
    .trim()
    .split('\n')
    .map((pattern) => new Bun.Glob(pattern))
  const filter = (source: string) => !ignored.some((pattern) => pattern.match(relative(PROJECT_ROOT, source)))
  const target = join(workdir, words.at(-1) ?? '')
  for (const source of words.slice(0, -1)) {
    const isInto = words.at(-1)?.endsWith('/')
    mkdirSync(isInto ? target : join(target, '..'), { recursive: true })
    const destination = isInto ? join(target, source.split('/').at(-1) ?? '') : target
    cpSync(join(PROJECT_ROOT, source), destination, { recursive: true, filter })
  }
}
