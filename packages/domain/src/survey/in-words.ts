/** A stored survey in the words that people saw, for exports that a person reads. */
import type { Survey } from '../survey'
import { QUESTION, type Question } from './questions'

type Words = { readonly zh: string; readonly en: string }

/** The question and what was answered, as it was shown. */
export type AnswerInWords = {
  readonly id: string
  readonly question: Words
  /** One for each choice or mode of transport. */
  readonly answer: readonly Words[]
}

/** The answers in the order of the questions; a question without an answer has none. */
export function surveyInWords(survey: Survey): AnswerInWords[] {
  const answerTo = (question: Question, answer: readonly Words[]): AnswerInWords => ({
    id: question.id,
    question: { zh: question.textZh, en: question.textEn },
    answer,
  })
  const number = (value: number): Words[] => [same(String(value))]
  return [
    answerTo(QUESTION.q1, survey.q1.map(choiceOf(QUESTION.q1))),
    answerTo(QUESTION.q2, survey.q2.map(choiceOf(QUESTION.q2))),
    answerTo(QUESTION.q3, Object.entries(survey.q3).map(journeyOf)),
    answerTo(QUESTION.q4, survey.q4.map(choiceOf(QUESTION.q4))),
    answerTo(QUESTION.q5, number(survey.q5)),
    answerTo(QUESTION.q6, [survey.q6].map(choiceOf(QUESTION.q6))),
    answerTo(QUESTION.q7, number(survey.q7)),
    answerTo(QUESTION.q8, number(survey.q8)),
    answerTo(QUESTION.q9, number(survey.q9)),
    answerTo(QUESTION.q10, survey.q10 === null ? [] : [same(survey.q10)]),
  ]
}

const same = (text: string): Words => ({ zh: text, en: text })

const choiceOf =
  ({ choices = [] }: Question) =>
  (value: string): Words => {
    const known = choices.find((choice) => choice.value === value)
    return known ? { zh: known.textZh, en: known.textEn } : same(value)
  }

const journeyOf = ([mode, km]: [string, number]): Words => {
  const { zh, en } = choiceOf(QUESTION.q3)(mode)
  return { zh: `${zh} ${km} 公里`, en: `${en} ${km} km` }
}
