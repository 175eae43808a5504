import { fill } from '@palanquin/domain/fill-text'
import type { Sent } from '../api/send.ts'
import { useTexts } from './context.ts'

/** Why something was not sent, in the reader's language, and what to do next. */
export function NotSent({ outcome }: { outcome: Sent<unknown> | null }) {
  const { texts } = useTexts()
  if (outcome === null || outcome.ok) return null
  const sentence =
    outcome.kind === 'offline'
      ? texts.sendOffline
      : outcome.kind === 'busy'
        ? texts.sendBusy
        : outcome.kind === 'limited'
          ? fill(texts.sendLimited, { seconds: outcome.seconds })
          : fill(texts.sendRefused, { sentence: outcome.sentence })
  return (
    <p class="banner banner-trouble" role="alert">
      {sentence}
    </p>
  )
}
