import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import sharp from 'sharp'
import { type Call, type ImageHarness, imageHarness } from '../../test/image-harness.ts'
import { png } from '../../test/png.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let harness: ImageHarness
beforeAll(async () => {
  harness = await imageHarness()
})
afterAll(() => harness.close())

const PNG = png({ width: 60, height: 40 })
const dataUrl = (bytes: Uint8Array, type = 'image/png') =>
  `data:${type};base64,${Buffer.from(bytes).toString('base64')}`
type Uploaded = { filename: string; width: number; height: number; url: string }
const upload = async (call: Call) => {
  const answer = await harness.call('/feedback-upload', call)
  const { data, error } = (await answer.json()) as { data?: Uploaded; error?: string }
  return { status: answer.status, data, error, headers: answer.headers }
}
const form = (...files: (Blob | [string, string])[]): Call => {
  const data = new FormData()
  for (const file of files) {
    if (file instanceof Blob) data.append('file', file, '../../etc/passwd.html')
    else data.append(...file)
  }
  return { body: data }
}
const show = (name: string, headers = {}) => harness.call(`/feedback-image/${name}`, { headers })

test.each(['png', 'jpeg', 'webp'] as const)(
  'a %s becomes a clean PNG under a random name, as JSON and as a form',
  async (format) => {
    const bytes = await sharp(PNG).toFormat(format).toBuffer()
    const answers = [
      await upload({ json: { image: dataUrl(bytes, `image/${format}`) } }),
      await upload(form(new Blob([new Uint8Array(bytes)], { type: 'text/html' }))),
    ]
    for (const { status, data } of answers) {
      expect(status).toBe(200)
      expect(data).toMatchObject({ width: 60, height: 40 })
      expect(data?.filename).toMatch(/^[A-Za-z0-9_-]{22,64}$/)
      expect(data?.url).toBe(`/api/event/feedback-image/${data?.filename}.png`)
      const picture = await show(`${data?.filename}.png`)
      expect(picture.status).toBe(200)
      expect(await sharp(await picture.arrayBuffer()).metadata()).toMatchObject({
        format: 'png',
        width: 60,
        height: 40,
      })
    }
    expect(answers[0]?.data?.filename).not.toBe(answers[1]?.data?.filename)
  },
)

test.each([
  ['a type parameter', `data:image/png;name=a.png;base64,${PNG.toString('base64')}`],
  ['capitals', `DATA:image/PNG;BASE64,${PNG.toString('base64')}`],
  ['image/jpg, and a PNG behind it', dataUrl(PNG, 'image/jpg')],
  ['line breaks', dataUrl(PNG).replace(/(.{60})/g, '$1\n')],
  ['no padding', dataUrl(PNG).replace(/=+$/, '')],
])('a data URL with %s is understood', async (_, image) => {
  expect(await upload({ json: { image } })).toMatchObject({ status: 200, data: { width: 60 } })
})

test.each([
  ['no image', {}],
  ['no text', { image: 7 }],
  ['nothing', { image: '' }],
  ['the data alone', { image: PNG.toString('base64') }],
  ['no base64', { image: `data:image/png,${encodeURIComponent(PNG.toString('latin1'))}` }],
  ['rubbish for base64', { image: 'data:image/png;base64,%%%not-base64%%%' }],
  ['a letter too many', { image: `${dataUrl(PNG).replace(/=+$/, '').slice(0, 40)}AAAAA`.slice(0, 47) }],
  ['an empty picture', { image: 'data:image/png;base64,' }],
  ['another type', { image: dataUrl(PNG, 'text/html') }],
  ['an SVG', { image: dataUrl(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/svg+xml') }],
  ['an SVG labelled PNG', { image: dataUrl(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')) }],
  ['a userId that is none', { image: dataUrl(PNG), userId: 'a b' }],
])('%s is 400, and the error names the field', async (_, json) => {
  const { status, error } = await upload({ json })
  expect(status).toBe(400)
  expect(error).toMatch(/^(image|userId): \w/)
})

test.each([
  ['two files', () => form(new Blob([PNG]), new Blob([PNG]))],
  ['no file', () => form(['file', 'text'])],
  ['a file that is no picture', () => form(new Blob(['<html>']))],
  ['no form at all', () => ({ body: PNG, headers: { 'content-type': 'multipart/form-data; boundary=x' } })],
  ['a wrong userId', () => form(new Blob([PNG]), ['userId', '../x'])],
  ['no boundary', () => ({ body: PNG, headers: { 'content-type': 'multipart/form-data;' } })],
])('a form with %s is 400', async (_, call) => {
  const before = await harness.keys()
  expect((await upload(call())).status).toBe(400)
  expect(await harness.keys()).toEqual(before)
})

test('a screenshot is served so that a browser treats it as an image only, and cached by its name', async () => {
  const { data } = await upload({ json: { image: dataUrl(PNG), user_id: 'U1' } })
  const [row] = await harness.sql`SELECT * FROM media.screenshots WHERE filename = ${data?.filename ?? ''}`
  expect(row).toMatchObject({
    user_id: 'U1',
    width: 60,
    height: 40,
    object_key: `screenshots/${data?.filename}.png`,
  })
  const first = await show(`${data?.filename}.png`)
  expect(Object.fromEntries(first.headers)).toMatchObject({
    'content-type': 'image/png',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'",
    'cache-control': expect.stringContaining('immutable'),
  })
  const etag = first.headers.get('etag') ?? ''
  for (const match of [etag, `W/${etag}`, `"other", ${etag}`, '*'])
    expect((await show(`${data?.filename}.png`, { 'if-none-match': match })).status).toBe(304)
  expect((await show(`${data?.filename}.png`, { 'if-none-match': '"other"' })).status).toBe(200)
})

test.each([
  'unknown.png',
  'unknown',
  '..%2f..%2fetc%2fpasswd.png',
  'a%00.png',
  '%2e%2e.png',
  `${'a'.repeat(65)}.png`,
  '.png',
  'a.png.png',
  'a.PNG',
])('there is nothing under %s: 404 as JSON', async (name) => {
  const answer = await show(name)
  expect(answer.status).toBe(404)
  expect(answer.headers.get('content-type')).toContain('application/json')
})

test('the example in the API document is a valid image', async () => {
  const part = (await (await harness.call('/internal/openapi')).json()) as {
    paths: Record<string, { post: { requestBody: { content: Record<string, { example: unknown }> } } }>
  }
  const content = part.paths['/feedback-upload']?.post.requestBody.content
  expect(Object.keys(content ?? {})).toEqual(['application/json', 'multipart/form-data'])
  expect(await upload({ json: content?.['application/json']?.example })).toMatchObject({ status: 200 })
})

test('without the object store it is 503 with Retry-After, and there is no row without its object', async () => {
  const { data } = await upload({ json: { image: dataUrl(PNG) } })
  const rows = async () => (await harness.sql`SELECT 1 FROM media.screenshots`).length
  const before = await rows()
  harness.away()
  const answer = await upload({ json: { image: dataUrl(PNG) } })
  expect(answer.status).toBe(503)
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await show(`${data?.filename}.png`)).status).toBe(503)
  expect(await rows()).toBe(before)
  harness.back()
  const again = async () => (await upload({ json: { image: dataUrl(PNG) } })).status
  await until(async () => (await again()) === 200, { what: 'the object store to be back' })
})
