import type { messagingApi } from '@line/bot-sdk'
import type { Composer } from './composer.ts'
import type { WebhookEvent } from './events.ts'

/** What a date picker is set to where no time is chosen. */
const PICKED: Record<string, string> = { date: '2026-04-17', time: '08:00', datetime: '2026-04-17T08:00' }

/** The event that comes of tapping an action. `picked` is what a date picker was set to. */
export function tapped(
  composer: Composer,
  action: messagingApi.Action,
  picked?: string,
): WebhookEvent | undefined {
  switch (action.type) {
    case 'message':
      return action.text === undefined ? undefined : composer.text(action.text)
    case 'postback':
      return composer.postback(action.data ?? '', undefined, { shownAs: action.displayText })
    case 'datetimepicker': {
      const { mode = 'date', data = '' } = action
      return composer.postback(data, { [mode]: picked ?? PICKED[mode] ?? '' })
    }
    default:
      return undefined
  }
}
