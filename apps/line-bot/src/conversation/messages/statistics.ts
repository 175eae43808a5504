import type { messagingApi } from '@line/bot-sdk'
import { inLanguage, type Language } from '@palanquin/domain/language'
import { LEVELS, type Level } from '@palanquin/domain/level'
import type { Profile } from '@palanquin/domain/participant'
import type { Texts } from '../texts/texts.ts'
import { COLOURS } from './colours.ts'
import { pageButton } from './plain.ts'

/** LINE draws no bar of 0 %, and one that is nearly full should not look full. */
const SHARE_MIN = 0.02
const SHARE_ALMOST = 0.98

/** A line with an icon and a bar that is filled by the share `done` of it. */
function progressBar(icon: string, done: number): messagingApi.FlexBox {
  const share = done >= 1 ? 1 : Math.min(SHARE_ALMOST, Math.max(SHARE_MIN, done))
  const filling: messagingApi.FlexBox = {
    type: 'box',
    layout: 'vertical',
    contents: [{ type: 'filler' }],
    width: `${Math.round(share * 100)}%`,
    height: '10px',
    backgroundColor: share === 1 ? COLOURS.gold : COLOURS.vermilion,
    cornerRadius: '5px',
  }
  return {
    type: 'box',
    layout: 'horizontal',
    alignItems: 'center',
    spacing: 'md',
    contents: [
      { type: 'text', text: icon, size: 'sm', flex: 0 },
      {
        type: 'box',
        layout: 'vertical',
        contents: [filling],
        height: '10px',
        backgroundColor: COLOURS.track,
        cornerRadius: '5px',
      },
    ],
  }
}

/** A level's icon and title. */
const titleOf = ({ icon, nameZh, nameEn }: Pick<Level, 'icon' | 'nameZh' | 'nameEn'>, language: Language) =>
  `${icon} ${inLanguage(language, { zh: nameZh, en: nameEn })}`

/** The figures of a profile, the level and the way to the next. `page` is the address of `/me`. */
export function statisticsMessage(
  texts: Texts,
  language: Language,
  profile: Profile,
  page: string | null,
): messagingApi.Message {
  const words = texts.statistics
  const { level, distanceKm: km, checkins } = profile
  const title = level && titleOf(level, language)
  return {
    type: 'flex',
    altText: words.spoken({ km, checkins, title }),
    contents: {
      type: 'bubble',
      header: header(words.title, title ?? words.noLevel, level ? words.level(level.level) : null),
      body: {
        type: 'box',
        layout: 'vertical',
        spacing: 'lg',
        contents: [
          {
            type: 'box',
            layout: 'vertical',
            spacing: 'sm',
            contents: [
              figure('🚶', words.walked, words.kilometres(km)),
              figure('📍', words.checkins, words.times(checkins)),
              figure('📷', words.photos, words.pictures(profile.photos)),
              figure('🌱', words.avoided, words.kilograms(profile.carbon.avoidedKg)),
            ],
          },
          { type: 'separator', color: COLOURS.track },
          ...wayOn(texts, language, profile),
        ],
      },
      ...(page === null ? {} : { footer: pageButton(words.open, page) }),
      styles: { header: { backgroundColor: COLOURS.vermilion }, body: { backgroundColor: COLOURS.paper } },
    },
  }
}

const header = (title: string, name: string, level: string | null): messagingApi.FlexBox => ({
  type: 'box',
  layout: 'vertical',
  contents: [
    { type: 'text', text: title, size: 'sm', color: COLOURS.pale },
    { type: 'text', text: name, size: 'xl', weight: 'bold', color: COLOURS.white, wrap: true, margin: 'sm' },
    ...(level ? [levelLine(level)] : []),
  ],
})

const levelLine = (level: string): messagingApi.FlexComponent => ({
  type: 'text',
  text: level,
  size: 'md',
  color: COLOURS.pale,
  margin: 'xs',
})

const figure = (icon: string, name: string, value: string): messagingApi.FlexBox => ({
  type: 'box',
  layout: 'baseline',
  contents: [
    { type: 'text', text: `${icon} ${name}`, size: 'md', color: COLOURS.quiet, flex: 4 },
    { type: 'text', text: value, size: 'lg', weight: 'bold', color: COLOURS.ink, align: 'end', flex: 5 },
  ],
})

/** What is missing to the next level, and how far each half of it has come. */
function wayOn(
  { statistics: words }: Texts,
  language: Language,
  profile: Profile,
): messagingApi.FlexComponent[] {
  const { level } = profile
  if (!level) return [sentence(words.firstStep(first ? titleOf(first, language) : ''))]
  const next = level.next && LEVELS.find((one) => one.level === level.next?.level)
  const here = LEVELS.find((one) => one.level === level.level)
  if (!level.next || !next || !here) return [sentence(words.top)]
  const { kmToGo, checkinsToGo } = level.next
  return [
    sentence(words.toGo({ km: kmToGo, checkins: checkinsToGo, title: titleOf(next, language) })),
    progressBar('🚶', 1 - kmToGo / (next.minKm - here.minKm)),
    progressBar('📍', 1 - checkinsToGo / (next.minCheckins - here.minCheckins)),
  ]
}

const [first] = LEVELS

const sentence = (text: string): messagingApi.FlexComponent => ({
  type: 'text',
  text,
  size: 'md',
  color: COLOURS.ink,
  wrap: true,
})
