import type { Localized } from '@palanquin/domain/language'

/** LINE's largest rich menu, in pixels. */
export const MENU_WIDTH = 2500
export const MENU_HEIGHT = 1686

type Cell = {
  /** Colours of the title, and of the quieter line below. */
  ink: string
  soft: string
  words: Localized<{ title: string; text: string }>
}

/** The six cells, row by row from the left: the order that the bot's areas follow. */
export const CELLS: readonly Cell[] = [
  {
    ink: '#fff6e6',
    soft: '#ffdcae',
    words: {
      'zh-TW': { title: '打卡', text: '傳送我的位置' },
      en: { title: 'Check in', text: 'Send my location' },
    },
  },
  {
    ink: '#5d1420',
    soft: '#8a4b32',
    words: {
      'zh-TW': { title: '我的里程', text: '走了多遠、第幾級' },
      en: { title: 'My distance', text: 'How far, what level' },
    },
  },
  {
    ink: '#5d1420',
    soft: '#7c3a17',
    words: {
      'zh-TW': { title: '成就卡', text: '留念、分享親友' },
      en: { title: 'My card', text: 'To keep and share' },
    },
  },
  {
    ink: '#5d1420',
    soft: '#8a4b32',
    words: {
      'zh-TW': { title: '地圖', text: '大家走到哪裡' },
      en: { title: 'Map', text: 'Where everybody is' },
    },
  },
  {
    ink: '#fff6e6',
    soft: '#cdeee2',
    words: {
      'zh-TW': { title: '回報', text: '有話跟我們說' },
      en: { title: 'Feedback', text: 'Talk to us' },
    },
  },
  {
    ink: '#5d1420',
    soft: '#8a4b32',
    words: {
      'zh-TW': { title: '說明', text: '我可以幫什麼忙' },
      en: { title: 'Help', text: 'What I can do' },
    },
  },
]

const COLUMNS = 3
const ROWS = 2
/** Between tiles, and around them all. */
const GAP = 26

type Place = { x: number; y: number; width: number; height: number }

/** The position of a tile. */
export function tileAt(index: number): Place {
  const width = (MENU_WIDTH - GAP * (COLUMNS + 1)) / COLUMNS
  const height = (MENU_HEIGHT - GAP * (ROWS + 1)) / ROWS
  const [column, row] = [index % COLUMNS, Math.floor(index / COLUMNS)]
  return { x: GAP + column * (width + GAP), y: GAP + row * (height + GAP), width, height }
}
