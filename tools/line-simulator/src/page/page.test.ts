import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type LineStub, testLine } from '../stub.ts'
import { drawEvent, drawMessage, drawQuickReplies } from './draw.ts'

let line: LineStub
let userId: string
beforeAll(() => {
  line = testLine()
  userId = line.control.people.add({ relation: 'none' }).userId
})
afterAll(() => line.close())

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(new URL(path, line.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
const EVIL = `<img src=x onerror="alert(1)">'`

test('whatever a bot or a user writes is shown and never run', () => {
  const drawn = [
    drawMessage({ type: 'text', text: EVIL }),
    drawMessage({ type: EVIL }),
    drawMessage({ type: 'image', previewImageUrl: EVIL }),
    drawMessage({ type: 'location', title: EVIL, address: EVIL }),
    drawMessage({ type: 'template', template: { text: EVIL, title: EVIL, actions: [{ label: EVIL }] } }),
    drawMessage({
      type: 'flex',
      contents: {
        type: 'bubble',
        size: EVIL,
        styles: { body: { backgroundColor: EVIL } },
        body: {
          type: 'box',
          layout: EVIL,
          paddingAll: EVIL,
          background: { type: 'linearGradient', angle: EVIL, startColor: EVIL },
          contents: [
            {
              type: 'text',
              text: EVIL,
              color: EVIL,
              size: EVIL,
              flex: EVIL,
              action: { type: EVIL, data: EVIL },
            },
            { type: 'button', style: EVIL, color: EVIL, action: { label: EVIL } },
            { type: 'image', url: EVIL, aspectRatio: EVIL },
            { type: EVIL },
          ],
        },
      },
    }),
    drawQuickReplies({ quickReply: { items: [{ action: { label: EVIL } }] } }),
    drawEvent({ type: 'message', message: { type: 'text', text: EVIL } }),
    drawEvent({ type: 'message', message: { type: 'image', id: EVIL } }),
    drawEvent({ type: EVIL }, EVIL),
  ]
  const sources: string[] = []
  const attributes = new Set<string>()
  const parser = new HTMLRewriter().on('*', {
    element: (element) => {
      for (const [name] of element.attributes) attributes.add(name)
      if (element.tagName === 'img') sources.push(element.getAttribute('src') ?? '')
    },
  })
  for (const html of drawn) parser.transform(html)
  const harmless = ['class', 'style', 'title', 'alt', 'src', 'data-action']
  expect([...attributes].filter((name) => !harmless.includes(name))).toEqual([])
  expect(sources.filter((source) => !source.startsWith('/_stub/'))).toEqual([])
  expect(drawn.join('')).not.toMatch(/style="[^"]*(img|alert)/)
})

test('a bubble is drawn with its texts, its colours, and its buttons to tap', () => {
  const html = drawMessage({
    type: 'flex',
    contents: {
      type: 'bubble',
      body: {
        type: 'box',
        layout: 'vertical',
        spacing: 'md',
        contents: [
          { type: 'text', text: '12.3 km', size: 'xl', weight: 'bold', color: '#1db446' },
          {
            type: 'box',
            layout: 'vertical',
            contents: [],
            width: '42%',
            height: '6px',
            backgroundColor: '#1db446',
          },
          {
            type: 'button',
            style: 'primary',
            action: { type: 'postback', label: '等級', data: 'v=1&a=level' },
          },
        ],
      },
    },
  })
  expect(html).toContain('font-size:22px;color:#1db446;font-weight:bold;" >12.3 km</div>')
  expect(html).toContain('width:42%')
  expect(html).toContain('data-action="{&quot;type&quot;:&quot;postback&quot;')
})

test('a bar beside an icon takes the space that is left, and the icon its own', () => {
  const track = { type: 'box', layout: 'vertical', height: '10px', backgroundColor: '#eeeeee', contents: [] }
  const icon = { type: 'text', text: '🚶', flex: 0 }
  const row = { type: 'box', layout: 'horizontal', contents: [icon, track] }
  const html = drawMessage({ type: 'flex', contents: { type: 'bubble', body: row } })
  expect(html).toContain('style="flex:none;')
  expect(html).toContain('style="flex:1;background:#eeeeee;height:10px;')
})

test('the page, its script and its style come from the stub, with a policy that lets nothing else in', async () => {
  for (const [path, type] of [
    ['/', 'text/html'],
    ['/page.js', 'text/javascript'],
    ['/page.css', 'text/css'],
  ] as const) {
    const answer = await fetch(new URL(path, line.url))
    const text = await answer.text()
    expect(answer.headers.get('content-type')).toContain(type)
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'")
    expect(text).not.toMatch(/(src|href|url)\s*[=(]\s*["']?https?:/)
  }
})

test('a person who follows and writes in the page reaches the bot, and the page shows the change', async () => {
  const changes = await fetch(new URL('/_stub/changes', line.url))
  const reader = changes.body?.getReader()
  await reader?.read() // the greeting
  expect((await post('/_stub/act', { userId, what: 'follow' })).status).toBe(200)
  await reader?.read()
  await reader?.cancel()
  await post('/_stub/act', { userId, what: 'text', text: '里程' })
  await post('/_stub/act', {
    userId,
    what: 'tap',
    action: { type: 'postback', data: 'v=1', displayText: '等級' },
  })
  const answer = await fetch(new URL(`/_stub/state?userId=${userId}`, line.url))
  expect(await answer.json()).toMatchObject({
    person: { relation: 'friend' },
    lines: [
      { from: 'user', event: { type: 'follow' } },
      { from: 'user', event: { message: { text: '里程' } } },
      { from: 'user', event: { postback: { data: 'v=1' } }, shownAs: '等級' },
    ],
  })
})

test('another site can make the stub do nothing, nor can a wrong order', async () => {
  expect(
    (await post('/_stub/act', { userId, what: 'follow' }, { origin: 'https://evil.example' })).status,
  ).toBe(403)
  expect(
    (await post('/_stub/act', { userId, what: 'follow' }, { 'content-type': 'text/plain' })).status,
  ).toBe(415)
  expect((await fetch(line.url, { headers: { host: 'evil.example' } })).status).toBe(400)
  expect((await post('/_stub/act', { userId, what: 'fly' })).status).toBe(400)
  expect((await post('/_stub/act', { userId: 'U1', what: 'follow' })).status).toBe(400)
  expect((await post('/_stub/faults', { kind: 'storm' })).status).toBe(400)
  expect((await post('/_stub/nothing', {})).status).toBe(404)
})

test('another process can order faults, people and time', async () => {
  const made: unknown = await (await post('/_stub/people', { count: 3 })).json()
  expect(made).toEqual({ userIds: [expect.any(String), expect.any(String), expect.any(String)] })
  expect((await post('/_stub/faults', { kind: 'rate', at: 'info', times: 2 })).status).toBe(200)
  const info = () =>
    fetch(`${line.apiBase}/v2/bot/info`, { headers: { authorization: `Bearer ${line.channelAccessToken}` } })
  expect((await info()).status).toBe(429)
  await post('/_stub/faults/clear', {})
  expect((await info()).status).toBe(200)
  const before = line.control.clock.now()
  await post('/_stub/clock', { advanceMs: 60_000 })
  expect(line.control.clock.now() - before).toBeGreaterThanOrEqual(60_000)
  expect(await (await fetch(new URL('/_stub/repeated', line.url))).json()).toEqual([])
})

test('no picture is fetched from anywhere but the gateway', async () => {
  line.control.listenAt('https://localhost:1/api/event/webhook')
  for (const url of ['https://example.com/a.png', 'http://127.0.0.1:80/', 'https://localhost:2/', 'nothing'])
    expect(
      await (await fetch(new URL(`/_stub/picture?url=${encodeURIComponent(url)}`, line.url))).text(),
    ).toContain('elsewhere')
})
