import { inLanguage } from '@palanquin/domain/language'
import type { Question } from '@palanquin/domain/survey'
import { useTexts } from '../../parts/context.ts'
import type { Answer } from './answers.ts'

type Props = {
  question: Question
  answer: Answer | undefined
  onAnswer: (answer: Answer | undefined) => void
}

/** One question, by its type. */
export function QuestionField(props: Props) {
  const { question } = props
  const { language, texts } = useTexts()
  const title = inLanguage(language, { zh: question.textZh, en: question.textEn })
  const hint = question.required ? texts.surveyRequired : texts.surveyOptional
  const legend = (
    <>
      {title} <span class="small">({hint})</span>
    </>
  )
  if (question.type === 'integer' || question.type === 'text')
    return (
      <div class="field">
        <label class="field-name" for={question.id}>
          {legend}
        </label>
        {question.type === 'integer' ? <NumberField {...props} /> : <TextField {...props} />}
      </div>
    )
  return (
    <fieldset>
      <legend>{legend}</legend>
      {question.type === 'transport' ? <TransportField {...props} /> : <ChoicesField {...props} />}
    </fieldset>
  )
}

function NumberField({ question, answer, onAnswer }: Props) {
  return (
    <input
      id={question.id}
      type="number"
      inputMode="numeric"
      min={question.min}
      max={question.max}
      step={1}
      value={typeof answer === 'number' ? answer : ''}
      onInput={({ currentTarget: { value } }) =>
        onAnswer(value === '' ? undefined : Math.trunc(Number(value)))
      }
    />
  )
}

function TextField({ question, answer, onAnswer }: Props) {
  return (
    <textarea
      id={question.id}
      rows={5}
      maxLength={question.max}
      value={typeof answer === 'string' ? answer : ''}
      onInput={({ currentTarget: { value } }) => onAnswer(value === '' ? undefined : value)}
    />
  )
}

function ChoicesField({ question, answer, onAnswer }: Props) {
  const { language, texts } = useTexts()
  const many = question.type === 'choices'
  const given = Array.isArray(answer) ? answer : typeof answer === 'string' ? [answer] : []
  const known = (question.choices ?? []).map(({ value }) => value)
  const own = given.find((value) => !known.includes(value)) ?? ''
  const put = (values: string[]) =>
    onAnswer(values.length === 0 ? undefined : many ? values : values[values.length - 1])
  return (
    <div class="choices">
      {(question.choices ?? []).map((choice) => (
        <label key={choice.value} class="choice">
          <input
            type={many ? 'checkbox' : 'radio'}
            name={question.id}
            checked={given.includes(choice.value)}
            onChange={({ currentTarget: { checked } }) =>
              put(
                checked
                  ? many
                    ? [...given, choice.value]
                    : [choice.value]
                  : given.filter((value) => value !== choice.value),
              )
            }
          />
          <span>{inLanguage(language, { zh: choice.textZh, en: choice.textEn })}</span>
        </label>
      ))}
      {question.ownWords && (
        <label class="field">
          <span>{texts.surveyOwnWords}</span>
          <input
            type="text"
            maxLength={question.charactersMax}
            value={own}
            onInput={({ currentTarget: { value } }) => {
              const others = many ? given.filter((one) => known.includes(one)) : []
              put(value === '' ? others : [...others, value])
            }}
          />
        </label>
      )}
    </div>
  )
}

function TransportField({ question, answer, onAnswer }: Props) {
  const { language, texts } = useTexts()
  const given = typeof answer === 'object' && !Array.isArray(answer) ? answer : {}
  const put = (mode: string, value: string) => {
    const { [mode]: _, ...others } = given
    const next = value === '' ? others : { ...others, [mode]: Number(value) }
    onAnswer(Object.keys(next).length === 0 ? undefined : next)
  }
  return (
    <div class="choices">
      {(question.choices ?? []).map((choice) => (
        <label key={choice.value} class="choice choice-km">
          <span>{inLanguage(language, { zh: choice.textZh, en: choice.textEn })}</span>
          <span class="km">
            <input
              type="number"
              inputMode="decimal"
              min={0}
              max={question.kmMax}
              value={given[choice.value] ?? ''}
              onInput={({ currentTarget: { value } }) => put(choice.value, value)}
            />{' '}
            {texts.surveyKm}
          </span>
        </label>
      ))}
    </div>
  )
}
