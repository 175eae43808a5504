import type { Carbon } from '@palanquin/domain/carbon'
import { DEFAULT_LANGUAGE, inLanguage, type Language } from '@palanquin/domain/language'
import { QUESTIONS, type Survey } from '@palanquin/domain/survey'
import { type AnswerInWords, surveyInWords } from '@palanquin/domain/survey/in-words'
import { isoInZone } from '@palanquin/domain/time'
import type { Cell, Column } from '@palanquin/service/http/csv'
import type { ParticipantItem, ParticipantRow } from './item.ts'

const FIGURES = [
  ...(['travelKg', 'trackedKg', 'waterKg', 'recycleKg'] as const),
  ...(['hotelKg', 'totalKg', 'avoidedKg'] as const),
] as const

/** A column for each figure of a footprint, in kg of CO2e. */
export const carbonColumns = <Row>(
  carbonOf: (row: Row) => Pick<Carbon, (typeof FIGURES)[number]>,
): readonly Column<Row>[] => FIGURES.map((name) => ({ name, value: (row) => carbonOf(row)[name] }))

/** Writes times (ISO 8601) with the offset of a zone; an empty cell where there is none. */
export function timeCells(timeZone: string): (iso: string | null | undefined) => string | null {
  const format = isoInZone(timeZone)
  return (iso) => (iso ? format(Date.parse(iso)) : null)
}

type CellName = {
  [K in keyof ParticipantItem]-?: ParticipantItem[K] extends Cell ? K : never
}[keyof ParticipantItem]

const fields = (...names: readonly CellName[]): Column<ParticipantRow>[] =>
  names.map((name) => ({ name, value: ({ item }) => item[name] }))

/** The list as a table, times in the event's zone, and the survey in words. */
export function participantColumns(timeZone: string): readonly Column<ParticipantRow>[] {
  const inZone = timeCells(timeZone)
  return [
    ...fields('userId', 'displayName', 'phone', 'status', 'role', 'language', 'privacyConsent'),
    ...fields('surveyCompleted', 'distanceKm', 'walkedKm', 'motorizedKm', 'checkins', 'photos'),
    { name: 'level', value: ({ item: { level } }) => level?.level },
    { name: 'levelNameZh', value: ({ item: { level } }) => level?.nameZh },
    { name: 'levelNameEn', value: ({ item: { level } }) => level?.nameEn },
    ...carbonColumns<ParticipantRow>(({ item: { carbon } }) => carbon),
    { name: 'achievementUnlocked', value: ({ item: { achievement } }) => achievement.unlocked },
    { name: 'achievementMissing', value: ({ item: { achievement } }) => achievement.missing.join(' ') },
    { name: 'lastSeenAt', value: ({ item: { lastSeenAt } }) => inZone(lastSeenAt) },
    { name: 'createdAt', value: ({ item: { createdAt } }) => inZone(createdAt) },
    { name: 'lastLat', value: ({ item: { lastPosition } }) => lastPosition?.lat },
    { name: 'lastLng', value: ({ item: { lastPosition } }) => lastPosition?.lng },
    { name: 'lastRecordedAt', value: ({ item: { lastPosition } }) => inZone(lastPosition?.recordedAt) },
    ...fields('battery'),
    { name: 'carriesId', value: ({ item: { carries } }) => carries?.id },
    { name: 'carriesNameZh', value: ({ item: { carries } }) => carries?.name.zh },
    { name: 'carriesNameEn', value: ({ item: { carries } }) => carries?.name.en },
    ...fields('pictureUrl'),
    ...answerColumns<ParticipantRow>(({ item: { language }, survey }) => ({ survey, language })),
  ]
}

/** Answers, and the language in which the questions were asked. */
type Answered = { survey: Survey | null; language: Language | null }

/** A column for each question (`q1` and so on with `suffix`), with the answer in the participant's words. */
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
