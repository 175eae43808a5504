import { useTexts } from './context.ts'
import { NotSent } from './outcome.tsx'
import type { Sending } from './sending.ts'

/** The end of a form: what is wrong with it, or why it was not sent, and the button that sends it. */
export function FormEnd({
  problem,
  sending: { outcome, sending },
  send,
}: {
  problem: string | null
  sending: Sending<unknown>
  send: string
}) {
  const { texts } = useTexts()
  return (
    <>
      {problem === null ? (
        <NotSent outcome={outcome} />
      ) : (
        <p class="banner banner-trouble" role="alert">
          {problem}
        </p>
      )}
      <button type="submit" class="button button-main" disabled={sending}>
        {sending ? texts.sending : send}
      </button>
    </>
  )
}
