import { type PhoneApp, phoneApp } from '@palanquin/domain/phone-apps'
import { ApiError } from '@palanquin/service/http/api-error'
import type { PlainResponse } from '../response.ts'
import { queryFields } from './app-request.ts'

/** Where a person reads how an app is set up. */
const SETUP_PAGE = '/setup'
/** Half a position is an app's as well. */
const POSITION_FIELDS = ['lat', 'lon', 'lng', 'latitude', 'longitude', 'location', 'gprmc']

const toSetup: PlainResponse = { status: 303, headers: { location: SETUP_PAGE }, body: null }
const postOnly = new ApiError('methodNotAllowed', 'Please use POST, OPTIONS here.', {
  allow: 'POST, OPTIONS',
})

/**
 * What a GET without a position gets: the camera of a phone opens what a QR code says, so a person is looking. Undefined for
 * one that an app sends.
 */
export function visitOf(url: string, app: PhoneApp): PlainResponse | ApiError | undefined {
  const fields = queryFields(url)
  if (!phoneApp(app).takesGet) return fields?.size === 0 ? toSetup : postOnly
  const hasPosition = fields === undefined || POSITION_FIELDS.some((name) => fields.has(name))
  return hasPosition ? undefined : toSetup
}
