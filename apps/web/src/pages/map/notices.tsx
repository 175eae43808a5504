import { fill } from '@palanquin/domain/fill-text'
import { inLanguage } from '@palanquin/domain/language'
import { timeInWords } from '@palanquin/domain/time-in-words'
import type { Notice } from '../../api/types.ts'
import { useNow } from '../../parts/clock.ts'
import { useTexts } from '../../parts/context.ts'

const LEVELS: readonly Notice['level'][] = ['urgent', 'warning', 'info']

/** What the organisers announce now, urgent ones first. The texts are text, never markup. */
export function NoticeList({ notices, timezone }: { notices: Notice[] | null; timezone: string }) {
  const { language, texts } = useTexts()
  const nowMs = useNow()
  const current = (notices ?? [])
    .filter(({ until }) => until === null || Date.parse(until) > nowMs)
    .sort((a, b) => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level))
  if (current.length === 0) return null
  return (
    <section class="notices" aria-label={texts.notices}>
      <ul>
        {current.map((notice) => (
          <li key={notice.id} class={`notice notice-${notice.level}`}>
            {inLanguage(language, notice)}
            {notice.until !== null && (
              <span class="small">
                {' '}
                {fill(texts.noticeUntil, {
                  time: timeInWords(Date.parse(notice.until), { language, timezone, nowMs }),
                })}
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
