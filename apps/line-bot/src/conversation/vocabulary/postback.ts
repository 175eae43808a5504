import { COMMANDS, type Command, commandOf } from './commands.ts'

/**
 * Raise it when an action changes its meaning: buttons of old messages stay in people's chats for years, and one that
 * is not understood any more is answered with help instead of something else.
 */
const VERSION = '1'

/** What a button does: a command; a language that is chosen; the erasure that was asked back for, or given up. */
export type Action =
  | { action: Command }
  | { action: 'choose'; language: 'zh-TW' | 'en' }
  /** `askedMs`: when the question was put; a yes to an old one does not count. */
  | { action: 'erase-yes'; askedMs: number }
  | { action: 'erase-no' }

/** `postback.data` of a button. */
export function postbackData(action: Action): string {
  const data = new URLSearchParams({ v: VERSION, a: action.action })
  if (action.action === 'choose') data.set('l', action.language)
  if (action.action === 'erase-yes') data.set('t', String(action.askedMs))
  return data.toString()
}

/** Where the buttons of a rich menu that an organiser made by hand say what is asked for. */
const NAMES = ['a', 'action', 'cmd', 'command']

/**
 * The action of `postback.data`; null for another version or an action that nobody knows. A button that is not ours, from a
 * menu made in LINE's own tools, is understood by the words that people type.
 */
export function actionOf(data: string): Action | null {
  const fields = new URLSearchParams(data)
  const isOurs = fields.get('v') === VERSION
  if (fields.has('v') && !isOurs) return null
  const name = NAMES.map((key) => fields.get(key)).find((value) => value !== null) ?? data
  return (isOurs ? ownAction(name, fields) : null) ?? saidAction(name)
}

function saidAction(word: string): Action | null {
  const asked = commandOf(word)
  if (!asked) return null
  return asked.language ? { action: 'choose', language: asked.language } : { action: asked.command }
}

function ownAction(name: string, fields: URLSearchParams): Action | null {
  const command = COMMANDS.find((one) => one === name)
  if (command) return { action: command }
  if (name === 'erase-no') return { action: name }
  if (name === 'erase-yes') {
    const asked = fields.get('t') ?? ''
    return /^\d{1,15}$/.test(asked) ? { action: name, askedMs: Number(asked) } : null
  }
  const language = fields.get('l')
  if (name === 'choose' && (language === 'zh-TW' || language === 'en')) return { action: name, language }
  return null
}
