import type { Carbon } from '@palanquin/domain/carbon'
import { fill } from '@palanquin/domain/fill-text'
import type { Question } from '@palanquin/domain/survey'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useResource } from '../../api/resource.ts'
import { send } from '../../api/send.ts'
import type { Activity } from '../../api/types.ts'
import { TroubleBanner } from '../../parts/banners.tsx'
import { useTexts } from '../../parts/context.ts'
import { NotSent } from '../../parts/outcome.tsx'
import { useSending } from '../../parts/sending.ts'
import { Foot, Shell } from '../../parts/shell.tsx'
import { ensurePerson } from '../../session/session.ts'
import { keepDraft, readDraft } from '../../store.ts'
import { type Answer, type Answers, isAnswered } from './answers.ts'
import { QuestionField } from './question.tsx'

const DRAFT = 'survey'
const SLOW_EVERY_MS = 300_000
type Draft = { answers: Answers; at: number }
type Result = { carbon: Carbon }

export function SurveyPage() {
  const { texts } = useTexts()
  const survey = useResource<{ questions: Question[] }>('/survey', SLOW_EVERY_MS)
  const activity = useResource<Activity>('/activity', SLOW_EVERY_MS)
  const [draft, setDraft] = useState<Draft>({ answers: {}, at: 0 })
  const [started, setStarted] = useState(false)
  const [missing, setMissing] = useState(false)
  useEffect(() => {
    void readDraft<Draft>(DRAFT).then((kept) => kept && setDraft(kept))
  }, [])

  const questions = survey.data?.questions ?? []
  const keep = (next: Draft) => {
    setDraft(next)
    setMissing(false)
    void keepDraft(DRAFT, next)
  }
  const { outcome, sending, submit, forget } = useSending<Result>(async () => {
    const person = await ensurePerson()
    if (!person.ok) return person
    const { userId } = person.data
    const sent = await send<Result>('/survey', { userId, answers: draft.answers })
    if (sent.ok) await keepDraft(DRAFT, undefined)
    return sent
  })
  const again = () => {
    setDraft({ ...draft, at: 0 })
    forget()
  }
  const question = started ? questions[draft.at] : undefined
  // A long question is left at its end: the next one comes into view from its beginning.
  const number = useRef<HTMLParagraphElement>(null)
  useEffect(() => number.current?.focus(), [question?.id])
  const next = () => {
    if (question?.required && !isAnswered(draft.answers[question.id])) return setMissing(true)
    if (draft.at + 1 < questions.length) keep({ ...draft, at: draft.at + 1 })
    else void submit()
  }

  return (
    <Shell page="survey">
      <h1>{texts.surveyTitle}</h1>
      <TroubleBanner
        trouble={survey.trouble}
        atMs={survey.atMs}
        retry={survey.retry}
        kept={texts.offlineKept}
      />
      {activity.data?.features.survey === false ? (
        <p class="banner banner-ended">{texts.surveyEnded}</p>
      ) : outcome?.ok ? (
        <Done result={outcome.data} again={again} />
      ) : questions.length === 0 ? null : question === undefined ? (
        <section>
          <p>{fill(texts.surveyIntro, { n: questions.length })}</p>
          <button type="button" class="button button-main" onClick={() => setStarted(true)}>
            {Object.keys(draft.answers).length > 0 ? texts.surveyContinue : texts.surveyStart}
          </button>
        </section>
      ) : (
        <form
          class="form"
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            next()
          }}
        >
          <p ref={number} class="small" tabIndex={-1}>
            {fill(texts.surveyQuestion, { n: draft.at + 1, total: questions.length })}
          </p>
          <progress
            value={draft.at + 1}
            max={questions.length}
            aria-label={fill(texts.surveyQuestion, { n: draft.at + 1, total: questions.length })}
          />
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
              {sending
                ? texts.sending
                : draft.at + 1 < questions.length
                  ? texts.surveyNext
                  : texts.surveySend}
            </button>
          </div>
        </form>
      )}
      <Foot />
    </Shell>
  )
}

function withAnswer(answers: Answers, id: string, answer: Answer | undefined): Answers {
  const { [id]: _, ...others } = answers
  return answer === undefined ? others : { ...others, [id]: answer }
}

function Done({ result, again }: { result: Result; again: () => void }) {
  const { language, texts } = useTexts()
  const kg = (value: number) => new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(value)
  const { totalKg, avoidedKg } = result.carbon
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
