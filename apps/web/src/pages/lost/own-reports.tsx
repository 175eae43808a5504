import { useEffect, useState } from 'preact/hooks'
import { dateInWords } from '../../i18n/format.ts'
import { useLostTexts } from '../../i18n/lost/texts.ts'
import { TIMEZONE_DEFAULT } from '../../parts/banners.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { useTexts } from '../../parts/context.ts'
import { NotSent } from '../../parts/outcome.tsx'
import { useSending } from '../../parts/sending.ts'
import { closeReport, forgetReport, ownReports, type Report, type Status, statusOf } from './reports.ts'

/** A family that waits leaves the page open. */
const READ_EVERY_MS = 20_000

type Shown = { report: Report; now: Status | null }

/** What this phone reported, and what became of it. `renew` changes when there may be more. */
export function OwnReports({ renew }: { renew: boolean }) {
  const lost = useLostTexts()
  const [own, setOwn] = useState<Shown[]>([])
  const show = (report: Report, now: Status) =>
    setOwn((shown) => shown.map((one) => (one.report.id === report.id ? { report, now } : one)))
  useEffect(() => {
    let left = false
    const read = async () => {
      if (document.visibilityState !== 'visible') return
      const shown = await readOwn()
      if (!left) setOwn(shown)
    }
    void read()
    const timer = setInterval(() => void read(), READ_EVERY_MS)
    const look = () => void read()
    document.addEventListener('visibilitychange', look)
    return () => {
      left = true
      clearInterval(timer)
      document.removeEventListener('visibilitychange', look)
    }
  }, [renew])
  if (own.length === 0) return null
  return (
    <section aria-label={lost.yours}>
      <h2>{lost.yours}</h2>
      <ul class="list" aria-live="polite">
        {own.map((one) => (
          <OwnReport key={one.report.id} {...one} onClosed={(now) => show(one.report, now)} />
        ))}
      </ul>
    </section>
  )
}

function OwnReport({ report, now, onClosed }: Shown & { onClosed: (now: Status) => void }) {
  const { language } = useTexts()
  const lost = useLostTexts()
  const closing = useSending(async () => {
    const closed = await closeReport(report)
    if (closed.ok) onClosed(closed.data)
    return closed
  })
  const kind = report.kind === 'lost' ? lost.kindLost : lost.kindFound
  const names = { open: lost.statusOpen, taken: lost.statusTaken, closed: lost.statusClosed }
  return (
    <li>
      <span class="list-title">
        {kind} · {now === null ? lost.statusUnknown : names[now.status]}
      </span>
      <span class="small">{dateInWords(report.at, { language, timezone: TIMEZONE_DEFAULT })}</span>
      {now?.reply && (
        <span>
          {lost.reply}: {now.reply}
        </span>
      )}
      {now !== null && now.status !== 'closed' && (
        <span>
          <Confirm
            label={report.kind === 'lost' ? lost.closeLost : lost.closeFound}
            questions={[{ ask: lost.closeAsk, yes: lost.closeYes }]}
            no={lost.closeNo}
            disabled={closing.sending}
            onConfirmed={() => void closing.submit()}
          />
          <NotSent outcome={closing.outcome} />
        </span>
      )}
    </li>
  )
}

async function readOwn(): Promise<Shown[]> {
  const kept = await ownReports()
  const seen = await Promise.all(kept.map(async (report) => ({ report, now: await statusOf(report) })))
  const shown: Shown[] = []
  for (const { report, now } of seen) {
    if (now === 'gone') await forgetReport(report.id)
    else shown.push({ report, now })
  }
  return shown
}
