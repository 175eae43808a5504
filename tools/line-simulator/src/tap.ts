import type { Composer } from './composer.ts'
import type { WebhookEvent } from './events.ts'
import type { Action } from './schema/action.ts'

/** What a date picker is set to when nobody chooses. */
const PICKED: Record<string, string> = { date: '2026-04-17', time: '08:00', datetime: '2026-04-17T08:00' }

/**
 * The event that comes of tapping an action; undefined where LINE tells the bot nothing (a link, a camera that is only
 * opened, something copied). `picked` is what a date picker was set to.
 */
export function tapped(composer: Composer, action: Action, picked?: string): WebhookEvent | undefined {
  const { type, text, data = '', mode = 'date', displayText: shownAs } = action
  if (type === 'message' && text !== undefined) return composer.text(text)
  if (type === 'postback') return composer.postback(data, undefined, { shownAs })
  if (type === 'datetimepicker') return composer.postback(data, { [mode]: picked ?? PICKED[mode] ?? '' })
  return undefined
}
