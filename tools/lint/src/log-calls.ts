import { type Node, parse } from 'acorn'
import { full } from 'acorn-walk'
import type { Source } from './sources.ts'

/** A call that writes a log line; `events` are the codes that it may have, none where it has no literal one. */
export type LogCall = { file: string; level: string; events: string[]; message: string }

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace']
const transpilers = {
  ts: new Bun.Transpiler({ loader: 'ts', deadCodeElimination: false }),
  tsx: new Bun.Transpiler({ loader: 'tsx', deadCodeElimination: false }),
}

/** Every log call of the sources, and every line that is put together by hand as an object with `event` and `msg`. */
export function logCalls(sources: readonly Source[]): LogCall[] {
  return sources.flatMap(({ file, text }) => {
    const found: LogCall[] = []
    const transpiler = transpilers[file.endsWith('.tsx') ? 'tsx' : 'ts']
    const program = parse(transpiler.transformSync(text), { ecmaVersion: 'latest', sourceType: 'module' })
    full(program, (node) => {
      const call = callAt(node) ?? lineAt(node)
      if (call) found.push({ file, ...call })
    })
    return found
  })
}

function callAt(node: Node): Omit<LogCall, 'file'> | undefined {
  if (!isCall(node) || !isMember(node.callee)) return undefined
  const { object, property, computed } = node.callee
  if (!/log$/i.test(nameOf(object) ?? '')) return undefined
  const level = computed ? 'varies' : nameOf(property)
  if (level === undefined || !(computed || LEVELS.includes(level))) return undefined
  const [fields, message] = node.arguments
  return { level, events: textsOf(propertyOf(fields, 'event')), message: textsOf(message).join(' / ') }
}

function lineAt(node: Node): Omit<LogCall, 'file'> | undefined {
  const [events, messages] = [textsOf(propertyOf(node, 'event')), textsOf(propertyOf(node, 'msg'))]
  if (events.length === 0 || messages.length === 0) return undefined
  return { level: textsOf(propertyOf(node, 'level'))[0] ?? 'varies', events, message: messages.join(' / ') }
}

/** The texts that an expression may have: of a literal, of both sides of a choice, and of a template with `…` for its parts. */
function textsOf(node: Node | undefined): string[] {
  if (!node) return []
  if (isLiteral(node)) return typeof node.value === 'string' ? [node.value] : []
  if (isChoice(node)) return [...textsOf(node.consequent), ...textsOf(node.alternate)]
  if (isTemplate(node)) return [node.quasis.map(({ value }) => value.cooked ?? '').join('…')]
  return []
}

function propertyOf(node: Node | undefined, name: string): Node | undefined {
  if (!node || !isObject(node)) return undefined
  return node.properties.filter(isProperty).find(({ key }) => nameOf(key) === name)?.value
}

type Property = Node & { key: Node; value: Node }
const isCall = (node: Node): node is Node & { callee: Node; arguments: Node[] } =>
  node.type === 'CallExpression'
const isMember = (node: Node): node is Node & { object: Node; property: Node; computed: boolean } =>
  node.type === 'MemberExpression'
const isObject = (node: Node): node is Node & { properties: Node[] } => node.type === 'ObjectExpression'
const isProperty = (node: Node): node is Property => node.type === 'Property'
const isLiteral = (node: Node): node is Node & { value: unknown } => node.type === 'Literal'
const isChoice = (node: Node): node is Node & { consequent: Node; alternate: Node } =>
  node.type === 'ConditionalExpression'
const isTemplate = (node: Node): node is Node & { quasis: { value: { cooked?: string } }[] } =>
  node.type === 'TemplateLiteral'

/** Of `log`, `this.#log` and `parts.log`: `log`. */
function nameOf(node: Node): string | undefined {
  if (isMember(node)) return nameOf(node.property)
  return 'name' in node ? String(node.name) : undefined
}
