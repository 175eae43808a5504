import { isUserId } from '../ids.ts'
import { errorOfPicture, RICH_MENUS_MAX, type StoredMenu } from '../rich-menus.ts'
import { type Answer, apiError, type Call, notFound, ok } from './answer.ts'
import { readBody } from './read.ts'

const PICTURE_TYPES = ['image/jpeg', 'image/png']
const NO_PICTURE = 'must upload richmenu image before applying it to user'

const found = ({ platform, params }: Call): StoredMenu | undefined =>
  platform.richMenus.find(params.richMenuId ?? '')
const described = ({ richMenuId, menu }: StoredMenu) => ({ richMenuId, ...menu })

/** `POST /v2/bot/richmenu`. */
export function createMenu(call: Call): Answer {
  const body = readBody('RichMenuRequest', call)
  if ('refused' in body) return body.refused
  const { richMenus } = call.platform
  if (richMenus.all().length >= RICH_MENUS_MAX)
    return apiError(400, 'The maximum number of rich menus has been reached')
  return ok({ richMenuId: richMenus.create(body.value) })
}

/** `POST /v2/bot/richmenu/validate`. */
export function validateMenu(call: Call): Answer {
  const body = readBody('RichMenuRequest', call)
  return 'refused' in body ? body.refused : ok()
}

/** `POST /v2/bot/richmenu/{richMenuId}/content`: once per menu; another picture needs another menu. */
export function uploadPicture(call: Call): Answer {
  const menu = found(call)
  if (!menu) return notFound()
  const contentType = call.headers.get('content-type') ?? ''
  if (!PICTURE_TYPES.includes(contentType))
    return apiError(415, `The content type, ${contentType || 'null'}, is not supported`)
  if (menu.picture) return apiError(400, 'An image has already been uploaded to the richmenu')
  const picture = { bytes: call.bytes, contentType }
  const refused = errorOfPicture(picture)
  if (refused) return apiError(400, refused)
  menu.picture = picture
  call.platform.changed()
  return ok()
}

/** `GET /v2/bot/richmenu/{richMenuId}/content`. */
export function downloadPicture(call: Call): Answer {
  const picture = found(call)?.picture
  return picture ? { status: 200, body: picture.bytes, contentType: picture.contentType } : notFound()
}

/** `GET /v2/bot/richmenu/{richMenuId}` and `/list`. */
export function getMenu(call: Call): Answer {
  const menu = found(call)
  return menu ? ok(described(menu)) : notFound()
}
export const listMenus = ({ platform }: Call): Answer =>
  ok({ richmenus: platform.richMenus.all().map(described) })

/** `DELETE /v2/bot/richmenu/{richMenuId}`. */
export function deleteMenu(call: Call): Answer {
  const menu = found(call)
  if (!menu) return notFound()
  call.platform.richMenus.delete(menu.richMenuId)
  call.platform.changed()
  return ok()
}

/** `POST`, `GET` and `DELETE /v2/bot/user/all/richmenu`: what everybody sees. */
export function setDefaultMenu(call: Call): Answer {
  const menu = found(call)
  if (!menu) return notFound()
  if (!menu.picture) return apiError(400, NO_PICTURE)
  call.platform.richMenus.setDefault(menu.richMenuId)
  call.platform.changed()
  return ok()
}
export function getDefaultMenu({ platform }: Call): Answer {
  const richMenuId = platform.richMenus.default()
  return richMenuId === undefined ? notFound('no default richmenu') : ok({ richMenuId })
}
export function clearDefaultMenu({ platform }: Call): Answer {
  platform.richMenus.setDefault(undefined)
  platform.changed()
  return ok()
}

/** `POST`, `GET` and `DELETE /v2/bot/user/{userId}/richmenu`: what one person sees, before everybody's. */
export function linkMenu(call: Call): Answer {
  const menu = found(call)
  const userId = call.params.userId ?? ''
  if (!menu) return notFound()
  if (!isUserId(userId)) return apiError(400, 'The value for the userId parameter is invalid')
  if (!menu.picture) return apiError(400, NO_PICTURE)
  call.platform.richMenus.link(userId, menu.richMenuId)
  call.platform.changed()
  return ok()
}
export function getLinkedMenu({ platform, params }: Call): Answer {
  const richMenuId = platform.richMenus.linkedTo(params.userId ?? '')
  return richMenuId === undefined ? notFound('the user has no richmenu') : ok({ richMenuId })
}
export function unlinkMenu({ platform, params }: Call): Answer {
  platform.richMenus.unlink(params.userId ?? '')
  platform.changed()
  return ok()
}
