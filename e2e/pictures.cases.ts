import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { PIXEL, PIXEL_URL } from '@palanquin/stack/testing/pixel'
import { until } from '@palanquin/testing/until'
import Type, { type Static } from 'typebox'
import Value from 'typebox/value'
import { fetchPatiently } from './fetch-patiently.ts'
import { kill } from './kill.ts'
import { stack } from './plain-stack.ts'

const IMAGE = { image: PIXEL_URL }
const Uploaded = Type.Object({
  data: Type.Object({
    filename: Type.String(),
    width: Type.Integer(),
    height: Type.Integer(),
    url: Type.String(),
  }),
})
const Photos = Type.Object({ data: Type.Object({ photos: Type.Integer() }) })

/** Requests of browsers: forms, HEAD and bytes, which the JSON client does not support. */
const browse = (path: string, init: RequestInit = {}) => {
  const { url, caFile } = stack.running()
  return fetchPatiently(url + path, { ...init, tls: { ca: readFileSync(caFile, 'utf8') } })
}
const form = () => {
  const body = new FormData()
  body.append('picture', new Blob([PIXEL]), 'screenshot.png')
  return { method: 'POST', body }
}
const uploaded = (body: unknown): Static<typeof Uploaded>['data'] => Value.Parse(Uploaded, body).data

test('a screenshot is uploaded as JSON or as a form, and is safe to view and to cache', async () => {
  const asForm = await browse('/api/event/feedback-upload', form())
  const pictures = [
    uploaded((await stack.api.post('/feedback-upload', IMAGE)).body),
    uploaded(await asForm.json()),
  ]
  for (const { filename, width, height, url } of pictures) {
    expect([width, height]).toEqual([1, 1])
    expect(new URL(url, 'https://host').pathname).toBe(`/api/event/feedback-image/${filename}.png`)
    const path = `/api/event/feedback-image/${filename}.png`
    const shown = await browse(path)
    const bytes = await shown.arrayBuffer()
    expect(shown.status).toBe(200)
    expect(shown.headers.get('content-type')).toBe('image/png')
    expect(shown.headers.get('x-content-type-options')).toBe('nosniff')
    expect(shown.headers.get('content-security-policy')).toBe("default-src 'none'")
    const head = await browse(path, { method: 'HEAD' })
    expect(head.headers.get('content-length')).toBe(String(bytes.byteLength))
    const known = { 'if-none-match': shown.headers.get('etag') ?? '' }
    expect((await browse(path, { headers: known })).status).toBe(304)
  }
})

test('only the upload accepts a form, and no route one larger than 102,400 bytes', async () => {
  expect((await browse('/api/event/user/sync', form())).status).toBe(400)
  const large = form()
  large.body.append('more', 'x'.repeat(102_400))
  expect((await browse('/api/event/feedback-upload', large)).status).toBe(413)
})

test('a photo submitted by the bot is counted at once, also in a cached profile', async () => {
  const { url, internalToken } = { ...stack.running(), url: stack.running().services.media?.url ?? '' }
  await stack.api.post('/user/sync', { userId: 'U-photo' })
  const photos = async () => Value.Parse(Photos, (await stack.api.get('/user/U-photo')).body).data.photos
  expect(await photos()).toBe(0)
  const sent = await fetchPatiently(`${url}/internal/photos?userId=U-photo&messageId=1`, {
    method: 'POST',
    headers: { 'x-internal-token': internalToken, 'content-type': 'image/png' },
    body: PIXEL,
  })
  expect(sent.status).toBe(200)
  expect((await stack.api.get('/photos/count?userId=U-photo')).body).toMatchObject({ data: { count: 1 } })
  await until(async () => (await photos()) === 1, { what: 'the photo in the profile' })
})

test('after a kill -9 of its service a screenshot is still there, and the next one is accepted', async () => {
  const { filename } = uploaded((await stack.api.post('/feedback-upload', IMAGE)).body)
  kill(stack, 'media')
  await until(async () => (await stack.api.post('/feedback-upload', IMAGE)).status === 200, {
    what: 'an upload after the restart',
  })
  expect((await browse(`/api/event/feedback-image/${filename}.png`)).status).toBe(200)
})
