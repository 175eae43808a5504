import type { Language } from '@palanquin/domain/participant'
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

/** The two ways in which owners hear of trouble; each answers whether there is nothing left to tell by it. */
export function alertNotifier({ client, owners, webhookUrl, name, timeZone, log }: AlertNotifierOptions) {
  const textIn = (alert: Alert, language: Language) =>
    alertText(alert, { language, name: name[language], timeZone })
  return {
    /** Told again under the same keys, LINE takes it once. */
    byLine: async (alert: Alert): Promise<boolean> => {
      if (!client) return true
      const people = await owners.read()
      if (people.length === 0) log.warn('nobody is an owner, so nobody is told of trouble by LINE')
      const answers = await Promise.all(
        [...Map.groupBy(people, ({ language }) => language)].map(([language, some]) =>
          client.multicast({
            to: some.map(({ userId }) => userId),
            messages: [{ type: 'text', text: textIn(alert, language) }],
            retryKey: retryKeyOf(`alert/${alert.kind}/${alert.sinceMs}/${alert.atMs}/${language}`),
          }),
        ),
      )
      const failed = answers.find(({ is }) => is !== 'ok')
      if (failed) log.error({ outcome: failed.is }, 'an alert did not reach the owners by LINE')
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
        log.error({ status: answer.status }, 'an alert was refused at ALERT_WEBHOOK_URL')
      } catch (error) {
        // The address may hold a secret; an error's text may quote it.
        log.error(
          { error: error instanceof Error ? error.name : 'unknown' },
          'ALERT_WEBHOOK_URL does not answer',
        )
      }
      return false
    },
  }
}

export type AlertNotifier = ReturnType<typeof alertNotifier>
