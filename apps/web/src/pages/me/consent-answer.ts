import type { OwnProfile } from '@palanquin/domain/participant'
import { useEffect, useState } from 'preact/hooks'
import { keepDraft, readDraft } from '../../drafts.ts'
import type { Person } from '../../session/session.ts'

/** The draft that says who has answered the question for consent on this phone. */
const ANSWERED = 'consent-answered'

/** Who has answered it on this page: whoever has just joined sees their walk at once. */
let answered: string | undefined

export function noteAnswered({ userId }: Person): Promise<void> {
  answered = userId
  return keepDraft(ANSWERED, userId)
}

/** Whether somebody has answered it, here or elsewhere; undefined until it is known. */
export function useConsentAnswer(
  person: Person,
  profile: OwnProfile | null,
): { isAnswered: boolean | undefined; close: () => void } {
  const [isHere, setIsHere] = useState<boolean | undefined>(answered === person.userId || undefined)
  useEffect(() => {
    void readDraft<string>(ANSWERED).then((userId) => setIsHere(userId === person.userId))
  }, [person.userId])
  const close = () => {
    setIsHere(true)
    void noteAnswered(person)
  }
  if (isHere || profile?.privacyConsent || profile?.consentAt) return { isAnswered: true, close }
  // A profile that an older build has kept does not say it.
  return { isAnswered: isHere === false && profile?.consentAt === null ? false : undefined, close }
}
