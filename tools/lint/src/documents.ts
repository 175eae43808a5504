import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PROJECT_ROOT } from '@palanquin/stack/project'

/** What documents may name: files and folders, and whatever stands in the sources. */
type Tree = { files: ReadonlySet<string>; text: string; usage: string; paths: ReadonlySet<string> }

const SOURCE =
  /\.(?:[cm]?tsx?|json|ya?ml|sh|css|html|svg|grit|properties|conf)$|(?:^|\/)(?:Dockerfile|palanquin|\.env\.example)$/
const TOP = /^(?:apps|packages|tools|e2e|docs|deploy|\.ci|\.githooks)\//
const FILE = /(?:^|\/)[\w.@*{},<>-]+\.(?:tsx?|md|json|svg|sh|ya?ml|txt|grit|css|html|mjs|png|gpx|toml|lock)$/
const SETTING = /^([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:=.*)?$/
const METRIC = /^(palanquin_[a-z0-9_]+)/
const ROUTE = /^(?:(?:GET|POST|PUT|PATCH|DELETE|HEAD)(?:,| and)? ?)*(\/[\w@{}<>*.:/?=&-]*)$/
const SYSTEM = /^\/(?:dev|usr|etc|tmp|var|proc)\//
const EVENT = /^[a-z_]+(?:\.[a-z_]+)+$/
const COMMAND = /^\.\/palanquin(?: ([a-z-]+))?/

export const readFile = (file: string): string => readFileSync(join(PROJECT_ROOT, file), 'utf8')

const trackedFiles = (): string[] =>
  Bun.spawnSync(['git', 'ls-files'], { cwd: PROJECT_ROOT }).stdout.toString().trim().split('\n')

/** The tracked documents. */
export const documents = (): { file: string; text: string }[] =>
  trackedFiles()
    .filter((file) => file.endsWith('.md'))
    .map((file) => ({ file, text: readFile(file) }))

/** The tracked tree, with neither its documents nor this check among the sources. */
export function trackedTree(): Tree {
  const files = trackedFiles()
  const sources = files.filter((file) => SOURCE.test(file) && !file.startsWith('tools/lint/src/documents'))
  const text = sources.map(readFile).join('\n')
  const literals = [...text.matchAll(/['"`](?:[A-Z]+ )?(\/[^\s'"`]*)/g)]
  return {
    files: new Set(files.flatMap(withFolders)),
    text,
    usage: readFile('tools/cli/src/usage.txt'),
    paths: new Set(literals.map(([, path = '']) => templateOf(path))),
  }
}

/** `a/b.ts` and `a/`. */
const withFolders = (file: string): string[] =>
  [...file.matchAll(/\//g)].map(({ index }) => file.slice(0, index + 1)).concat(file)

/** A path with `*` for each parameter, however it is written. */
const templateOf = (path: string): string =>
  (path.split(/[?#]/)[0] ?? '')
    .replace(/\$?\{[^{}]{0,40}\}|<[^<>]{0,40}>|:[a-z]\w{0,40}/gi, '*')
    .replace(/^\/api\/(?:event|\*)(?=\/)/, '')
    .replace(/(?<=.)\/$/, '')

/** Each inline code of a text, and each command in its blocks. */
export function codesOf(text: string): string[] {
  const blocks = /^```[\s\S]*?^```/gm
  const commands = (text.match(blocks) ?? []).flatMap(
    (block) => block.match(/\.\/palanquin(?: [^\s#|&;]+)*/g) ?? [],
  )
  const inline = text.replace(blocks, '').matchAll(/(?<!`)`([^`\n]+)`(?!`)/g)
  return [...commands, ...[...inline].map(([, code = '']) => code)]
}

/** What a code of a document in a folder names that is not in the tree. */
export function missing(tree: Tree, code: string, folder = '.'): string | null {
  const unless = (isThere: boolean, what: string): string | null => (isThere ? null : what)
  const setting = SETTING.exec(code)?.[1]
  if (setting) return unless(hasWord(tree, setting), 'setting')
  const metric = METRIC.exec(code)?.[1]
  if (metric) return unless(hasWord(tree, metric.replace(/_(?:bucket|sum|count)$/, '')), 'metric')
  if (COMMAND.test(code)) return unless(hasCommand(tree, code), 'command')
  const route = ROUTE.exec(code)?.[1]
  if (route) return unless(SYSTEM.test(route) || hasRoute(tree, templateOf(route)), 'route')
  if (/\s/.test(code)) return null
  if (TOP.test(code) || FILE.test(code)) return unless(hasFile(tree, code, folder), 'path')
  return EVENT.test(code) ? unless(hasWord(tree, code), 'event') : null
}

const hasWord = ({ text }: Tree, word: string): boolean =>
  new RegExp(`(?<!\\w)${word.replaceAll('.', '\\.')}(?!\\w)`).test(text)

function hasCommand({ usage }: Tree, code: string): boolean {
  const name = COMMAND.exec(code)?.[1] ?? 'help'
  const flags = [...code.matchAll(/ (--[a-z][a-z-]*)/g)].map(([, flag = '']) => flag)
  const isKnown = name === 'help' || new RegExp(`^  ${name}\\b`, 'm').test(usage)
  return isKnown && flags.every((flag) => new RegExp(`${flag}\\b`).test(usage))
}

/** Whole, or put together from two literals: the prefix of a group and its route. */
const hasRoute = ({ paths }: Tree, route: string): boolean =>
  paths.has(route) ||
  [...route.matchAll(/(?<=.)\//g)].some(
    ({ index }) => paths.has(route.slice(0, index)) && paths.has(route.slice(index)),
  )

/** From the root, from the document, or the end of a path; else a file of a home or a backup. */
function hasFile(tree: Tree, code: string, folder: string): boolean {
  const wanted = code.replace(/^\.\//, '').replace(/<[^<>]{0,40}>|\{\w{0,40}\}|%s/g, '*')
  const glob = new Bun.Glob(`{${wanted},${join(folder, wanted)},**/${wanted}}{,/}`)
  if ([...tree.files].some((file) => glob.match(file))) return true
  return !TOP.test(code) && !/\.tsx?$/.test(code) && hasWord(tree, code.slice(code.lastIndexOf('/') + 1))
}

/** All of a document, each with its kind. */
export const missingIn = (tree: Tree, { file, text }: { file: string; text: string }): string[] =>
  [...new Set(codesOf(text))].flatMap((code) => {
    const kind = missing(tree, code, dirname(file))
    return kind === null ? [] : [`${file}: ${kind} \`${code}\``]
  })
