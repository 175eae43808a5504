import { fill } from '@palanquin/domain/fill-text'
import { inLanguage } from '@palanquin/domain/language'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useResource } from '../../api/resource.ts'
import type { Activity, Consent } from '../../api/types.ts'
import { useMeTexts } from '../../i18n/me/texts.ts'
import { useTexts } from '../../parts/context.ts'
import { useSending } from '../../parts/sending.ts'
import { type Joined, join } from './joining.ts'
import { PhoneField, PhoneNotSent } from './phone-field.tsx'
import { type Shown, VisibilityField } from './visibility.tsx'

const CONSENT_EVERY_MS = 300_000

/** One screen: who asks, what for, how long, who sees it, and two equal buttons (web face, section 3). */
export function Join({
  activity,
  onJoined,
  onDeclined,
}: {
  activity: Activity | null
  onJoined: () => void
  onDeclined?: () => void
}) {
  const { language, texts } = useTexts()
  const { me } = useMeTexts()
  const consent = useResource<Consent>('/consent', CONSENT_EVERY_MS)
  const [shown, setShown] = useState<Shown>({ visibility: 'crowd', name: '' })
  const [phone, setPhone] = useState('')
  const [nameMissing, setNameMissing] = useState(false)
  const [tries, setTries] = useState(0)
  const form = useRef<HTMLFormElement>(null)
  const [declined, setDeclined] = useState(false)
  const version = consent.data?.version
  const { outcome, sending, submit, forget } = useSending<unknown>(async () => {
    if (version === undefined) return { ok: false, kind: 'busy', retryAtMs: null }
    const joined = await join({ ...shown, phone, version, language })
    if (joined.ok) onJoined()
    return joined
  })
  // The field that keeps somebody from joining may be out of view.
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [tries, outcome])
  if (declined) return <Declined onAgain={() => setDeclined(false)} />
  // Joined: this form stands until it is known who has come.
  const isBusy = sending || outcome?.ok === true
  const name = activity?.name && inLanguage(language, activity.name)
  const notice = consent.data === null ? '' : inLanguage(language, consent.data)
  const refused: Joined | null = outcome
  const phoneInvalid = refused !== null && !refused.ok && refused.of === 'phone'
  const agree = (event: Event) => {
    event.preventDefault()
    const isMissing = shown.visibility === 'named' && shown.name.trim() === ''
    setNameMissing(isMissing)
    setTries((before) => before + 1)
    if (!isMissing && version !== undefined) void submit()
  }
  return (
    <form ref={form} class="form join" noValidate onSubmit={agree}>
      <h2>{me.joinTitle}</h2>
      <dl class="facts">
        <dt>{me.joinWho}</dt>
        <dd>{name ? fill(me.joinWhoBody, { name }) : me.joinWhoUnnamed}</dd>
        <dt>{me.joinWhy}</dt>
        <dd>{me.joinWhyBody}</dd>
        <dt>{me.joinHowLong}</dt>
        <dd>{me.joinHowLongBody}</dd>
      </dl>
      <VisibilityField shown={shown} onChange={setShown} nameMissing={nameMissing} />
      <PhoneField
        phone={phone}
        isInvalid={phoneInvalid}
        onChange={(typed) => {
          setPhone(typed)
          forget()
        }}
      />
      {consent.data === null ? (
        <p class="small" role="status">
          {me.noticeLoading}
        </p>
      ) : (
        <details class="fold">
          <summary>{fill(me.notice, { version: consent.data.version })}</summary>
          {notice === '' ? (
            <p>{me.noticeEmpty}</p>
          ) : (
            notice.split(/\n{2,}/).map((paragraph) => <p key={paragraph}>{paragraph}</p>)
          )}
        </details>
      )}
      <PhoneNotSent isInvalid={phoneInvalid} outcome={outcome} />
      <div class="steps">
        <button
          type="button"
          class="button"
          disabled={isBusy}
          onClick={() => (onDeclined ? onDeclined() : setDeclined(true))}
        >
          {me.decline}
        </button>
        <button type="submit" class="button" disabled={isBusy || version === undefined}>
          {isBusy ? texts.sending : me.agree}
        </button>
      </div>
    </form>
  )
}

/** Nothing was made and nothing sent. */
function Declined({ onAgain }: { onAgain: () => void }) {
  const { language, texts } = useTexts()
  const { me } = useMeTexts()
  return (
    <section class="banner" role="status">
      <p>{me.declined}</p>
      <div class="steps">
        <button type="button" class="button" onClick={onAgain}>
          {me.askAgain}
        </button>
        <a class="button" href={`/map?lang=${language}`}>
          {texts.openMap}
        </a>
      </div>
    </section>
  )
}
