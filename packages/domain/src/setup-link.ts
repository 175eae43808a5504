/** A link by which an app on a phone, perhaps another one, is set up for a participant. */
import Type, { type Static } from 'typebox'
import { UserId } from './ids'
import { OptionalField } from './optional'
import { PhoneApp } from './phone-apps'
import { PersonText } from './text'

/** An app can be chosen for so long. */
export const SETUP_LINK_MS = 15 * 60_000
/** The page that chose one can see for so long whether points arrive. */
export const SETUP_WATCH_MS = 24 * 3_600_000

export const SetupCode = Type.String({
  pattern: '^[0-9A-Za-z]{22}$',
  description: 'the secret of the link',
  examples: ['4f7Tq0bWc9KzR2mXv8LhDs'],
})
const SetupKey = Type.String({
  pattern: '^[0-9A-Za-z_-]{22,64}$',
  description: 'a random secret of the browser that opens the link: no other may from then on',
  examples: ['Zk3v0uQhJ5xW8yTtR2aNfg'],
})

/** Body of `POST /setup-links`. */
export const SetupLinkBody = Type.Object({
  userId: UserId,
  name: OptionalField(PersonText({ min: 1, max: 40 }), 'a text of 1 to 40 characters: which phone it is for'),
})
export type SetupLinkBody = Static<typeof SetupLinkBody>

/** Body of `POST /setup-links/open`. */
export const OpenSetupLinkBody = Type.Object({ code: SetupCode, key: SetupKey, app: PhoneApp })
export type OpenSetupLinkBody = Static<typeof OpenSetupLinkBody>

/** Body of `POST /setup-links/status`. */
export const SetupStatusBody = Type.Object({ code: SetupCode, key: SetupKey })
export type SetupStatusBody = Static<typeof SetupStatusBody>
