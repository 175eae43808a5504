import { drawEvent, drawMessage, drawQuickReplies } from './draw.ts'
import { escaped, tappable } from './markup.ts'

/** @param {string} id */
const at = (id) => document.getElementById(id)
const PLACES = [
  ['拱天宮 Gongtian Temple', 24.56543, 120.70812],
  ['大甲 Dajia', 24.3457, 120.6238],
  ['清水 Qingshui', 24.2706, 120.5766],
  ['彰化 Changhua', 24.0759, 120.5444],
  ['西螺 Xiluo', 23.8012, 120.4632],
  ['北港朝天宮 Beigang', 23.5681, 120.3043],
]
const PICKERS = { date: '2026-04-17', time: '08:00', datetime: '2026-04-17T08:00' }

let userId = ''
let menuIsOpen = true
let drawnChat = ''
let lastEvents = []

async function call(path, body) {
  const answer = await fetch(`/_stub/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`)
  return answer.json()
}

/** Does something in the name of the person and shows the response of the bot's server. */
async function act(what, more = {}) {
  try {
    const { events, answers } = await call('act', { userId, what, ...more })
    if (events) lastEvents = events
    const [answer] = answers
    at('state').textContent = answer ? summaryOf(answer) : 'LINE sends the bot no event for this.'
  } catch (error) {
    at('state').textContent = String(error)
  }
}

const summaryOf = ({ status, tookMs, problem, body }) =>
  status === null
    ? `The webhook got no answer: ${problem}`
    : `The webhook answered ${status} in ${Math.round(tookMs)} ms${status === 200 ? '' : `: ${body.slice(0, 200)}`}`

/** A LIFF address is opened as this person. */
function openedBy(uri) {
  const url = new URL(uri, location.href)
  if (url.origin === location.origin && url.pathname.startsWith('/liff/')) url.searchParams.set('as', userId)
  return url.href
}

async function tap(action) {
  if (action.type === 'uri') return void window.open(openedBy(action.uri), '_blank', 'noreferrer')
  if (action.type === 'clipboard') return void navigator.clipboard.writeText(action.clipboardText)
  if (action.type === 'location') return act('location', place())
  if (action.type === 'camera' || action.type === 'cameraRoll') return at('photo').click()
  const picked =
    action.type === 'datetimepicker'
      ? window.prompt(action.label ?? action.mode, action.initial ?? PICKERS[action.mode])
      : undefined
  if (picked === null) return
  if (action.inputOption === 'closeRichMenu') menuIsOpen = false
  if (action.inputOption === 'openRichMenu') menuIsOpen = true
  if (action.inputOption === 'openKeyboard') at('text').focus()
  if (action.fillInText) at('text').value = action.fillInText
  await act('tap', { action, picked })
}

const place = () => {
  const chosen = PLACES[at('place').value]
  return { lat: Number(at('lat').value), lng: Number(at('lng').value), title: chosen ? chosen[0] : undefined }
}

function draw({ people, person, lines, menu, quota }) {
  userId = person.userId
  at('person').innerHTML = people
    .map(
      (each) =>
        `<option value="${escaped(each.userId)}">${escaped(each.displayName)} (${escaped(each.relation)})</option>`,
    )
    .join('')
  at('person').value = userId
  if (document.activeElement !== at('name')) at('name').value = person.displayName
  at('language').value = person.language ?? ''
  at('relation').textContent = `${person.userId}: ${person.relation}`
  at('quota').textContent =
    `Messages this month: ${quota.used}${quota.limit === null ? '' : ` of ${quota.limit}`}`
  const html = lines.map(drawLine).join('')
  const latest = lines.at(-1)
  at('quick').innerHTML = latest?.from === 'bot' ? drawQuickReplies(latest.message) : ''
  if (html !== drawnChat) {
    at('chat').innerHTML = html
    at('chat').scrollTop = at('chat').scrollHeight
    drawnChat = html
  }
  drawMenu(menu)
}

const drawLine = (line) => {
  const time = new Date(line.atMs).toLocaleTimeString()
  return line.from === 'bot'
    ? `<div class="row bot">${drawMessage(line.message)}<time>${time} · ${escaped(line.by)}</time></div>`
    : `<div class="row user">${drawEvent(line.event, line.shownAs)}<time>${time}</time></div>`
}

function drawMenu(menu) {
  at('menu').hidden = !menu || !menuIsOpen
  at('keyboard').hidden = !menu
  if (!menu) return
  const { width, height } = menu.size
  const cells = menu.areas.map(({ bounds, action }) => {
    const share = (value, whole) => `${(100 * value) / whole}%`
    const style = `left:${share(bounds.x, width)};top:${share(bounds.y, height)};width:${share(bounds.width, width)};height:${share(bounds.height, height)}`
    return `<button type="button" style="${style}" ${tappable(action)} aria-label="${escaped(action.label ?? '')}"></button>`
  })
  const html = `<img src="/_stub/menu/${encodeURIComponent(menu.richMenuId)}" alt="${escaped(menu.chatBarText)}">${cells.join('')}`
  if (at('menu').dataset.drawn !== html) at('menu').innerHTML = html
  at('menu').dataset.drawn = html
}

async function refresh() {
  const answer = await fetch(`/_stub/state?userId=${encodeURIComponent(userId)}`)
  draw(await answer.json())
}

function listen() {
  at('person').onchange = (change) => {
    userId = change.target.value
    refresh()
  }
  at('name').onchange = () => call('person', { userId, displayName: at('name').value })
  at('language').onchange = () => call('person', { userId, language: at('language').value })
  at('new-person').onclick = async () => {
    userId = (await call('person', { relation: 'none' })).userId
    refresh()
  }
  at('follow').onclick = () => act('follow')
  at('unfollow').onclick = () => act('unfollow')
  at('sticker').onclick = () => act('sticker')
  at('verify').onclick = () => act('verify')
  at('again').onclick = () => act('again', { events: lastEvents })
  at('locate').onclick = () => act('location', place())
  at('place').innerHTML = PLACES.map(
    ([name], index) => `<option value="${index}">${escaped(name)}</option>`,
  ).join('')
  at('place').onchange = () => {
    const [, lat, lng] = PLACES[at('place').value]
    at('lat').value = lat
    at('lng').value = lng
  }
  at('photo').onchange = async ({ target }) => {
    const [file] = target.files
    if (!file) return
    const base64 = btoa(
      Array.from(new Uint8Array(await file.arrayBuffer()), (byte) => String.fromCharCode(byte)).join(''),
    )
    await act('image', { base64, contentType: file.type })
    target.value = ''
  }
  at('keyboard').onclick = () => {
    menuIsOpen = !menuIsOpen
    refresh()
  }
  at('say').onsubmit = (submit) => {
    submit.preventDefault()
    const text = at('text').value
    at('text').value = ''
    if (text) act('text', { text })
  }
  document.querySelector('main').onclick = (click) => {
    const tapped = click.target.closest('[data-action]')
    if (tapped) tap(JSON.parse(tapped.dataset.action))
  }
  const changes = new EventSource('/_stub/changes')
  changes.onmessage = refresh
  changes.onerror = () => {
    at('state').textContent = 'The stub does not answer; it may be starting again.'
  }
}

listen()
refresh()
