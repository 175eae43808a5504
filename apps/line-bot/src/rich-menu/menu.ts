import type { Language, Localized } from '@palanquin/domain/language'
import type { Command } from '../conversation/vocabulary/command.ts'
import { postbackData } from '../conversation/vocabulary/postback.ts'

/** The names of this bot's menus begin so; others on the account are not ours. */
export const NAME_PREFIX = 'palanquin '

const WIDTH = 2500
const HEIGHT = 1686
const COLUMNS = 3
const ROWS = 2

/** Row by row from the left, as the picture has them (media, rich-menu/cells). */
const CELLS = ['checkin', 'mileage', 'card', 'map', 'feedback', 'help'] as const satisfies readonly Command[]

/** On the bar that opens and closes the menu: 14 units at the most. */
const BAR: Localized<string> = { 'zh-TW': '🙏 進香選單', en: '🙏 Menu' }
/** The text that LINE shows for a tap. */
const SAID: Localized<Readonly<Record<(typeof CELLS)[number], string>>> = {
  'zh-TW': {
    checkin: '打卡',
    mileage: '我的里程',
    card: '成就卡',
    map: '地圖',
    feedback: '回報',
    help: '說明',
  },
  en: {
    checkin: 'Check in',
    mileage: 'My distance',
    card: 'My card',
    map: 'Map',
    feedback: 'Feedback',
    help: 'Help',
  },
}

/** The menu of a language as LINE wants it: six areas that cover the picture without a gap. */
export const menuOf = (language: Language) => ({
  size: { width: WIDTH, height: HEIGHT },
  selected: true,
  name: `${NAME_PREFIX}${language}`,
  chatBarText: BAR[language],
  areas: CELLS.map((name, index) => {
    const x = edge(index % COLUMNS, COLUMNS, WIDTH)
    const y = edge(Math.floor(index / COLUMNS), ROWS, HEIGHT)
    return {
      bounds: {
        x,
        y,
        width: edge((index % COLUMNS) + 1, COLUMNS, WIDTH) - x,
        height: edge(Math.floor(index / COLUMNS) + 1, ROWS, HEIGHT) - y,
      },
      action: {
        type: 'postback',
        label: SAID[language][name],
        data: postbackData({ action: name }),
        displayText: SAID[language][name],
      },
    }
  }),
})

const edge = (index: number, count: number, length: number): number => Math.round((index * length) / count)
