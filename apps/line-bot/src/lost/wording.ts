import type { messagingApi } from '@line/bot-sdk'
import { townInWords } from '@palanquin/domain/beacon-sentence'
import type { Language } from '@palanquin/domain/language'
import type { LostNotification, LostPlace } from '@palanquin/domain/lost'
import { TEXT_UNITS_MAX } from '../line-client/limits.ts'

/** As the map names it; null outside of Taiwan. */
type Town = { county: { zh: string; en: string }; town: { zh: string; en: string } } | null

/** A message is read on the move; the rest is with the organisers. */
const ABOUT_CHARACTERS_MAX = 300
/** A hundred such lines fit into five texts. */
const LINE_CHARACTERS_MAX = 80
/** Anybody may report: what volunteers get leads nowhere. */
const LINK = /(?:https?:\/\/|www\.)\S+/gi

export type Facts = { found: LostNotification; town: Town; mapUrl: string | null }

const shortened = (about: string, charactersMax: number): string => {
  const characters = [...about.replaceAll(LINK, '[…]')]
  return characters.length <= charactersMax
    ? characters.join('')
    : `${characters.slice(0, charactersMax).join('')}…`
}

const DEGREE_DECIMALS = 4
const placeName = (language: Language, town: Town, place: LostPlace): string => {
  if (town === null) return `${place.lat.toFixed(DEGREE_DECIMALS)}, ${place.lng.toFixed(DEGREE_DECIMALS)}`
  return townInWords(town, language)
}

const WORDS = {
  'zh-TW': {
    title: { lost: '🔎【志工協尋】附近有人走失', found: '🔎【志工協助】附近找到一位走散的人' },
    where: '地點：',
    about: '通報內容：',
    map: '地圖：',
    pin: { lost: '最後位置', found: '目前位置' },
    care: '以上由民眾通報，尚未查證。看到時請先確認安全，並回報主辦單位；緊急請撥 119 或 110。',
    noVolunteer: '5 公里內沒有可通知的志工，請主辦單位處理。',
    unknown: '（通報時沒有位置）',
    kind: { lost: '走失', found: '尋獲' },
    reports: (count: number) => `🔎【失散通報】${count} 件`,
    waiting: (count: number) => `還有 ${count} 件，一分鐘內再通知；全部都在管理後台。`,
  },
  en: {
    title: {
      lost: '🔎 For volunteers: somebody near you is missing',
      found: '🔎 For volunteers: somebody near you was found',
    },
    where: 'Where: ',
    about: 'Reported: ',
    map: 'Map: ',
    pin: { lost: 'Last position', found: 'Present position' },
    care: 'This is what somebody reported; nobody has checked it yet. If you see the person, see first that all is safe, then tell the organisers. In an emergency call 119 or 110.',
    noVolunteer: 'There is no volunteer within 5 km who could be notified: please take care of it.',
    unknown: '(reported without a place)',
    kind: { lost: 'Missing', found: 'Found' },
    reports: (count: number) => `🔎 Lost and found: reports: ${count}`,
    waiting: (count: number) =>
      `More reports wait: ${count}. They follow within a minute; the console shows all of them.`,
  },
} as const

function linesOf(language: Language, { found, town, mapUrl }: Facts): string[] {
  const words = WORDS[language]
  const [place] = found.places
  return [
    words.where + (place ? placeName(language, town, place) : words.unknown),
    words.about + shortened(found.about, ABOUT_CHARACTERS_MAX),
    ...(mapUrl === null ? [] : [words.map + mapUrl]),
  ]
}

/** The place as a pin, which LINE opens in the phone's own map: a position stands in no address. */
function pin(language: Language, { found: { kind, places }, town }: Facts): messagingApi.Message[] {
  const [place] = places
  if (!place) return []
  const title = WORDS[language].pin[kind]
  const address = placeName(language, town, place)
  return [{ type: 'location', title, address, latitude: place.lat, longitude: place.lng }]
}

const inBothLanguages = (messagesIn: (language: Language) => messagingApi.Message[]) => ({
  'zh-TW': messagesIn('zh-TW'),
  en: messagesIn('en'),
})

/** For volunteers near a case: what, where, and no phone number. */
export const forVolunteers = (facts: Facts) =>
  inBothLanguages((language) => {
    const { title, care } = WORDS[language]
    const text = [title[facts.found.kind], ...linesOf(language, facts), care].join('\n')
    return [{ type: 'text', text }, ...pin(language, facts)]
  })

/** For the owners, where no volunteer is near a case. */
export const forOwners = (facts: Facts) =>
  inBothLanguages((language) => {
    const { title, noVolunteer } = WORDS[language]
    const text = [title[facts.found.kind], ...linesOf(language, facts), noVolunteer].join('\n')
    return [{ type: 'text', text }, ...pin(language, facts)]
  })

/** What several reports of a minute come to: a line for each, in as few texts as they need. */
export const forAll = (cases: readonly Facts[], waiting: number) =>
  inBothLanguages((language) => {
    const words = WORDS[language]
    const lines = [
      words.reports(cases.length),
      ...cases.map((facts, at) => `${at + 1}. ${lineOf(language, facts)}`),
      ...(waiting > 0 ? [words.waiting(waiting)] : []),
      ...(cases[0]?.mapUrl ? [words.map + cases[0].mapUrl] : []),
      words.care,
    ]
    return textsOf(lines).map((text) => ({ type: 'text', text }))
  })

function lineOf(language: Language, { found, town }: Facts): string {
  const words = WORDS[language]
  const [place] = found.places
  const where = place ? placeName(language, town, place) : words.unknown
  return [
    words.kind[found.kind],
    where,
    shortened(found.about.replaceAll(/\s+/g, ' '), LINE_CHARACTERS_MAX),
  ].join('｜')
}

/** Lines in as few texts as LINE takes them in. */
function textsOf(lines: readonly string[]): string[] {
  const [first = '', ...others] = lines
  const texts = [first]
  for (const line of others) {
    const longer = `${texts.at(-1)}\n${line}`
    if (longer.length <= TEXT_UNITS_MAX) texts[texts.length - 1] = longer
    else texts.push(line)
  }
  return texts
}
