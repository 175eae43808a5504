import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

type Question = { ask: string; yes: string }

/** A button that asks before it acts. The focus follows, Escape is no, and a double tap answers one question. */
export function Confirm({
  label,
  questions,
  no,
  disabled = false,
  onConfirmed,
}: {
  label: ComponentChildren
  questions: readonly Question[]
  no: string
  disabled?: boolean
  onConfirmed: () => void
}) {
  const [at, setAt] = useState<number | null>(null)
  const opener = useRef<HTMLButtonElement>(null)
  const decline = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(false)
  useEffect(() => {
    if (at !== null) decline.current?.focus()
    else if (wasOpen.current) opener.current?.focus()
    wasOpen.current = at !== null
  }, [at])
  const question = at === null ? undefined : questions[at]
  if (at === null || question === undefined)
    return (
      <button ref={opener} type="button" class="button" disabled={disabled} onClick={() => setAt(0)}>
        {label}
      </button>
    )
  const next = ({ detail }: MouseEvent) => {
    if (detail > 1) return
    if (at + 1 < questions.length) return setAt(at + 1)
    setAt(null)
    onConfirmed()
  }
  return (
    <div
      class="banner banner-trouble"
      role="alertdialog"
      aria-label={question.ask}
      onKeyDown={({ key }) => {
        if (key === 'Escape') setAt(null)
      }}
    >
      <p>{question.ask}</p>
      <div class={at % 2 === 0 ? 'steps' : 'steps steps-turned'}>
        <button
          ref={decline}
          type="button"
          class="button"
          onClick={({ detail }) => detail <= 1 && setAt(null)}
        >
          {no}
        </button>
        <button type="button" class="button" onClick={next}>
          {question.yes}
        </button>
      </div>
    </div>
  )
}
