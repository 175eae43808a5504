import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type LineStub, testLine } from './stub.ts'

let line: LineStub
beforeEach(() => {
  line = testLine()
})
afterEach(() => line.close())

async function call(method: string, path: string, body?: object): Promise<{ status: number; body: unknown }> {
  const isPicture = body instanceof Uint8Array
  const answer = await fetch((path.endsWith('/content') ? line.dataApiBase : line.apiBase) + path, {
    method,
    headers: {
      authorization: `Bearer ${line.channelAccessToken}`,
      ...(body ? { 'content-type': isPicture ? 'image/png' : 'application/json' } : {}),
    },
    ...(body ? { body: isPicture ? new Uint8Array(body) : JSON.stringify(body) } : {}),
  })
  return { status: answer.status, body: await answer.json() }
}

const menu = {
  size: { width: 2500, height: 1686 },
  selected: true,
  name: 'main',
  chatBarText: '選單',
  areas: [
    { bounds: { x: 0, y: 0, width: 833, height: 843 }, action: { type: 'postback', data: 'v=1&a=mileage' } },
  ],
}
/** A PNG's head, which is all that LINE's rules look at, and as many bytes as asked. */
function png(width: number, height: number, bytes = 100): Uint8Array {
  const picture = new Uint8Array(bytes)
  picture.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const view = new DataView(picture.buffer)
  view.setUint32(16, width)
  view.setUint32(20, height)
  return picture
}
const create = async (): Promise<string> => {
  await call('POST', '/v2/bot/richmenu', menu)
  return line.control.richMenus.all().at(-1)?.richMenuId ?? ''
}

test('a menu is created, gets its picture, becomes the default, and goes with its default when deleted', async () => {
  const id = await create()
  expect((await call('GET', '/v2/bot/user/all/richmenu')).status).toBe(404)
  expect((await call('POST', `/v2/bot/user/all/richmenu/${id}`)).body).toEqual({
    message: 'must upload richmenu image before applying it to user',
  })
  expect((await call('POST', `/v2/bot/richmenu/${id}/content`, png(2500, 1686))).status).toBe(200)
  expect((await call('POST', `/v2/bot/user/all/richmenu/${id}`)).status).toBe(200)
  expect((await call('GET', '/v2/bot/user/all/richmenu')).body).toEqual({ richMenuId: id })
  expect((await call('GET', '/v2/bot/richmenu/list')).body).toEqual({
    richmenus: [{ richMenuId: id, ...menu }],
  })
  expect((await call('DELETE', `/v2/bot/richmenu/${id}`)).status).toBe(200)
  expect((await call('GET', '/v2/bot/user/all/richmenu')).status).toBe(404)
  expect((await call('DELETE', `/v2/bot/richmenu/${id}`)).status).toBe(404)
})

test('a picture is a PNG or JPEG of at most 1 MB, 800 to 2500 wide, 1.45 times as wide as high, and comes once', async () => {
  const id = await create()
  const upload = async (picture: Uint8Array) =>
    (await call('POST', `/v2/bot/richmenu/${id}/content`, picture)).status
  for (const [width, height] of [
    [799, 400],
    [2501, 1000],
    [1000, 249],
    [1000, 700],
  ] as const)
    expect({ width, height, status: await upload(png(width, height)) }).toEqual({
      width,
      height,
      status: 400,
    })
  expect(await upload(png(1000, 600, 1024 * 1024 + 1))).toBe(400)
  expect(await upload(new TextEncoder().encode('<svg/>'))).toBe(400)
  expect(await upload(png(1000, 600, 1024 * 1024))).toBe(200)
  expect(await upload(png(1000, 600))).toBe(400)
})

test('a menu that cannot be shown or tapped is refused, and where', async () => {
  const faults: [object, string][] = [
    [{ ...menu, name: undefined }, 'name'],
    [{ ...menu, chatBarText: 'x'.repeat(15) }, 'chatBarText'],
    [{ ...menu, size: { width: 2500, height: 2000 } }, 'size'],
    [{ ...menu, areas: Array(21).fill(menu.areas[0]) }, 'areas'],
    [{ ...menu, areas: [{ ...menu.areas[0], action: { type: 'postback' } }] }, 'areas[0].action.data'],
  ]
  for (const [request, property] of faults) {
    const { status, body } = await call('POST', '/v2/bot/richmenu/validate', request)
    expect({ status, body }).toMatchObject({ status: 400, body: { details: [{ property }] } })
  }
  expect((await call('POST', '/v2/bot/richmenu/validate', menu)).status).toBe(200)
  expect(line.control.richMenus.all()).toEqual([])
})
