import { LEVELS } from '@palanquin/domain/rank'
import { letters } from '../drawing/lettering.ts'
import { CARD_HEIGHT, CARD_WIDTH } from '../drawing/shapes.ts'
import type { Edition } from '../edition.ts'
import { emojiSvg } from '../render/emoji.ts'
import { achievementEdition } from './achievement.ts'
import { lookOf } from './looks.ts'

/** What somebody is called who has not checked in yet. */
export const NOT_YET_TITLE = { nameZh: '即將啟程', nameEn: 'Not Yet on the Way', icon: '🏮' } as const

const LEFT = 68
const ICON_SIZE = 78
const ICON_TOP = 202

/** The title of a level as it stands on its cards. */
export const titleOf = (level: number): { nameZh: string; nameEn: string; icon: string } =>
  LEVELS.find((known) => known.level === level) ?? NOT_YET_TITLE

/** Everything that all cards of an edition have in common, as a whole SVG: scene, title in both languages, adornment. */
export function backgroundSvg({ level, unlocked }: Edition): string {
  const look = lookOf(level)
  const { nameZh, nameEn, icon } = titleOf(level)
  const emoji = emojiSvg(icon)
  const left = emoji ? LEFT + ICON_SIZE + 22 : LEFT
  const title =
    letters(nameZh, { x: left, y: 264, size: 76, spacing: 4, fill: look.accent }) +
    letters(nameEn, { x: left + 3, y: 310, size: 30, spacing: 0.6, fill: look.soft })
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${CARD_WIDTH}" height="${CARD_HEIGHT}" viewBox="0 0 ${CARD_WIDTH} ${CARD_HEIGHT}">` +
    look.scene() +
    (unlocked ? achievementEdition() : '') +
    (emoji ? placed(emoji) : '') +
    `${title}</svg>`
  )
}

/** An emoji is a whole SVG of its own, 36 units wide: it becomes a part of this one. */
const placed = (svg: string): string =>
  svg.replace(
    /<svg([^>]*)>/,
    `<svg$1 x="${LEFT}" y="${ICON_TOP}" width="${ICON_SIZE}" height="${ICON_SIZE}">`,
  )
