import { type Node, parse } from 'acorn'
import { full } from 'acorn-walk'
import { analyse } from 'scslre'
import type { Source } from './sources.ts'

type Pattern = { source: string; flags: string }

const transpilers = {
  ts: new Bun.Transpiler({ loader: 'ts', deadCodeElimination: false }),
  tsx: new Bun.Transpiler({ loader: 'tsx', deadCodeElimination: false }),
}

/**
 * Every regular expression of the sources (literals, texts given to `RegExp`, and `pattern` of a schema) that takes longer than
 * in proportion to its text: a repeat before an end that is not anchored at the start (`/=+$/`), adjacent repeats that can
 * share a text (`/\d+\d*$/`), a repeat of a repeat. A text of 100 KB then stops a process for seconds. As `file /pattern/ reason`.
 */
export function slowPatterns(sources: readonly Source[]): string[] {
  return sources.flatMap(({ file, text }) =>
    patternsOf(text, file.endsWith('.tsx') ? 'tsx' : 'ts').flatMap(({ source, flags }) =>
      reasonsOf({ source, flags }).map((reason) => `${file} /${source}/${flags} ${reason}`),
    ),
  )
}

/** The regular expressions in a TypeScript source; one that is put together at run time is not seen. */
function patternsOf(text: string, loader: keyof typeof transpilers): Pattern[] {
  const program = parse(transpilers[loader].transformSync(text), {
    ecmaVersion: 'latest',
    sourceType: 'module',
  })
  const found: Pattern[] = []
  full(program, (node) => found.push(...patternsAt(node)))
  return found
}

function patternsAt(node: Node): Pattern[] {
  if (isLiteral(node) && node.regex) return [{ source: node.regex.pattern, flags: node.regex.flags }]
  if (isProperty(node) && nameOf(node.key) === 'pattern') return textOf(node.value, 'u')
  if (isCall(node) && nameOf(node.callee) === 'RegExp') return textOf(node.arguments[0], '')
  return []
}

function textOf(node: Node | undefined, flags: string): Pattern[] {
  return node && isLiteral(node) && typeof node.value === 'string' ? [{ source: node.value, flags }] : []
}

const REASONS = {
  Self: 'repeats a repeat',
  Trade: 'has two repeats that can share a text',
  Move: 'begins to repeat at any place of the text',
}

function reasonsOf(pattern: Pattern): string[] {
  const { reports } = analyse(pattern, { reportTypes: { Self: true, Trade: true, Move: true } })
  return [...new Set(reports.map(({ type }) => REASONS[type]))]
}

type Literal = Node & { value?: unknown; regex?: { pattern: string; flags: string } }
type Property = Node & { key: Node; value: Node }
type Call = Node & { callee: Node; arguments: Node[] }

const isLiteral = (node: Node): node is Literal => node.type === 'Literal'
const isProperty = (node: Node): node is Property => node.type === 'Property'
const isCall = (node: Node): node is Call => node.type === 'CallExpression' || node.type === 'NewExpression'
const nameOf = (node: Node): string | undefined =>
  node.type === 'Identifier' && 'name' in node ? String(node.name) : undefined
