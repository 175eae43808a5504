import { useEffect, useState } from 'preact/hooks'
import { newEditToken } from '../../api/edit-token.ts'
import { nowMs } from '../../api/server-clock.ts'
import { keepDraft, readDraft } from '../../drafts.ts'
import { useTexts } from '../../parts/context.ts'
import { FormEnd } from '../../parts/form-end.tsx'
import { OfflineKept } from '../../parts/offline-kept.tsx'
import { PictureField } from '../../parts/picture-field.tsx'
import { useSending } from '../../parts/sending.ts'
import { Foot, Shell } from '../../parts/shell.tsx'
import { lastPerson } from '../../session/session.ts'
import { withStore } from '../../store.ts'
import { OwnFeedback } from './own-feedback.tsx'
import { type Received, sendFeedback } from './send-feedback.ts'

const DRAFT = 'feedback'
const CATEGORIES = ['bug', 'suggestion', 'praise', 'other'] as const
type Category = (typeof CATEGORIES)[number]
/** `editToken` is of these very words: sent again after a lost response they are stored once. */
type Draft = { category: Category; message: string; editToken: string }
const newDraft = (part: Partial<Draft> = {}): Draft => ({
  category: 'bug',
  message: '',
  ...part,
  editToken: newEditToken(),
})
/** Contract section 4. */
const MESSAGE_CHARACTERS_MAX = 2000
const PICTURE_BYTES_MAX = 10 * 1_048_576

export function FeedbackPage() {
  const { texts } = useTexts()
  const [draft, setDraft] = useState(newDraft)
  const [picture, setPicture] = useState<File | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [isSent, setSent] = useState(false)
  const [isSignedIn, setSignedIn] = useState(false)
  const [anonymous, setAnonymous] = useState(false)

  useEffect(() => {
    void lastPerson().then((person) => setSignedIn(person !== undefined))
    void readDraft<Draft>(DRAFT).then((kept) => kept && setDraft({ ...newDraft(), ...kept }))
  }, [])
  const change = (part: Partial<Draft>) => {
    const next = newDraft({ ...draft, ...part })
    setDraft(next)
    setProblem(null)
    void keepDraft(DRAFT, next)
  }

  const submit = async (event: Event) => {
    event.preventDefault()
    const message = draft.message.trim()
    if (message === '') return setProblem(texts.messageMissing)
    if ([...message].length > MESSAGE_CHARACTERS_MAX) return setProblem(texts.messageTooLong)
    if (picture !== null && picture.size > PICTURE_BYTES_MAX) return setProblem(texts.pictureTooLarge)
    await sending.submit()
  }
  const sending = useSending<Received>(async () => {
    const sent = await sendFeedback({ ...draft, message: draft.message.trim() }, { picture, anonymous })
    if (!sent.ok) {
      if (sent.kind === 'refused' && sent.of === 'picture') setProblem(texts.pictureInvalid)
      return sent
    }
    await keepOwn(sent.data, draft.category)
    await keepDraft(DRAFT, undefined)
    setDraft(newDraft())
    setPicture(null)
    setSent(true)
    return sent
  })

  const writeAnother = () => {
    sending.forget()
    setSent(false)
  }
  const names = {
    bug: texts.categoryBug,
    suggestion: texts.categorySuggestion,
    praise: texts.categoryPraise,
    other: texts.categoryOther,
  }
  return (
    <Shell page="feedback">
      <h1>{texts.feedbackTitle}</h1>
      <OfflineKept />
      {isSent ? (
        <section class="banner banner-done" role="status">
          <h2>{texts.feedbackThanks}</h2>
          <p>{texts.feedbackThanksBody}</p>
          <button type="button" class="button" onClick={() => writeAnother()}>
            {texts.feedbackAnother}
          </button>
        </section>
      ) : (
        <form class="form" onSubmit={(event) => void submit(event)} noValidate>
          <p>{texts.feedbackIntro}</p>
          <fieldset>
            <legend>{texts.feedbackCategory}</legend>
            <div class="choices">
              {CATEGORIES.map((category) => (
                <label key={category} class="choice">
                  <input
                    type="radio"
                    name="category"
                    value={category}
                    checked={draft.category === category}
                    onChange={() => change({ category })}
                  />
                  <span>{names[category]}</span>
                </label>
              ))}
            </div>
          </fieldset>
          <label class="field">
            <span class="field-name">{texts.feedbackMessage}</span>
            <textarea
              rows={6}
              value={draft.message}
              aria-describedby="message-hint"
              aria-invalid={problem !== null}
              onInput={(event) => change({ message: event.currentTarget.value })}
            />
            <span id="message-hint" class="small">
              {texts.feedbackMessageHint}
            </span>
          </label>
          <PictureField
            id="picture-hint"
            name={texts.feedbackPicture}
            hint={texts.feedbackPictureHint}
            onChange={setPicture}
          />
          {isSignedIn && (
            <div class="field">
              <label class="choice">
                <input
                  type="checkbox"
                  checked={anonymous}
                  aria-describedby="anonymous-hint"
                  onChange={({ currentTarget: { checked } }) => setAnonymous(checked)}
                />
                <span>{texts.feedbackAnonymous}</span>
              </label>
              <span id="anonymous-hint" class="small">
                {texts.feedbackAnonymousHint}
              </span>
            </div>
          )}
          <FormEnd problem={problem} sending={sending} send={texts.feedbackSend} />
        </form>
      )}
      <OwnFeedback renew={isSent} />
      <Foot />
    </Shell>
  )
}

/** Kept on this phone, so that its owner sees what becomes of it. */
async function keepOwn({ id, editToken }: Received, category: string): Promise<void> {
  try {
    await withStore((db) => db.put('feedback', { id, editToken, category, at: nowMs() }))
  } catch (error) {
    console.warn('This phone keeps no list of feedback', error)
  }
}
