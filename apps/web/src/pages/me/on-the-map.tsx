import { fill } from '@palanquin/domain/fill-text'
import type { OwnProfile } from '@palanquin/domain/participant'
import { useState } from 'preact/hooks'
import { send } from '../../api/send.ts'
import { useMeTexts } from '../../i18n/me/texts.ts'
import { useTexts } from '../../parts/context.ts'
import { NotSent } from '../../parts/outcome.tsx'
import { useSending } from '../../parts/sending.ts'
import { type Shown, VisibilityField, visibilityInWords } from './visibility.tsx'

/** What the public map shows of me: changed, or taken back. */
export function OnTheMap({
  profile,
  consentVersion,
  changed,
}: {
  profile: OwnProfile
  consentVersion: string
  changed: () => void
}) {
  const { me } = useMeTexts()
  const { language } = useTexts()
  const { userId, privacyConsent, visibility } = profile
  /** What was changed in the form; until then it shows what holds. */
  const [edited, setEdited] = useState<Shown | null>(null)
  const shown = edited ?? { visibility: visibility ?? 'crowd', name: profile.displayName ?? '' }
  const [nameMissing, setNameMissing] = useState(false)
  const [done, setDone] = useState<'saved' | 'gone' | null>(null)
  const saving = useSending(async () => {
    if (shown.visibility === 'named') {
      const named = await send('/user/sync', { userId, displayName: shown.name.trim() })
      if (!named.ok) return named
    }
    const sent = await send('/privacy', {
      userId,
      consent: true,
      version: consentVersion,
      visibility: shown.visibility,
    })
    if (sent.ok) {
      setDone('saved')
      changed()
    }
    return sent
  })
  const takingBack = useSending(async () => {
    const sent = await send('/privacy', { userId, consent: false, version: consentVersion })
    if (sent.ok) {
      setDone('gone')
      changed()
    }
    return sent
  })
  const save = (event: Event) => {
    event.preventDefault()
    const isMissing = shown.visibility === 'named' && shown.name.trim() === ''
    setNameMissing(isMissing)
    setDone(null)
    if (!isMissing) void saving.submit()
  }
  return (
    <>
      <p>
        {!privacyConsent
          ? me.visibilityNone
          : visibility === null || visibility === undefined
            ? me.visibilityShown
            : fill(me.visibilityNow, { what: visibilityInWords(me, visibility) })}
      </p>
      <p role="status">{done === 'saved' ? me.saved : done === 'gone' ? me.consentGone : ''}</p>
      <details class="fold">
        <summary>{me.visibilityChange}</summary>
        <form class="form" noValidate onSubmit={save}>
          <VisibilityField shown={shown} onChange={setEdited} nameMissing={nameMissing} />
          <a class="text-link" href={`/privacy?lang=${language}`}>
            {fill(me.notice, { version: consentVersion })}
          </a>
          <NotSent outcome={saving.outcome} />
          <button type="submit" class="button" disabled={saving.sending}>
            {me.save}
          </button>
        </form>
      </details>
      {privacyConsent && (
        <>
          <button
            type="button"
            class="button"
            aria-describedby="consent-hint"
            disabled={takingBack.sending}
            onClick={() => void takingBack.submit()}
          >
            {me.consentWithdraw}
          </button>
          <p id="consent-hint" class="small">
            {me.consentWithdrawHint}
          </p>
        </>
      )}
      <NotSent outcome={takingBack.outcome} />
    </>
  )
}
