import { fill } from '@palanquin/domain/fill-text'
import { useState } from 'preact/hooks'
import { type LostTexts, useLostTexts } from '../../i18n/lost/texts.ts'
import { useTexts } from '../../parts/context.ts'
import { EmergencyCalls } from '../../parts/emergency.tsx'
import { OfflineKept } from '../../parts/offline-kept.tsx'
import { Foot, Shell } from '../../parts/shell.tsx'
import { ReportForm } from './form.tsx'
import { OwnReports } from './own-reports.tsx'
import type { Kind, Notified } from './reports.ts'

/** Who gets a message about a report, in the reader's words. */
function toldIn(lost: LostTexts, { volunteers, owners }: Notified): string {
  const told = [
    ...(volunteers > 0 ? [fill(lost.toldVolunteers, { count: volunteers })] : []),
    ...(owners > 0 ? [fill(lost.toldOwners, { count: owners })] : []),
  ]
  return told.length === 0 ? lost.toldNobody : told.join(' ')
}

/** Somebody is missing, or was found: emergency calls first, then the report to the organisers. */
export function ReportPage({ kind }: { kind: Kind }) {
  const { language, texts } = useTexts()
  const lost = useLostTexts()
  const [notified, setNotified] = useState<Notified | null>(null)
  return (
    <Shell page={kind}>
      <h1>{kind === 'lost' ? texts.lostTitle : texts.foundTitle}</h1>
      <EmergencyCalls />
      <p>{kind === 'lost' ? texts.lostBody : texts.foundBody}</p>
      <OfflineKept />
      {notified ? (
        <section class="banner banner-done" role="status">
          <h2>{lost.sentTitle}</h2>
          <p>{toldIn(lost, notified)}</p>
          <p>{lost.sentBody}</p>
          <button type="button" class="button" onClick={() => setNotified(null)}>
            {lost.another}
          </button>
        </section>
      ) : (
        <ReportForm kind={kind} onSent={setNotified} />
      )}
      <OwnReports renew={notified !== null} />
      <p>
        <a class="button" href={`/map?lang=${language}`}>
          {texts.lostPlaces}
        </a>
      </p>
      <Foot />
    </Shell>
  )
}
