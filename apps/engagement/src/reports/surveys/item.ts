import { Carbon } from '@palanquin/domain/carbon'
import { UserId } from '@palanquin/domain/ids'
import type { Language } from '@palanquin/domain/language'
import { Nullable } from '@palanquin/domain/optional'
import { QUESTIONS, Survey } from '@palanquin/domain/survey'
import { Iso, toIso } from '@palanquin/domain/time'
import type { Cell, Column } from '@palanquin/service/http/csv'
import Type, { type Static } from 'typebox'
import { USER_ID } from '../../participants/examples.ts'
import type { ParticipantRecord } from '../../participants/record.ts'
import { SUBMITTED } from '../../survey/examples.ts'
import { answerColumns, carbonColumns, timeCells } from '../participants/columns.ts'

/** A participant's current answers, for organisers. */
export const SurveyItem = Type.Object({
  userId: UserId,
  displayName: Nullable(Type.String(), 'their name; null where none was given'),
  phone: Nullable(Type.String(), 'the whole number in E.164; null where none is stored'),
  answers: Nullable(Survey, 'the answers as stored; null if another version of the service stored them'),
  carbon: Carbon,
  submittedAt: Nullable(Iso, 'when these answers were sent'),
  firstSubmittedAt: Nullable(Iso, 'when the first answers were sent'),
})
export type SurveyItem = Static<typeof SurveyItem>

export const SURVEY_ITEM = {
  userId: USER_ID,
  displayName: '林媽媽',
  phone: '+886912345678',
  answers: {
    q1: ['helped-walkers', '幫忙推嬰兒車'],
    q2: ['hospitality'],
    q3: { hsr: 330, bus: 12.5 },
    q4: ['own-cup', 'refilled'],
    q5: 2,
    q6: 'vegetarian',
    q7: 3,
    q8: 4,
    q9: 0,
    q10: '明年再來',
  },
  carbon: SUBMITTED.carbon,
  submittedAt: '2026-05-03T09:12:44.120Z',
  firstSubmittedAt: '2026-05-02T20:01:03.500Z',
}

const isoOf = (ms: number | null): string | null => (ms === null ? null : toIso(ms))

export const surveyItem = ({ profile, staffFields, snapshot }: ParticipantRecord): SurveyItem => ({
  userId: profile.userId,
  displayName: profile.displayName,
  phone: staffFields.phone,
  answers: snapshot.participant?.survey ?? null,
  carbon: profile.carbon,
  submittedAt: isoOf(staffFields.surveyAtMs),
  firstSubmittedAt: isoOf(staffFields.surveyFirstAtMs),
})

/** Several choices in one cell; kilometres as `hsr 330 km; bus 12.5 km`. */
function answerCell(answer: Survey[keyof Survey] | undefined): Cell {
  if (answer === undefined || answer === null || typeof answer !== 'object') return answer
  if (Array.isArray(answer)) return answer.join('; ')
  return Object.entries(answer)
    .map(([mode, km]) => `${mode} ${km} km`)
    .join('; ')
}

/** An item and the language in which its questions were asked. */
export type SurveyRow = { item: SurveyItem; language: Language | null }

/** The list as a table: a column for each answer as stored, then one in words; times in the event's zone. */
export function surveyColumns(timeZone: string): readonly Column<SurveyRow>[] {
  const inZone = timeCells(timeZone)
  return [
    { name: 'userId', value: ({ item: { userId } }) => userId },
    { name: 'displayName', value: ({ item: { displayName } }) => displayName },
    { name: 'phone', value: ({ item: { phone } }) => phone },
    { name: 'firstSubmittedAt', value: ({ item: { firstSubmittedAt } }) => inZone(firstSubmittedAt) },
    { name: 'submittedAt', value: ({ item: { submittedAt } }) => inZone(submittedAt) },
    ...QUESTIONS.map(({ id }) => ({
      name: id,
      value: ({ item: { answers } }: SurveyRow) => answerCell(new Map(Object.entries(answers ?? {})).get(id)),
    })),
    ...carbonColumns<SurveyRow>(({ item: { carbon } }) => carbon),
    ...answerColumns<SurveyRow>(
      ({ item: { answers: survey }, language }) => ({ survey, language }),
      'InWords',
    ),
  ]
}
