/** A phone's app that sends positions for a participant, and the write token it does so with. */
import Type, { type Static } from 'typebox'
import { UserId } from './ids'
import { OptionalField } from './optional'
import { PhoneApp } from './phone-apps'
import { PersonText } from './text'

/** Of a participant. */
export const DEVICES_MAX = 10
/** A rotated token goes on so long beside the new one, for the phone to be set up. */
export const ROTATION_MS = 24 * 3_600_000
/** Devices that sent nothing for so long after the end of the activity are deleted. */
export const UNUSED_DAYS_MAX = 60

/** Body of `POST /devices`. */
export const DeviceBody = Type.Object({
  userId: UserId,
  app: PhoneApp,
  name: OptionalField(PersonText({ min: 1, max: 40 }), 'a text of 1 to 40 characters: which phone it is'),
})
export type DeviceBody = Static<typeof DeviceBody>
