import type { Localized } from '@palanquin/domain/language'
import { en } from './en.ts'
import type { Texts } from './texts.ts'
import { zhTw } from './zh-tw.ts'

/** The texts of the bot, by the user's language. */
export const TEXTS: Localized<Texts> = { 'zh-TW': zhTw, en }
