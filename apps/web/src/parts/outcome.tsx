import { fill } from '@palanquin/domain/fill-text'
import type { Sent } from '../api/send.ts'
import type { Texts } from '../i18n/zh-tw.ts'
import { useNow } from './clock.ts'
import { useTexts } from './context.ts'

/** Why something was not sent, in the reader's language, and what to do next. */
export function NotSent({ outcome }: { outcome: Sent<unknown> | null }) {
  const { texts } = useTexts()
  const nowMs = useNow()
  if (outcome === null || outcome.ok) return null
  return (
    <p class="banner banner-trouble" role="alert">
      {sentenceOf(outcome, texts, nowMs)}
    </p>
  )
}

function sentenceOf(outcome: Sent<unknown> & { ok: false }, texts: Texts, nowMs: number): string {
  switch (outcome.kind) {
    case 'offline':
      return outcome.waits ? texts.sendWaits : texts.sendOffline
    case 'busy':
      if (outcome.retryAtMs === null) return texts.sendBusy
      return fill(texts.sendAgain, { seconds: Math.max(1, Math.ceil((outcome.retryAtMs - nowMs) / 1_000)) })
    case 'limited':
      return fill(texts.sendLimited, { seconds: outcome.seconds })
    case 'refused':
      // The API's own sentence is written for developers.
      if (outcome.status === 401) return texts.sendSignedOut
      return outcome.status === 403 ? texts.sendForbidden : texts.sendRefused
  }
}
