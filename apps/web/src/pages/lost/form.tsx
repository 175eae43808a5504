import { useEffect, useRef, useState } from 'preact/hooks'
import { newEditToken } from '../../api/edit-token.ts'
import { keepDraft, readDraft } from '../../drafts.ts'
import { type LostTexts, useLostTexts } from '../../i18n/lost/texts.ts'
import { useTexts } from '../../parts/context.ts'
import { FormEnd } from '../../parts/form-end.tsx'
import { PictureField } from '../../parts/picture-field.tsx'
import { useSending } from '../../parts/sending.ts'
import { PlaceField } from './place.tsx'
import { type Draft, type Kind, type Notified, sendReport, type Uploaded } from './reports.ts'

const ABOUT_CHARACTERS_MAX = 1000
/** What a phone's camera makes at most; it is made smaller before it is sent. */
const PHOTO_BYTES_MAX = 30 * 1_048_576

const newDraft = (part: Partial<Draft> = {}): Draft => ({
  about: '',
  phone: '',
  place: null,
  ...part,
  editToken: newEditToken(),
})

/** What is missing or wrong, in the reader's words; null where it can be sent. */
function problemOf({ about, phone }: Draft, photo: File | null, lost: LostTexts, tooLarge: string) {
  if (about.trim() === '') return lost.aboutMissing
  if ([...about.trim()].length > ABOUT_CHARACTERS_MAX) return lost.aboutTooLong
  if (phone.trim() === '') return lost.phoneMissing
  return photo !== null && photo.size > PHOTO_BYTES_MAX ? tooLarge : null
}

/** The report of somebody who is missing, or was found. Kept on this phone until it has arrived. */
export function ReportForm({ kind, onSent }: { kind: Kind; onSent: (notified: Notified) => void }) {
  const { texts } = useTexts()
  const lost = useLostTexts()
  const name = `report-${kind}`
  const [draft, setDraft] = useState(newDraft)
  const [photo, setPhoto] = useState<File | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [attempts, setAttempts] = useState(0)
  const uploaded = useRef<Uploaded | null>(null)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [attempts])
  useEffect(() => {
    void readDraft<Draft>(name).then((kept) => kept && setDraft({ ...newDraft(), ...kept }))
  }, [])
  const change = (part: Partial<Draft>) => {
    const next = newDraft({ ...draft, ...part })
    setDraft(next)
    setProblem(null)
    void keepDraft(name, next)
  }
  const sending = useSending(async () => {
    const onUploaded = (one: Uploaded) => {
      uploaded.current = one
    }
    const trimmed = { ...draft, about: draft.about.trim(), phone: draft.phone.trim() }
    const sent = await sendReport(kind, trimmed, { file: photo, uploaded: uploaded.current, onUploaded })
    if (sent.ok) {
      await keepDraft(name, undefined)
      onSent(sent.data.notified)
    } else if (sent.kind === 'refused' && sent.of === 'photo') setProblem(texts.pictureInvalid)
    else if (sent.of === 'phone') setProblem(lost.phoneInvalid)
    return sent
  })
  const submit = async (event: Event) => {
    event.preventDefault()
    const found = problemOf(draft, photo, lost, texts.pictureTooLarge)
    setProblem(found)
    if (found === null) await sending.submit()
    setAttempts((count) => count + 1)
  }
  return (
    <form ref={form} class="form" onSubmit={(event) => void submit(event)} noValidate>
      <h2>{lost.reportTitle}</h2>
      <p>{lost.reportIntro}</p>
      <label class="field">
        <span class="field-name">{kind === 'lost' ? lost.aboutLost : lost.aboutFound}</span>
        <textarea
          rows={5}
          value={draft.about}
          aria-describedby="about-hint"
          aria-invalid={problem === lost.aboutMissing || problem === lost.aboutTooLong}
          onInput={({ currentTarget }) => change({ about: currentTarget.value })}
        />
        <span id="about-hint" class="small">
          {kind === 'lost' ? lost.aboutLostHint : lost.aboutFoundHint}
        </span>
      </label>
      <label class="field">
        <span class="field-name">{lost.phone}</span>
        <input
          type="tel"
          autoComplete="tel"
          maxLength={40}
          value={draft.phone}
          aria-describedby="phone-hint"
          aria-invalid={problem === lost.phoneMissing || problem === lost.phoneInvalid}
          onInput={({ currentTarget }) => change({ phone: currentTarget.value })}
        />
        <span id="phone-hint" class="small">
          {lost.phoneHint}
        </span>
      </label>
      <PlaceField kind={kind} place={draft.place} onChange={(place) => change({ place })} />
      <PictureField
        id="photo-hint"
        name={lost.photo}
        hint={lost.photoHint}
        onChange={(picture) => {
          setPhoto(picture)
          change({})
        }}
      />
      <FormEnd problem={problem} sending={sending} send={lost.send} />
    </form>
  )
}
