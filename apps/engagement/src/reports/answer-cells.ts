import { DEFAULT_LANGUAGE, inLanguage, type Language } from '@palanquin/domain/language'
import { QUESTIONS, type Survey } from '@palanquin/domain/survey'
import { type AnswerInWords, surveyInWords } from '@palanquin/domain/survey/in-words'
import type { Column } from '@palanquin/service/http/csv'

/** Answers, and the language in which the questions were asked. */
export type Answered = { survey: Survey | null; language: Language | null }

/**
 * A column for each question, with the answer in the words that the participant saw; several choices in one cell. The names
 * are `q1` and so on with `suffix`.
 */
export function answerColumns<Row>(answeredBy: (row: Row) => Answered, suffix = ''): readonly Column<Row>[] {
  // The cells of a row are made one after another.
  let last: { survey: Survey; words: AnswerInWords[] } | null = null
  const wordsOf = (survey: Survey): AnswerInWords[] => {
    if (last?.survey !== survey) last = { survey, words: surveyInWords(survey) }
    return last.words
  }
  return QUESTIONS.map(({ id }) => ({
    name: id + suffix,
    value: (row) => {
      const { survey, language } = answeredBy(row)
      const found = survey && wordsOf(survey).find((one) => one.id === id)
      return found?.answer
        .map(({ zh, en }) => inLanguage(language ?? DEFAULT_LANGUAGE, { zh, en }))
        .join('; ')
    },
  }))
}
