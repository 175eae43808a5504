/** What owners set while the services run, over what the environment says. Web face, section 4. */
import Type, { type Static } from 'typebox'
import { DENSITY_COUNT_MIN } from './density'
import { BothLanguages, InBothLanguages } from './languages'
import { Nullable } from './optional'
import { PersonText } from './text'
import { INSTANT_EXPECTED, InstantInput, Iso } from './time'

const NAME_CHARACTERS_MAX = 80
const VERSION_CHARACTERS_MAX = 32
/** Both languages fit the size limit of a body. */
const CONSENT_CHARACTERS_MAX = 12_000
const ADDRESS_CHARACTERS_MAX = 200
/** A cell with more people than this is a stadium: a slip of the finger. */
const DENSITY_MIN_MAX = 1_000

const Address = (expected: string, isAddress: (url: URL) => boolean) =>
  Type.Refine(
    Type.String({ maxLength: ADDRESS_CHARACTERS_MAX, description: expected }),
    (text) => {
      const url = URL.parse(text)
      return url !== null && !/\s/.test(text) && isAddress(url)
    },
    () => `expected ${expected}`,
  )
const isPlain = ({ protocol, username, password, search, hash }: URL): boolean =>
  protocol === 'https:' && `${username}${password}${search}${hash}` === ''

const PublicBaseUrl = Address('an https address without a query, such as https://walk.example', isPlain)
const LiffUrl = Address(
  'the address of a LIFF app: https://liff.line.me/<id>',
  (url) => isPlain(url) && url.hostname === 'liff.line.me' && /^\/[\w-]+$/.test(url.pathname),
)

const Consent = Type.Object({
  version: PersonText({ max: VERSION_CHARACTERS_MAX }),
  zh: PersonText({ max: CONSENT_CHARACTERS_MAX }),
  en: PersonText({ max: CONSENT_CHARACTERS_MAX }),
})
const DensityMin = Type.Integer({ minimum: DENSITY_COUNT_MIN, maximum: DENSITY_MIN_MAX })
const Name = BothLanguages({ max: NAME_CHARACTERS_MAX, description: 'the name of the event' })

const ENVIRONMENT = 'null for that of the environment'

/** Body of `PATCH /admin/settings`: null goes back to what the environment says. */
export const SettingsPatch = Type.Partial(
  Type.Object({
    name: Nullable(Name, `{zh, en} with the name of the event in each; ${ENVIRONMENT}`),
    startsAt: Nullable(InstantInput, `${INSTANT_EXPECTED}; ${ENVIRONMENT}`),
    endsAt: Nullable(InstantInput, `${INSTANT_EXPECTED}; ${ENVIRONMENT}`),
    consent: Nullable(
      Consent,
      `{version, zh, en}: the privacy notice, text and never markup; ${ENVIRONMENT}`,
    ),
    densityMin: Nullable(
      DensityMin,
      `a whole number between ${DENSITY_COUNT_MIN} and ${DENSITY_MIN_MAX}; ${ENVIRONMENT}`,
    ),
    publicBaseUrl: Nullable(
      PublicBaseUrl,
      `an https address without a query, such as https://walk.example; ${ENVIRONMENT}`,
    ),
    liffUrl: Nullable(LiffUrl, `the address of a LIFF app: https://liff.line.me/<id>; ${ENVIRONMENT}`),
  }),
)
export type SettingsPatch = Static<typeof SettingsPatch>

/** What was set, as it is stored and as the services read it: times as ISO text. */
export const StoredSettings = Type.Partial(
  Type.Object({
    name: InBothLanguages('the name of the event'),
    startsAt: Iso,
    endsAt: Iso,
    consent: Type.Object({ version: Type.String(), zh: Type.String(), en: Type.String() }),
    densityMin: Type.Integer(),
    publicBaseUrl: Type.String(),
    liffUrl: Type.String(),
  }),
)
export type StoredSettings = Static<typeof StoredSettings>

/** The settings as they hold: what was set, else what the environment says. */
export const Settings = Type.Object({
  name: InBothLanguages('the name of the event'),
  startsAt: Nullable(Iso, 'when it begins, where that was set'),
  endsAt: Nullable(Iso, 'when it is to end, where that was set'),
  consent: Type.Object(
    {
      version: Type.String({ description: 'what POST /privacy records with a consent' }),
      ...InBothLanguages('the privacy notice').properties,
    },
    { description: 'the privacy notice' },
  ),
  densityMin: Type.Integer({ description: 'cells of the density with fewer people are left out' }),
  publicBaseUrl: Nullable(
    Type.String(),
    'what links to cards and pages begin with; null where none is known',
  ),
  liffUrl: Nullable(Type.String(), "the event's LIFF app; null where there is none"),
})
export type Settings = Static<typeof Settings>
