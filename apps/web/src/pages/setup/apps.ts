import type { PhoneApp } from '@palanquin/domain/phone-apps'

export type Phone = 'iphone' | 'android'

/** The apps as their makers call them. */
export const APP_NAMES: Readonly<Record<PhoneApp, string>> = {
  owntracks: 'OwnTracks',
  overland: 'Overland',
  traccar: 'Traccar Client',
  gpslogger: 'GPSLogger',
  osmand: 'OsmAnd',
  opengts: 'OpenGTS',
  colota: 'Colota',
  ulogger: 'μlogger',
  phonetrack: 'PhoneTrack',
}
/** The recommended one first. */
export const APPS_OF: Readonly<Record<Phone, readonly PhoneApp[]>> = {
  iphone: ['overland', 'owntracks', 'traccar', 'osmand'],
  android: [
    ...(['traccar', 'colota', 'owntracks', 'gpslogger', 'osmand'] as const),
    ...(['ulogger', 'phonetrack', 'opengts'] as const),
  ],
}
export const STORES: Readonly<Record<Phone, string>> = { iphone: 'App Store', android: 'Google Play' }

/** The phone that a browser says it runs on. */
export const phoneOf = (userAgent: string): Phone =>
  /iPhone|iPad|iPod|Macintosh/.test(userAgent) ? 'iphone' : 'android'
