import type { Sent } from '../../api/send.ts'
import { useMeTexts } from '../../i18n/me/texts.ts'
import { NotSent } from '../../parts/outcome.tsx'

/** Asks for a phone number, and says what it is for. */
export function PhoneField({
  phone,
  isInvalid,
  onChange,
}: {
  phone: string
  isInvalid: boolean
  onChange: (phone: string) => void
}) {
  const { me } = useMeTexts()
  return (
    <label class="field">
      <span class="field-name">{me.phone}</span>
      <input
        type="tel"
        autoComplete="tel"
        maxLength={40}
        value={phone}
        aria-describedby="phone-why"
        aria-invalid={isInvalid}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <span id="phone-why" class="small">
        {me.phoneWhy}
      </span>
    </label>
  )
}

/** Why a form with a phone number was not sent: the number itself, or anything else. */
export function PhoneNotSent({ isInvalid, outcome }: { isInvalid: boolean; outcome: Sent<unknown> | null }) {
  const { me } = useMeTexts()
  if (!isInvalid) return <NotSent outcome={outcome} />
  return (
    <p class="banner banner-trouble" role="alert">
      {me.phoneInvalid}
    </p>
  )
}
