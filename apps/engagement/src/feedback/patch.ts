import { FeedbackAnswerBody, FeedbackRewordBody, isFeedbackId } from '@palanquin/domain/feedback'
import { ApiError } from '@palanquin/service/http/api-error'
import { callerOf } from '@palanquin/service/http/headers'
import { body, type StandardSchema } from '@palanquin/service/http/standard-schema'
import Type from 'typebox'
import { EDIT_TOKEN_HEADER } from '../edit-token.ts'
import { administratorOf } from '../roles/caller.ts'
import { answerFeedback, noSuchFeedback, rewordFeedback } from './change.ts'
import type { FeedbackStore } from './store.ts'
import { type PublicFeedback, publicView, type StaffFeedback, staffView } from './view.ts'

const answers = body(FeedbackAnswerBody)['~standard']
const rewordings = body(FeedbackRewordBody)['~standard']

const described = body(
  Type.Object({
    ...FeedbackAnswerBody.properties,
    message: Type.Optional(FeedbackRewordBody.properties.message),
  }),
)['~standard']

/** Documented but not validated here: the fields depend on the caller, and 401 comes before 400. */
export const patches: StandardSchema<unknown> = {
  '~standard': {
    version: 1,
    vendor: 'typebox',
    validate: (value) => ({ value }),
    jsonSchema: described.jsonSchema,
  },
}

type Patch = { id: string; input: unknown; headers: Headers }

/** Managers answer, the author rewords; an admin token counts before an edit token. */
export async function patchFeedback(
  store: FeedbackStore,
  { id, input, headers }: Patch,
): Promise<StaffFeedback | PublicFeedback | ApiError> {
  const token = headers.get(EDIT_TOKEN_HEADER)
  const by = callerOf(headers).tier === 0 && token ? 'author' : administratorOf(headers, 'manager')
  if (by instanceof ApiError) return by
  if (!isFeedbackId(id)) return noSuchFeedback()
  if (by === 'author') {
    const readMessage = () => rewordings.validate(input).value.message
    const outcome = await rewordFeedback(store, id, { token: token ?? '', readMessage })
    return outcome instanceof ApiError ? outcome : publicView(outcome)
  }
  const outcome = await answerFeedback(store, id, { ...answers.validate(input).value, by: by.by })
  return outcome instanceof ApiError ? outcome : staffView(outcome)
}
