import { ApiError } from '@palanquin/service/http/api-error'
import { parsePhoneNumberFromString } from 'libphonenumber-js/min'

/** Numbers without a country code are Taiwanese (contract section 2). */
const HOME_COUNTRY = 'TW'

/** The E.164 form of a typed number, `0912-345-678` → `+886912345678`; null if invalid. */
export function toE164(typed: string): string | null {
  // Without `extract: false` the library finds a number inside any sentence.
  const number = parsePhoneNumberFromString(typed, { defaultCountry: HOME_COUNTRY, extract: false })
  return number?.isValid() ? number.number : null
}

/** Reads the phone number of a body; null removes it, an invalid one is an ApiError. */
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
