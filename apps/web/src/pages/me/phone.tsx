import { fill } from '@palanquin/domain/fill-text'
import type { Profile } from '@palanquin/domain/participant'
import { useState } from 'preact/hooks'
import { send } from '../../api/send.ts'
import { useMeTexts } from '../../i18n/me/texts.ts'
import { NotSent } from '../../parts/outcome.tsx'
import { useSending } from '../../parts/sending.ts'
import { PhoneField, PhoneNotSent } from './phone-field.tsx'

/** My phone number: given, changed, or removed. */
export function Phone({ profile, changed }: { profile: Profile; changed: () => void }) {
  const { me } = useMeTexts()
  const [phone, setPhone] = useState('')
  const post = async (number: string | null) => {
    const sent = await send('/user/phone', { userId: profile.userId, phone: number })
    if (sent.ok) {
      setPhone('')
      changed()
    }
    return sent
  }
  const saving = useSending(() => post(phone.trim()))
  const removing = useSending(() => post(null))
  const { outcome } = saving
  const isInvalid = outcome !== null && !outcome.ok && outcome.kind === 'refused' && outcome.status === 400
  return (
    <>
      <p>{profile.phone === null ? me.phoneNone : fill(me.phoneNow, { phone: profile.phone })}</p>
      <details class="fold">
        <summary>{me.phone}</summary>
        <form
          class="form"
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            if (phone.trim() !== '') void saving.submit()
          }}
        >
          <PhoneField
            phone={phone}
            isInvalid={isInvalid}
            onChange={(typed) => {
              setPhone(typed)
              saving.forget()
            }}
          />
          <PhoneNotSent isInvalid={isInvalid} outcome={outcome} />
          <button type="submit" class="button" disabled={saving.sending}>
            {me.save}
          </button>
          {profile.hasPhone && (
            <button
              type="button"
              class="button"
              disabled={removing.sending}
              onClick={() => void removing.submit()}
            >
              {me.phoneRemove}
            </button>
          )}
          <NotSent outcome={removing.outcome} />
        </form>
      </details>
    </>
  )
}
