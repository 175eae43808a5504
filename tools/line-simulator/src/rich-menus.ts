import type { messagingApi } from '@line/bot-sdk'
import { newToken } from './ids.ts'
import { MENU_HEIGHT_PX_MIN, MENU_WIDTH_PX_MAX, MENU_WIDTH_PX_MIN } from './validation/limits.ts'
import { MENU_RATIO_MIN } from './validation/rules.ts'

type Picture = { format: 'png' | 'jpeg'; width: number; height: number }

const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
const PNG_WIDTH_AT = 16
const PNG_HEAD_BYTES = 24
/** Start-of-frame markers: C0 to CF but for DHT (C4), JPG (C8) and DAC (CC). */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** The format and size in pixels as the header gives them; undefined for anything but PNG and JPEG. */
export function readPicture(bytes: Uint8Array): Picture | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length >= PNG_HEAD_BYTES && PNG_SIGNATURE.every((byte, index) => bytes[index] === byte))
    return { format: 'png', width: view.getUint32(PNG_WIDTH_AT), height: view.getUint32(PNG_WIDTH_AT + 4) }
  return bytes[0] === 0xff && bytes[1] === 0xd8 ? readJpeg(view) : undefined
}

function readJpeg(view: DataView): Picture | undefined {
  let at = 2
  while (at + 9 < view.byteLength && view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1)
    if (isFrame(marker))
      return { format: 'jpeg', height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
    at += 2 + view.getUint16(at + 2)
  }
  return undefined
}

const PICTURE_BYTES_MAX = 1024 * 1024
/** LINE's limit for one account. */
export const RICH_MENUS_MAX = 1000

export type MenuPicture = { bytes: Uint8Array<ArrayBuffer>; contentType: string }
export type StoredMenu = {
  richMenuId: string
  menu: messagingApi.RichMenuRequest
  picture: MenuPicture | undefined
}

/** The rich menus of the account, with their pictures, and which of them everybody and each person sees. */
export function createRichMenus() {
  const menus = new Map<string, StoredMenu>()
  const linked = new Map<string, string>()
  let standard: string | undefined
  return {
    create: (menu: messagingApi.RichMenuRequest): string => {
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
