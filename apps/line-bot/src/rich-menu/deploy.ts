import { LANGUAGES, type Language, type Localized } from '@palanquin/domain/language'
import { ApiError } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import type { LineClient } from '../line-client/client.ts'
import type { LineFailure, LineOutcome } from '../line-client/outcome.ts'
import type { Media } from '../service-clients/media.ts'
import { menuOf, NAME_PREFIX } from './menu.ts'

const PICTURE_TYPE = 'image/png'
/** LINE limits menus by the hour, and does not always say when another is allowed. */
const LIMIT_WAIT_MS = 600_000
/** LINE's own words; a menu holds no personal data. */
const REASON_CHARACTERS_MAX = 200

export type Deploying = { client: Pick<LineClient, 'richMenu'>; media: Media; log: Log }
export type Menus = Localized<string>

/** A step that LINE refused; what was created before it is removed. */
class Failed extends Error {
  constructor(readonly failure: LineFailure) {
    super(failure.is)
  }
}

/** Makes the menus, and removes those of before once the new ones are whole. @throws StoreUnavailable */
export async function deployMenus(
  { client: { richMenu }, media, log }: Deploying,
  requestId: string,
): Promise<Menus | ApiError> {
  const pictures = await Promise.all(LANGUAGES.map((language) => media.menuPicture(language, requestId)))
  const made: string[] = []
  const make = async (language: Language): Promise<string> => {
    const richMenuId = doneOr(await richMenu.create(menuOf(language)))
    made.push(richMenuId)
    const bytes = pictures[LANGUAGES.indexOf(language)] ?? new Uint8Array()
    doneOr(await richMenu.upload(richMenuId, { bytes, contentType: PICTURE_TYPE }))
    return richMenuId
  }
  try {
    const menus = { 'zh-TW': await make('zh-TW'), en: await make('en') }
    doneOr(await richMenu.makeDefault(menus['zh-TW']))
    await removeOthers({ richMenu, log, keep: made })
    return menus
  } catch (error) {
    if (!(error instanceof Failed)) throw error
    for (const richMenuId of made) await richMenu.remove(richMenuId)
    log.warn({ event: 'rich_menu.refused', outcome: error.failure.is }, 'LINE did not take the rich menu')
    return apiErrorOf(error.failure)
  }
}

function doneOr<T>(outcome: LineOutcome<T>): T {
  if (outcome.is === 'ok') return outcome.value
  throw new Failed(outcome)
}

/** A menu that cannot be removed now does no harm, and the next deployment finds it. */
async function removeOthers({
  richMenu,
  log,
  keep,
}: {
  richMenu: LineClient['richMenu']
  log: Log
  keep: readonly string[]
}): Promise<void> {
  const all = await richMenu.list()
  const old = all.is === 'ok' ? all.value : []
  for (const { richMenuId, name } of old) {
    if (!name.startsWith(NAME_PREFIX) || keep.includes(richMenuId)) continue
    const { is } = await richMenu.remove(richMenuId)
    if (is !== 'ok')
      log.warn({ event: 'rich_menu.removal_failed', richMenuId, outcome: is }, 'An old rich menu is left')
  }
}

function apiErrorOf(failure: LineFailure): ApiError {
  switch (failure.is) {
    case 'rate':
    case 'quota': {
      const waitS = Math.ceil(((failure.is === 'rate' && failure.retryAfterMs) || LIMIT_WAIT_MS) / 1_000)
      return new ApiError(
        'unavailable',
        `LINE takes no more menus for now: its own limit is reached. Nothing was changed; please try again in ${waitS} seconds.`,
        { 'retry-after': String(waitS) },
      )
    }
    case 'unavailable':
      return new ApiError(
        'unavailable',
        'LINE cannot be reached right now. Nothing was changed; please try again shortly.',
      )
    case 'invalid': {
      const said = failure.sentence.slice(0, REASON_CHARACTERS_MAX)
      return new ApiError(
        'badGateway',
        `LINE refused the menu (${failure.status}: ${said}). Nothing was changed.`,
      )
    }
    case 'blocked':
      return new ApiError('badGateway', 'LINE refused the menu. Nothing was changed.')
  }
}
