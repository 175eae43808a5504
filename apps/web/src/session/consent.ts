import { keepDraft, readDraft } from '../drafts.ts'
import type { Person } from './session.ts'

/** The draft that says who has answered the question for consent on this phone. */
const ANSWERED = 'consent-answered'

/** Whether this person has answered it here; the service may know of an answer elsewhere. */
export const hasAnswered = async ({ userId }: Person): Promise<boolean> =>
  (await readDraft<string>(ANSWERED)) === userId
export const noteAnswered = ({ userId }: Person): Promise<void> => keepDraft(ANSWERED, userId)
