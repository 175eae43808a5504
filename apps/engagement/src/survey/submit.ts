import type { Achievement } from '@palanquin/domain/achievement'
import type { Carbon } from '@palanquin/domain/carbon'
import { type SubmitBody, verifySurvey } from '@palanquin/domain/survey'
import { ApiError } from '@palanquin/service/http/api-error'
import { announce, announceAccess, busy, type Participants } from '../participants/change.ts'
import { readPhone } from '../participants/phone-number.ts'
import { readProfile } from '../participants/read-profile.ts'
import type { Sender } from '../participants/store.ts'
import { type Submission, type Submitted, storeSubmission } from './store.ts'

/** A participant is created concurrently only once. */
const TRIES_MAX = 3

type SurveyAnswer = { userId: string; surveyCompleted: 1; carbon: Carbon; achievement: Achievement }

/** Stores answers, phone number and consent, all or nothing; idempotent. @throws StoreUnavailable */
export async function submitSurvey(
  participants: Participants,
  input: SubmitBody & Sender,
): Promise<SurveyAnswer | ApiError> {
  const submission = readSubmission(input)
  if (submission instanceof ApiError) return submission
  const submitted = await store(participants, submission)
  if (submitted === 'ended')
    return new ApiError('forbidden', 'The activity has ended; surveys are no longer taken.')
  if (submitted === 'overtaken') return busy()
  const { userId } = submission
  const unlocked = await participants.achievements.unlock([userId])
  const announceChange = submission.consent === undefined ? announce : announceAccess
  await announceChange(participants, userId, submitted === 'changed' || unlocked.length > 0)
  const profile = await readProfile(participants, userId)
  if (!profile) return busy() // erased concurrently
  return { userId, surveyCompleted: 1, carbon: profile.carbon, achievement: profile.achievement }
}

/** A null consent is ignored and a null phone number removes it, as at their endpoints. */
function readSubmission({
  userId,
  receipt,
  answers,
  phone,
  consent,
}: SubmitBody & Sender): Submission | ApiError {
  const verdict = verifySurvey(answers)
  if ('problem' in verdict) return new ApiError('invalid', verdict.problem)
  const read = phone === undefined ? {} : readPhone(phone)
  if (read instanceof ApiError) return read
  return {
    userId,
    receipt,
    answers: verdict.answers,
    ...read,
    ...(typeof consent === 'boolean' ? { consent } : {}),
  }
}

async function store({ db }: Participants, submission: Submission): Promise<Submitted> {
  let submitted: Submitted = 'overtaken'
  for (let tries = 0; submitted === 'overtaken' && tries < TRIES_MAX; tries++)
    submitted = await storeSubmission(db, submission)
  return submitted
}
