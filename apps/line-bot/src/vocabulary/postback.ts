import { COMMANDS, type Command } from './commands.ts'

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

/** The action of `postback.data`; null for another version or an action that nobody knows. */
export function actionOf(data: string): Action | null {
  const fields = new URLSearchParams(data)
  if (fields.get('v') !== VERSION) return null
  const name = fields.get('a')
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
