import type { Language } from '@palanquin/domain/language'
import { toIso } from '@palanquin/domain/time'
import type { Log } from '@palanquin/service/log'
import type { LineClient } from '../line-client/client.ts'
import { retryKeyOf } from '../push/retry-key.ts'
import type { EventName } from '../push/wording.ts'
import type { Alert } from './decide.ts'
import type { OwnerBook } from './owners.ts'
import { alertText } from './wording.ts'

const WEBHOOK_DEADLINE_MS = 5_000

export type AlertNotifierOptions = {
  /** Null where LINE is not configured. */
  client: Pick<LineClient, 'multicast'> | null
  owners: Pick<OwnerBook, 'read'>
  webhookUrl: string | undefined
  name: EventName
  timeZone: string
  log: Log
}

/** The two ways to alert owners; each returns whether nothing is left to deliver by it. */
export function alertNotifier({ client, owners, webhookUrl, name, timeZone, log }: AlertNotifierOptions) {
  const textIn = (alert: Alert, language: Language) =>
    alertText(alert, { language, name: name[language], timeZone })
  return {
    /** Idempotent: LINE takes the same retry keys once. */
    byLine: async (alert: Alert): Promise<boolean> => {
      if (!client) return true
      const found = await owners.read()
      if (found.length === 0)
        log.warn({ event: 'alert.no_owners' }, 'There is no owner, so LINE alerts reach no one')
      const answers = await Promise.all(
        [...Map.groupBy(found, ({ language }) => language)].map(([language, some]) =>
          client.multicast({
            to: some.map(({ userId }) => userId),
            messages: [{ type: 'text', text: textIn(alert, language) }],
            retryKey: retryKeyOf(`alert/${alert.kind}/${alert.sinceMs}/${alert.atMs}/${language}`),
          }),
        ),
      )
      const failed = answers.find(({ is }) => is !== 'ok')
      if (failed)
        log.error(
          { event: 'alert.line_failed', outcome: failed.is },
          'LINE did not take an alert to the owners',
        )
      return answers.every(({ is }) => is !== 'unavailable' && is !== 'rate')
    },
    byWebhook: async (alert: Alert): Promise<boolean> => {
      if (!webhookUrl) return true
      const { kind, problems, sinceMs, atMs } = alert
      const body = { kind, problems, since: toIso(sinceMs), at: toIso(atMs), text: textIn(alert, 'en') }
      try {
        const answer = await fetch(webhookUrl, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
          redirect: 'manual',
          signal: AbortSignal.timeout(WEBHOOK_DEADLINE_MS),
        })
        await answer.arrayBuffer()
        if (answer.ok) return true
        log.error(
          { event: 'alert.webhook_refused', status: answer.status },
          'ALERT_WEBHOOK_URL refused an alert',
        )
      } catch (error) {
        // The address may hold a secret; an error's text may quote it.
        log.error(
          { event: 'alert.webhook_failed', error: error instanceof Error ? error.name : 'unknown' },
          'ALERT_WEBHOOK_URL does not answer',
        )
      }
      return false
    },
  }
}

export type AlertNotifier = ReturnType<typeof alertNotifier>
