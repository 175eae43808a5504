import { fill } from '@palanquin/domain/fill-text'
import type { OwnShare } from '@palanquin/domain/share'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useOwnResource } from '../../api/resource.ts'
import { send } from '../../api/send.ts'
import { counted } from '../../i18n/counted.ts'
import { dateInWords } from '../../i18n/format.ts'
import { useMeTexts } from '../../i18n/me/texts.ts'
import { Icon } from '../../parts/icon.tsx'
import { NotSent } from '../../parts/outcome.tsx'
import { useSending } from '../../parts/sending.ts'

/** Who looks at it may be a minute old. */
const EVERY_MS = 60_000
/** A day's march, a day, three days, the whole pilgrimage. */
const HOURS = [12, 24, 72, 216] as const
/** Without a link the answer has none. */
type Answer = OwnShare | { ok: true }

/** A link by which the family sees where I am, until it ends or is taken back. */
export function FamilyLink({ timezone }: { timezone: string }) {
  const { me } = useMeTexts()
  const { data, retry } = useOwnResource<Answer>('/share', EVERY_MS)
  const [hours, setHours] = useState<number>(HOURS[0])
  const { outcome, sending, submit } = useSending(async () => {
    const opened = await send<OwnShare>('/share', { hours })
    if (opened.ok) changed()
    return opened
  })
  const link = data !== null && 'url' in data ? data : null
  const section = useRef<HTMLElement>(null)
  const hasPressed = useRef(false)
  const changed = () => {
    hasPressed.current = true
    retry()
  }
  useEffect(() => {
    // What was pressed is gone, and with it the focus: it goes to what has come instead.
    if (hasPressed.current) section.current?.querySelector('button')?.focus()
    hasPressed.current = false
  }, [link === null])
  return (
    <section ref={section} class="family-link">
      <h2>{me.familyTitle}</h2>
      <p>{me.familyBody}</p>
      {link !== null ? (
        <OpenLink link={link} timezone={timezone} changed={changed} />
      ) : (
        <form
          class="form"
          onSubmit={(event) => {
            event.preventDefault()
            void submit()
          }}
        >
          <label class="field">
            <span class="field-name">{me.familyHow}</span>
            <select value={hours} onChange={({ currentTarget: { value } }) => setHours(Number(value))}>
              {HOURS.map((choice) => (
                <option key={choice} value={choice}>
                  {fill(me.familyHours, { n: choice })}
                </option>
              ))}
            </select>
          </label>
          <NotSent outcome={outcome} />
          <button type="submit" class="button" disabled={sending}>
            <Icon name="share" /> {me.familyMake}
          </button>
        </form>
      )}
    </section>
  )
}

function OpenLink({ link, timezone, changed }: { link: OwnShare; timezone: string; changed: () => void }) {
  const { language, me } = useMeTexts()
  const [shared, setShared] = useState(false)
  const ending = useSending(async () => {
    const ended = await send('/share', undefined, 'DELETE')
    if (ended.ok) changed()
    return ended
  })
  const url = new URL(link.url, location.origin).href
  const share = async () => {
    try {
      if (typeof navigator.share === 'function') await navigator.share({ title: me.familyTitle, url })
      else {
        await navigator.clipboard.writeText(url)
        setShared(true)
      }
    } catch (error) {
      // The dialogue was closed, or the page may not copy: the link stands above.
      if (!(error instanceof DOMException)) throw error
    }
  }
  return (
    <>
      <p class="family-url">{url}</p>
      <p>{fill(me.familyUntil, { time: dateInWords(Date.parse(link.expiresAt), { language, timezone }) })}</p>
      <p>{counted(link.readers, me.familyReaders)}</p>
      <div class="steps">
        <button type="button" class="button" onClick={() => void share()}>
          <Icon name="share" /> {shared ? me.familyCopied : me.familySend}
        </button>
        <button type="button" class="button" disabled={ending.sending} onClick={() => void ending.submit()}>
          {me.familyEnd}
        </button>
      </div>
      <NotSent outcome={ending.outcome} />
    </>
  )
}
