import { fill } from '@palanquin/domain/fill-text'
import { inLanguage } from '@palanquin/domain/language'
import { useResource } from '../../api/resource.ts'
import type { Consent } from '../../api/types.ts'
import { TroubleBanner } from '../../parts/banners.tsx'
import { useTexts } from '../../parts/context.ts'
import { Foot, Shell } from '../../parts/shell.tsx'

const EVERY_MS = 300_000

export function PrivacyPage() {
  const { language, texts } = useTexts()
  const consent = useResource<Consent>('/consent', EVERY_MS)
  const notice = consent.data === null ? '' : inLanguage(language, consent.data)
  return (
    <Shell page="privacy">
      <h1>{texts.privacyTitle}</h1>
      <TroubleBanner trouble={consent.trouble} atMs={consent.atMs} retry={consent.retry} />
      {consent.data !== null && (
        <section>
          <p class="small">{fill(texts.privacyVersion, { version: consent.data.version })}</p>
          {notice === '' ? (
            <p>{texts.privacyEmpty}</p>
          ) : (
            notice.split(/\n{2,}/).map((paragraph) => <p key={paragraph}>{paragraph}</p>)
          )}
        </section>
      )}
      <section>
        <h2>{texts.privacyMapTitle}</h2>
        <ul>
          {texts.privacyMap.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      </section>
      <section>
        <h2>{texts.privacyRightsTitle}</h2>
        <ul>
          {texts.privacyRights.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      </section>
      <Foot />
    </Shell>
  )
}
