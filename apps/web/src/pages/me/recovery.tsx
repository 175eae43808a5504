import { useEffect, useRef, useState } from 'preact/hooks'
import { useMeTexts } from '../../i18n/me/texts.ts'
import { useComesIntoView } from '../../parts/comes-into-view.ts'
import { QrCode } from '../../parts/qr-code.tsx'
import { openRecoveryCode, recoveryCodeNoted } from '../../session/session.ts'

/** The recovery code, as text and QR, until the person says that they have kept it. */
export function RecoveryCode() {
  const { me } = useMeTexts()
  const [code, setCode] = useState<string | null>(null)
  const heading = useComesIntoView<HTMLHeadingElement>(code !== null)
  const section = useRef<HTMLElement>(null)
  useEffect(() => {
    void openRecoveryCode().then((open) => setCode(open ?? null))
  }, [])
  if (code === null) return null
  const noted = async () => {
    await recoveryCodeNoted()
    // This section goes, and the focus goes on to what stands next.
    section.current?.nextElementSibling?.querySelector('button')?.focus()
    setCode(null)
  }
  return (
    <section ref={section} class="banner banner-done recovery">
      <h2 ref={heading} tabIndex={-1}>
        {me.recoveryTitle}
      </h2>
      <p>{me.recoveryBody}</p>
      <p class="code">{code}</p>
      <QrCode text={code} label={me.recoveryQr} />
      <button type="button" class="button" onClick={() => void noted()}>
        {me.recoveryNoted}
      </button>
    </section>
  )
}
