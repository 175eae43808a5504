import type { Localized } from '@palanquin/domain/language'
import { LEVELS } from '@palanquin/domain/level'
import type { CardContent, Progress } from './content.ts'

/** The words of a card, in the participant's language. */
type Wording = {
  event: string
  dates: string | null
  name: string
  figures: readonly { label: string; value: string; unit: string }[]
  next: { heading: string; bars: readonly { text: string; share: number }[] }
}

const number = (value: number, digits: number): string =>
  value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })

const KM_DIGITS = 1

/** @throws RangeError for an unknown level */
function titleOf(level: number): { nameZh: string; nameEn: string } {
  const known = LEVELS.find((candidate) => candidate.level === level)
  if (!known) throw new RangeError(`there is no level ${level}`)
  return known
}

/** The words and figures of a card; the title of its own level is part of the artwork. */
export const wordingOf = (content: CardContent): Wording => WORDINGS[content.language](content)

function chinese({ event, name, km, checkins, avoidedKg, next, level }: CardContent): Wording {
  const missing = (progress: Progress, [what, unit]: readonly [string, string], digits: number) => ({
    text: progress.toGo === 0 ? `${what}已達標` : `還差 ${number(progress.toGo, digits)} ${unit}`,
    share: progress.share,
  })
  return {
    event: event.nameZh,
    dates: event.dates,
    name: name ?? '香客',
    figures: [
      { label: '里程', value: number(km, KM_DIGITS), unit: '公里' },
      { label: '打卡', value: number(checkins, 0), unit: '次' },
      { label: '減碳', value: number(avoidedKg, KM_DIGITS), unit: '公斤' },
    ],
    next: next
      ? {
          heading: level === 0 ? '完成第一次打卡，踏上進香路' : `下一境　${titleOf(next.level).nameZh}`,
          bars:
            level === 0
              ? []
              : [
                  missing(next.km, ['里程', '公里'], KM_DIGITS),
                  missing(next.checkins, ['打卡', '次打卡'], 0),
                ],
        }
      : { heading: '已達最高境界，功德無量', bars: [] },
  }
}

function english({ event, name, km, checkins, avoidedKg, next, level }: CardContent): Wording {
  const missing = (
    progress: Progress,
    [what, one, more]: readonly [string, string, string],
    digits: number,
  ) => ({
    text:
      progress.toGo === 0
        ? `${what} reached`
        : `${number(progress.toGo, digits)} ${progress.toGo === 1 ? one : more} to go`,
    share: progress.share,
  })
  return {
    event: event.nameEn,
    dates: event.dates,
    name: name ?? 'Pilgrim',
    figures: [
      { label: 'Distance', value: number(km, KM_DIGITS), unit: 'km' },
      { label: 'Check-ins', value: number(checkins, 0), unit: '' },
      { label: 'Carbon avoided', value: number(avoidedKg, KM_DIGITS), unit: 'kg' },
    ],
    next: next
      ? {
          heading: level === 0 ? 'Check in once to set out' : `Next: ${titleOf(next.level).nameEn}`,
          bars:
            level === 0
              ? []
              : [
                  missing(next.km, ['Distance', 'km', 'km'], KM_DIGITS),
                  missing(next.checkins, ['Check-ins', 'check-in', 'check-ins'], 0),
                ],
        }
      : { heading: 'The highest of all nine levels', bars: [] },
  }
}

const WORDINGS: Localized<(content: CardContent) => Wording> = { 'zh-TW': chinese, en: english }
