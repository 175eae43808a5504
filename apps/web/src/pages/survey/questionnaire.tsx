import type { Carbon } from '@palanquin/domain/carbon'
import { fill } from '@palanquin/domain/fill-text'
import type { Question } from '@palanquin/domain/survey'
import { useEffect, useRef, useState } from 'preact/hooks'
import { send } from '../../api/send.ts'
import { keepDraft, readDraft } from '../../drafts.ts'
import { useTexts } from '../../parts/context.ts'
import { NotSent } from '../../parts/outcome.tsx'
import { useSending } from '../../parts/sending.ts'
import type { Person } from '../../session/session.ts'
import { type Answer, type Answers, isAnswered } from './answers.ts'
import { QuestionField } from './question.tsx'

const DRAFT = 'survey'
type Draft = { answers: Answers; at: number }

/** One question a screen; the answers are kept on this phone until they have arrived. */
export function Questionnaire({
  person: { userId },
  questions,
}: {
  person: Person
  questions: readonly Question[]
}) {
  const { texts } = useTexts()
  const [draft, setDraft] = useState<Draft>({ answers: {}, at: 0 })
  const [started, setStarted] = useState(false)
  const [missing, setMissing] = useState(false)
  useEffect(() => {
    void readDraft<Draft>(DRAFT).then((kept) => kept && setDraft(kept))
  }, [])
  const keep = (next: Draft) => {
    setDraft(next)
    setMissing(false)
    void keepDraft(DRAFT, next)
  }
  const { outcome, sending, submit, forget } = useSending<{ carbon: Carbon }>(async () => {
    const sent = await send<{ carbon: Carbon }>('/survey', { userId, answers: draft.answers })
    if (sent.ok) await keepDraft(DRAFT, undefined)
    return sent
  })
  const question = started ? questions[draft.at] : undefined
  // A long question is left at its end: the next one comes into view from its beginning.
  const number = useRef<HTMLParagraphElement>(null)
  useEffect(() => number.current?.focus(), [question?.id])
  if (outcome?.ok) {
    const again = () => {
      setDraft({ ...draft, at: 0 })
      forget()
    }
    return <Done carbon={outcome.data.carbon} again={again} />
  }
  if (question === undefined)
    return (
      <section>
        <p>{fill(texts.surveyIntro, { n: questions.length })}</p>
        <button type="button" class="button button-main" onClick={() => setStarted(true)}>
          {Object.keys(draft.answers).length > 0 ? texts.surveyContinue : texts.surveyStart}
        </button>
      </section>
    )
  const isLast = draft.at + 1 >= questions.length
  const next = () => {
    if (question.required && !isAnswered(draft.answers[question.id])) return setMissing(true)
    if (isLast) void submit()
    else keep({ ...draft, at: draft.at + 1 })
  }
  const place = fill(texts.surveyQuestion, { n: draft.at + 1, total: questions.length })
  return (
    <form
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        next()
      }}
    >
      <p ref={number} class="small" tabIndex={-1}>
        {place}
      </p>
      <progress value={draft.at + 1} max={questions.length} aria-label={place} />
      <QuestionField
        key={question.id}
        question={question}
        answer={draft.answers[question.id]}
        onAnswer={(answer: Answer | undefined) =>
          keep({ ...draft, answers: withAnswer(draft.answers, question.id, answer) })
        }
      />
      {missing && (
        <p class="banner banner-trouble" role="alert">
          {texts.surveyRequiredMissing}
        </p>
      )}
      <NotSent outcome={outcome} />
      <div class="steps">
        {draft.at > 0 && (
          <button type="button" class="button" onClick={() => keep({ ...draft, at: draft.at - 1 })}>
            {texts.surveyBack}
          </button>
        )}
        <button type="submit" class="button button-main" disabled={sending}>
          {sending ? texts.sending : isLast ? texts.surveySend : texts.surveyNext}
        </button>
      </div>
    </form>
  )
}

function withAnswer(answers: Answers, id: string, answer: Answer | undefined): Answers {
  const { [id]: _, ...others } = answers
  return answer === undefined ? others : { ...others, [id]: answer }
}

/** The survey has arrived: the carbon of this person, and the way to change the answers. */
function Done({ carbon: { totalKg, avoidedKg }, again }: { carbon: Carbon; again: () => void }) {
  const { language, texts } = useTexts()
  const kg = (value: number) => new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(value)
  return (
    <section class="banner banner-done" role="status">
      <h2>{texts.surveyThanks}</h2>
      <h3>{texts.surveyCarbon}</h3>
      <p class="figure">{fill(texts.carbonEmitted, { kg: kg(totalKg) })}</p>
      {avoidedKg > 0 && <p>{fill(texts.carbonSaved, { kg: kg(avoidedKg) })}</p>}
      <a class="button" href={`/me?lang=${language}`}>
        {texts.myWalk}
      </a>
      <button type="button" class="button" onClick={again}>
        {texts.surveyAgain}
      </button>
    </section>
  )
}
