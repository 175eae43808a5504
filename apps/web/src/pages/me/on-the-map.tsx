import { fill } from '@palanquin/domain/fill-text'
import type { Profile, Visibility } from '@palanquin/domain/participant'
import { useEffect, useState } from 'preact/hooks'
import { send } from '../../api/send.ts'
import { useMeTexts } from '../../i18n/me/texts.ts'
import { useTexts } from '../../parts/context.ts'
import { NotSent } from '../../parts/outcome.tsx'
import { useSending } from '../../parts/sending.ts'
import { keepVisibility, keptVisibility } from './joining.ts'
import { type Shown, VisibilityField, visibilityInWords } from './visibility.tsx'

/** What the public map shows of me: changed, or taken back. */
export function OnTheMap({
  profile,
  consentVersion,
  changed,
}: {
  profile: Profile
  consentVersion: string
  changed: () => void
}) {
  const { me } = useMeTexts()
  const { language } = useTexts()
  const { userId, privacyConsent } = profile
  const [chosen, setChosen] = useState<Visibility | null>(null)
  const [shown, setShown] = useState<Shown>({ visibility: 'crowd', name: profile.displayName ?? '' })
  useEffect(() => {
    void keptVisibility(userId).then((kept) => {
      if (kept === undefined) return
      setChosen(kept)
      setShown((before) => ({ ...before, visibility: kept }))
    })
  }, [userId])
  const [nameMissing, setNameMissing] = useState(false)
  const [done, setDone] = useState<'saved' | 'gone' | null>(null)
  const saving = useSending(async () => {
    if (shown.visibility === 'named') {
      const named = await send('/user/sync', { userId, displayName: shown.name.trim() })
      if (!named.ok) return named
    }
    const sent = await send('/privacy', {
      ...{ userId, consent: true, version: consentVersion, visibility: shown.visibility },
    })
    if (sent.ok) {
      await keepVisibility(userId, shown.visibility)
      setChosen(shown.visibility)
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
          : chosen === null
            ? me.visibilityShown
            : fill(me.visibilityNow, { what: visibilityInWords(me, chosen) })}
      </p>
      <p role="status">{done === 'saved' ? me.saved : done === 'gone' ? me.consentGone : ''}</p>
      <details class="fold">
        <summary>{me.visibilityChange}</summary>
        <form class="form" noValidate onSubmit={save}>
          <VisibilityField shown={shown} onChange={setShown} nameMissing={nameMissing} />
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
