import { useState } from 'preact/hooks'
import { useMeTexts } from '../../i18n/me/texts.ts'
import { NotSent } from '../../parts/outcome.tsx'
import { useSending } from '../../parts/sending.ts'
import { recoverSession } from '../../session/sign-in.ts'

/** Brings a walk back with its recovery code. */
export function Recover({ onRecovered }: { onRecovered: () => void }) {
  const { me } = useMeTexts()
  const [code, setCode] = useState('')
  const { outcome, sending, submit } = useSending(async () => {
    const sent = await recoverSession(code.trim())
    if (sent.ok) onRecovered()
    return sent
  })
  const isWrong = outcome !== null && !outcome.ok && outcome.kind === 'refused'
  return (
    <details class="fold">
      <summary>{me.haveCode}</summary>
      <form
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (code.trim() !== '') void submit()
        }}
      >
        <label class="field">
          <span class="field-name">{me.code}</span>
          <input
            type="text"
            autoComplete="off"
            autoCapitalize="characters"
            spellcheck={false}
            value={code}
            aria-describedby="code-hint"
            aria-invalid={isWrong}
            onInput={({ currentTarget: { value } }) => setCode(value)}
          />
          <span id="code-hint" class="small">
            {me.codeHint}
          </span>
        </label>
        {isWrong ? (
          <p class="banner banner-trouble" role="alert">
            {me.codeWrong}
          </p>
        ) : (
          <NotSent outcome={outcome} />
        )}
        <button type="submit" class="button" disabled={sending}>
          {me.codeUse}
        </button>
      </form>
    </details>
  )
}
