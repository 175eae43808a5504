import type { Localized } from '@palanquin/domain/language'
import { en } from './en.ts'
import { type Texts, zhTw } from './zh-tw.ts'

export type { Texts }

/** The texts of the bot, by the user's language. */
export const TEXTS: Localized<Texts> = { 'zh-TW': zhTw, en }
