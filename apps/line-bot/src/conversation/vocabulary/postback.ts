import type { Language } from '@palanquin/domain/language'
import { COMMANDS, type Command } from './command.ts'
import { commandOf } from './recognise.ts'

/** Raise it when an action changes its meaning: buttons of old messages stay in chats for years. */
const VERSION = '1'

/** What a button does: a command; the choice of a language; the erasure confirmed, or cancelled. */
export type Action =
  | { action: Command }
  | { action: 'choose'; language: Language }
  /** `askedMs`: when confirmation was requested; an old confirmation does not count. */
  | { action: 'erase-yes'; askedMs: number }
  | { action: 'erase-no' }

/** `postback.data` of a button. */
export function postbackData(action: Action): string {
  const data = new URLSearchParams({ v: VERSION, a: action.action })
  if (action.action === 'choose') data.set('l', action.language)
  if (action.action === 'erase-yes') data.set('t', String(action.askedMs))
  return data.toString()
}

/** The fields that name the command in buttons of a rich menu that an organiser made by hand. */
const NAMES = ['a', 'action', 'cmd', 'command']

/** The action of `postback.data`, or of a button made in LINE's own tools by its words; null for none. */
export function actionOf(data: string): Action | null {
  const fields = new URLSearchParams(data)
  const isOurs = fields.get('v') === VERSION
  if (fields.has('v') && !isOurs) return null
  const name = NAMES.map((key) => fields.get(key)).find((value) => value !== null) ?? data
  return (isOurs ? ownAction(name, fields) : null) ?? saidAction(name)
}

function saidAction(word: string): Action | null {
  const request = commandOf(word)
  if (!request) return null
  return request.language ? { action: 'choose', language: request.language } : { action: request.command }
}

function ownAction(name: string, fields: URLSearchParams): Action | null {
  const command = COMMANDS.find((one) => one === name)
  if (command) return { action: command }
  if (name === 'erase-no') return { action: name }
  if (name === 'erase-yes') {
    const request = fields.get('t') ?? ''
    return /^\d{1,15}$/.test(request) ? { action: name, askedMs: Number(request) } : null
  }
  const language = fields.get('l')
  if (name === 'choose' && (language === 'zh-TW' || language === 'en')) return { action: name, language }
  return null
}
