import { useEffect, useState } from 'preact/hooks'
import { apiBase } from '../../api/base.ts'
import { fetchInTime } from '../../api/fetch-in-time.ts'
import { dateInWords } from '../../i18n/format.ts'
import { TIMEZONE_DEFAULT } from '../../parts/banners.tsx'
import { useTexts } from '../../parts/context.ts'
import { withStore } from '../../store.ts'

type Kept = { id: string; at: number }
type Status = { status: string; reply: string | null }
const SHOWN_MAX = 10

/** What was written on this phone, and what became of it. `renew` changes when there may be more. */
export function OwnFeedback({ renew }: { renew: boolean }) {
  const { language, texts } = useTexts()
  const [own, setOwn] = useState<(Kept & { now: Status | null })[]>([])
  useEffect(() => {
    let left = false
    void readOwn().then((items) => {
      if (!left) setOwn(items)
    })
    return () => {
      left = true
    }
  }, [renew])
  if (own.length === 0) return null
  const names: Record<string, string> = {
    open: texts.statusOpen,
    in_progress: texts.statusInProgress,
    resolved: texts.statusResolved,
    rejected: texts.statusRejected,
  }
  return (
    <section>
      <h2>{texts.feedbackYours}</h2>
      <ul class="list">
        {own.map(({ id, at, now }) => (
          <li key={id}>
            <span class="list-title">{names[now?.status ?? ''] ?? '…'}</span>
            <span class="small">{dateInWords(at, { language, timezone: TIMEZONE_DEFAULT })}</span>
            {now?.reply && (
              <span>
                {texts.feedbackReply}: {now.reply}
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

async function readOwn(): Promise<(Kept & { now: Status | null })[]> {
  try {
    const kept = await withStore((db) => db.getAll('feedback'))
    const latest = kept.sort((a, b) => b.at - a.at).slice(0, SHOWN_MAX)
    return await Promise.all(latest.map(async ({ id, at }) => ({ id, at, now: await statusOf(id) })))
  } catch (error) {
    console.warn('This phone keeps no list of feedback', error)
    return []
  }
}

/** Null while the service cannot say it. */
async function statusOf(id: string): Promise<Status | null> {
  try {
    const response = await fetchInTime(`${apiBase()}/feedback/status?id=${encodeURIComponent(id)}`, {
      credentials: 'omit',
    })
    if (!response.ok) return null
    const { data }: { data: Status } = await response.json()
    return data
  } catch {
    return null // offline: the list stands without the state
  }
}
