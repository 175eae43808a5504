import { MENU_HEIGHT_PX_MIN, MENU_WIDTH_PX_MAX, MENU_WIDTH_PX_MIN } from '@palanquin/line-messages/limits'
import { MENU_RATIO_MIN } from '@palanquin/line-messages/rules'
import type { RichMenu } from '@palanquin/line-messages/types'
import { newToken } from './ids.ts'
import { type Picture, readPicture } from './picture.ts'

const PICTURE_BYTES_MAX = 1024 * 1024
/** LINE's limit for one account. */
export const RICH_MENUS_MAX = 1000

export type MenuPicture = { bytes: Uint8Array<ArrayBuffer>; contentType: string }
export type StoredMenu = { richMenuId: string; menu: RichMenu; picture: MenuPicture | undefined }

/** The rich menus of the account, with their pictures, and which of them everybody and each person sees. */
export function createRichMenus() {
  const menus = new Map<string, StoredMenu>()
  const linked = new Map<string, string>()
  let standard: string | undefined
  return {
    create: (menu: RichMenu): string => {
      const richMenuId = `richmenu-${newToken()}`
      menus.set(richMenuId, { richMenuId, menu, picture: undefined })
      return richMenuId
    },
    find: (richMenuId: string): StoredMenu | undefined => menus.get(richMenuId),
    all: (): StoredMenu[] => [...menus.values()],
    delete: (richMenuId: string): void => {
      menus.delete(richMenuId)
      if (standard === richMenuId) standard = undefined
      for (const [userId, id] of linked) if (id === richMenuId) linked.delete(userId)
    },
    setDefault: (richMenuId: string | undefined): void => {
      standard = richMenuId
    },
    default: (): string | undefined => standard,
    link: (userId: string, richMenuId: string): void => void linked.set(userId, richMenuId),
    unlink: (userId: string): void => void linked.delete(userId),
    linkedTo: (userId: string): string | undefined => linked.get(userId),
    /** What a person sees below the chat: their own menu before everybody's. */
    seenBy: (userId: string): StoredMenu | undefined => menus.get(linked.get(userId) ?? standard ?? ''),
  }
}

/** Why LINE does not take a picture for a rich menu; undefined when it does. */
export function errorOfPicture({ bytes, contentType }: MenuPicture): string | undefined {
  const picture = readPicture(bytes)
  if (picture?.format !== contentType.replace('image/', '')) return 'The image is not a JPEG or PNG image'
  if (bytes.length > PICTURE_BYTES_MAX) return 'The image is larger than 1 MB'
  return isAllowed(picture) ? undefined : 'The image size is not allowed for richmenu'
}

const isAllowed = (picture: Picture): boolean =>
  picture.width >= MENU_WIDTH_PX_MIN &&
  picture.width <= MENU_WIDTH_PX_MAX &&
  picture.height >= MENU_HEIGHT_PX_MIN &&
  picture.width / picture.height >= MENU_RATIO_MIN
