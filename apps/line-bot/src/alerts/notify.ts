import type { Language, Localized } from '@palanquin/domain/language'
import { toIso } from '@palanquin/domain/time'
import type { Log } from '@palanquin/service/log'
import type { LineClient } from '../line-client/client.ts'
import { retryKeyOf } from '../push/retry-key.ts'
import type { EventName } from '../push/wording.ts'
import type { Alert, Problem } from './decide.ts'
import type { OwnerBook } from './owners.ts'

const PROBLEM_TEXT: Localized<Record<Problem, string>> = {
  'zh-TW': {
    d1: '關聯式資料庫異常',
    kv: '緩衝儲存（Redis）異常',
    r2: '圖片儲存異常',
    flush: '活動進行中，但超過 30 分鐘沒有寫入資料庫，或從未成功寫入',
  },
  en: {
    d1: 'the relational store is in error',
    kv: 'the key-value buffer is in error',
    r2: 'the object store is in error',
    flush: 'the activity runs, and the last flush is older than 30 minutes or none has ever worked',
  },
}

const MINUTE_MS = 60_000

/** An alert as one text, in one language. */
function alertText(
  { kind, problems, sinceMs, atMs }: Alert,
  { language, name, timeZone }: { language: Language; name: string; timeZone: string },
): string {
  const since = new Date(sinceMs).toLocaleString('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'short',
  })
  const minutes = Math.max(1, Math.round((atMs - sinceMs) / MINUTE_MS))
  const list = problems.map((problem) => `• ${PROBLEM_TEXT[language][problem]}`)
  const texts: Record<Alert['kind'], Localized<string>> = {
    well: {
      'zh-TW': `✅【系統恢復】${name}：一切正常，歷時 ${minutes} 分鐘。`,
      en: `✅ ${name}: all is well again, after ${minutes} min.`,
    },
    trouble: {
      'zh-TW': [`🚨【系統警報】${name}（自 ${since} 起）`, ...list].join('\n'),
      en: [`🚨 ${name}: trouble since ${since}`, ...list].join('\n'),
    },
  }
  return texts[kind][language]
}

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
