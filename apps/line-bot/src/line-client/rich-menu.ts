import Type from 'typebox'
import { Compile } from 'typebox/compile'
import type { Caller } from './call.ts'

const PICTURE_DEADLINE_MS = 15_000
const RICH_MENU = '/v2/bot/richmenu'
const DEFAULT_MENU = '/v2/bot/user/all/richmenu'

const createdMenu = Compile(Type.Object({ richMenuId: Type.String() }))
const listedMenus = Compile(
  Type.Object({ richmenus: Type.Array(Type.Object({ richMenuId: Type.String(), name: Type.String() })) }),
)

/** LINE's calls around rich menus. */
export function richMenuCalls({ api, data }: { api: Caller; data: Caller }) {
  const id = encodeURIComponent
  const done = async (answer: Response): Promise<null> => {
    await answer.arrayBuffer()
    return null
  }
  return {
    create: (menu: object) =>
      api({ method: 'POST', path: RICH_MENU, body: menu }, async (answer) => {
        const body: unknown = await answer.json()
        if (!createdMenu.Check(body)) throw new Error('LINE answered something unexpected')
        return body.richMenuId
      }),
    /** JPEG or PNG, at most 1 MB; once per menu. */
    upload: (richMenuId: string, picture: { bytes: Uint8Array<ArrayBuffer>; contentType: string }) =>
      data(
        {
          method: 'POST',
          path: `${RICH_MENU}/${id(richMenuId)}/content`,
          body: picture,
          deadlineMs: PICTURE_DEADLINE_MS,
        },
        done,
      ),
    makeDefault: (richMenuId: string) =>
      api({ method: 'POST', path: `${DEFAULT_MENU}/${id(richMenuId)}` }, done),
    /** All menus of the account that were made by this API. */
    list: () =>
      api({ method: 'GET', path: `${RICH_MENU}/list` }, async (answer) => {
        const body: unknown = await answer.json()
        if (!listedMenus.Check(body)) throw new Error('LINE answered something unexpected')
        return body.richmenus
      }),
    remove: (richMenuId: string) => api({ method: 'DELETE', path: `${RICH_MENU}/${id(richMenuId)}` }, done),
    /** For one user; it comes before the default. */
    link: (userId: string, richMenuId: string) =>
      api({ method: 'POST', path: `/v2/bot/user/${id(userId)}/richmenu/${id(richMenuId)}` }, done),
    unlink: (userId: string) => api({ method: 'DELETE', path: `/v2/bot/user/${id(userId)}/richmenu` }, done),
  }
}
