import { useEffect, useState } from 'preact/hooks'
import { counted } from '../../i18n/counted.ts'
import { useMeTexts } from '../../i18n/me/texts.ts'
import { countWaiting } from '../../outbox/count-waiting.ts'
import { useComesIntoView } from '../../parts/comes-into-view.ts'
import type { Person } from '../../session/session.ts'

/** The session of this phone has ended elsewhere, or by its age: what was recorded stays until its person is back. */
export function SessionEnded({ before }: { before: Person }) {
  const { me } = useMeTexts()
  const sentence = useComesIntoView<HTMLParagraphElement>()
  const [count, setCount] = useState(0)
  useEffect(() => {
    void countWaiting(before.userId).then(setCount)
  }, [before.userId])
  return (
    <p ref={sentence} class="banner banner-trouble" role="status" tabIndex={-1}>
      {count > 0 ? counted(count, me.sessionEnded) : me.sessionEndedEmpty}
    </p>
  )
}
