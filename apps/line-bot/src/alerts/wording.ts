import type { Language, Localized } from '@palanquin/domain/language'
import type { Alert, Problem } from './decide.ts'

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
export function alertText(
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
