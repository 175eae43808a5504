import { ApiError } from '@palanquin/service/http/api-error'
import { parsePhoneNumberFromString } from 'libphonenumber-js/min'

/** Numbers without a country code are Taiwanese (contract section 2). */
const HOME_COUNTRY = 'TW'

/** The E.164 form of what somebody typed, `0912-345-678` → `+886912345678`; null if it is no valid number. */
export function toE164(typed: string): string | null {
  // Without `extract: false` a number is fished out of any sentence around it.
  const number = parsePhoneNumberFromString(typed, { defaultCountry: HOME_COUNTRY, extract: false })
  return number?.isValid() ? number.number : null
}

/** What a body says of the phone number, in E.164; null removes it. A text that is no number is refused. */
export function readPhone(typed: string | null): { phone: string | null } | ApiError {
  if (typed === null) return { phone: null }
  const phone = toE164(typed)
  return phone === null
    ? new ApiError(
        'invalid',
        'phone: expected a valid phone number, of Taiwan or beginning with + and a country code',
      )
    : { phone }
}
