import type { messagingApi } from '@line/bot-sdk'
import { DEFAULT_LANGUAGE, type Localized } from '@palanquin/domain/language'
import type { Profile } from '@palanquin/domain/participant'

/** The event's name in both languages. */
export type EventName = Localized<string>

/** The totals of the activity, as engagement recorded them at the end. */
export type Totals = { participants: number; checkins: number; distanceKm: number; unlocked: number }

const text = (...lines: readonly string[]): messagingApi.Message => ({ type: 'text', text: lines.join('\n') })
const whole = (value: number): string => Math.round(value).toLocaleString('en-US')
const tenths = (value: number): string =>
  value.toLocaleString('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 })

/** A local date and time. */
const clock = (iso: string, timeZone: string): string =>
  new Date(iso).toLocaleString('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' })

/** For volunteers, at once, when the activity is paused. */
export const paused = (name: EventName, at: { iso: string; timeZone: string }) => ({
  'zh-TW': [
    text(
      `⏸️【志工通知】${name['zh-TW']}已暫停`,
      `時間：${clock(at.iso, at.timeZone)}`,
      '暫停期間不收打卡與軌跡，已收到的資料都會保存。恢復時會再通知，請協助告知香客。',
    ),
  ],
  en: [
    text(
      `⏸️ For volunteers: ${name.en} is paused`,
      `Since ${clock(at.iso, at.timeZone)}`,
      'No check-ins or tracks are taken for now; what has arrived is safe. You will hear when it goes on. Please tell the pilgrims.',
    ),
  ],
})

export const resumed = (name: EventName, at: { iso: string; timeZone: string }) => ({
  'zh-TW': [
    text(
      `▶️【志工通知】${name['zh-TW']}已恢復`,
      `時間：${clock(at.iso, at.timeZone)}`,
      '打卡與軌跡恢復接收，謝謝您的協助。',
    ),
  ],
  en: [
    text(
      `▶️ For volunteers: ${name.en} goes on`,
      `Since ${clock(at.iso, at.timeZone)}`,
      'Check-ins and tracks are taken again. Thank you for your help.',
    ),
  ],
})

/** To everybody without the achievement, when it is over. */
export const summaryForAll = (name: EventName, totals: Totals | null) => ({
  'zh-TW': [
    text(
      `🙏 ${name['zh-TW']}圓滿結束`,
      ...(totals
        ? [
            `${whole(totals.participants)} 位香客同行，打卡 ${whole(totals.checkins)} 次，`,
            `合計走過 ${whole(totals.distanceKm)} 公里。`,
          ]
        : []),
      '感謝您一路相伴，願平安順心。',
    ),
  ],
  en: [
    text(
      `🙏 ${name.en} has come to its end`,
      ...(totals
        ? [
            `${whole(totals.participants)} pilgrims took part, with ${whole(totals.checkins)} check-ins`,
            `and ${whole(totals.distanceKm)} km altogether.`,
          ]
        : []),
      'Thank you for walking with us. Go in peace.',
    ),
  ],
})

/** A participant's figures, the same as in their profile. */
const FIGURES: Localized<(profile: Profile) => string[]> = {
  'zh-TW': ({ distanceKm, walkedKm, checkins, level, carbon }) => [
    `里程：${tenths(distanceKm)} 公里（步行 ${tenths(walkedKm)} 公里）`,
    `打卡：${whole(checkins)} 次`,
    ...(level ? [`等級：${level.icon} ${level.nameZh}`] : []),
    `減碳：${tenths(carbon.avoidedKg)} 公斤`,
  ],
  en: ({ distanceKm, walkedKm, checkins, level, carbon }) => [
    `Distance: ${tenths(distanceKm)} km (${tenths(walkedKm)} km on foot)`,
    `Check-ins: ${whole(checkins)}`,
    ...(level ? [`Level: ${level.icon} ${level.nameEn}`] : []),
    `Carbon avoided: ${tenths(carbon.avoidedKg)} kg`,
  ],
}

export function finalSummary(name: EventName, profile: Profile, card: string | null): messagingApi.Message[] {
  const { displayName } = profile
  const language = profile.language ?? DEFAULT_LANGUAGE
  const figures = FIGURES[language](profile)
  const said: Localized<messagingApi.Message> = {
    'zh-TW': text(
      `🎉 ${displayName ? `${displayName}，` : ''}恭喜圓滿！${name['zh-TW']}`,
      ...figures,
      `感謝您走過的每一步${card ? '，成就卡送給您留念' : ''}。`,
    ),
    en: text(
      `🎉 ${displayName ? `${displayName}, you` : 'You'} made it! ${name.en} is complete.`,
      ...figures,
      `Thank you for every step.${card ? ' Your achievement card is yours to keep.' : ''}`,
    ),
  }
  return [said[language], ...picture(card)]
}

export function congratulation(profile: Profile, card: string | null): messagingApi.Message[] {
  const { displayName } = profile
  const language = profile.language ?? DEFAULT_LANGUAGE
  const heading: Localized<string> = {
    'zh-TW': `🏅 ${displayName ? `${displayName}，` : ''}恭喜解鎖成就卡！`,
    en: `🏅 ${displayName ? `${displayName}, congratulations` : 'Congratulations'}: you unlocked the achievement card!`,
  }
  return [text(heading[language], ...FIGURES[language](profile)), ...picture(card)]
}

const picture = (url: string | null): messagingApi.Message[] =>
  url === null ? [] : [{ type: 'image', originalContentUrl: url, previewImageUrl: url }]
