import { useState } from 'preact/hooks'
import { useLostTexts } from '../../i18n/lost/texts.ts'
import { useTexts } from '../../parts/context.ts'
import { EmergencyCalls } from '../../parts/emergency.tsx'
import { OfflineKept } from '../../parts/offline-kept.tsx'
import { Foot, Shell } from '../../parts/shell.tsx'
import { ReportForm } from './form.tsx'
import { OwnReports } from './own-reports.tsx'
import type { Kind } from './reports.ts'

/** Somebody is missing, or was found: emergency calls first, then the report to the organisers. */
export function ReportPage({ kind }: { kind: Kind }) {
  const { language, texts } = useTexts()
  const lost = useLostTexts()
  const [isSent, setSent] = useState(false)
  return (
    <Shell page={kind}>
      <h1>{kind === 'lost' ? texts.lostTitle : texts.foundTitle}</h1>
      <EmergencyCalls />
      <p>{kind === 'lost' ? texts.lostBody : texts.foundBody}</p>
      <OfflineKept />
      {isSent ? (
        <section class="banner banner-done" role="status">
          <h2>{lost.sentTitle}</h2>
          <p>{lost.sentBody}</p>
          <button type="button" class="button" onClick={() => setSent(false)}>
            {lost.another}
          </button>
        </section>
      ) : (
        <ReportForm kind={kind} onSent={() => setSent(true)} />
      )}
      <OwnReports renew={isSent} />
      <p>
        <a class="button" href={`/map?lang=${language}`}>
          {texts.lostPlaces}
        </a>
      </p>
      <Foot />
    </Shell>
  )
}
