import type { Language } from '@palanquin/domain/participant'
import { en } from './en.ts'
import type { Texts } from './texts.ts'
import { zhTw } from './zh-tw.ts'

/** The texts of the bot, by the user's language. */
export const TEXTS: Readonly<Record<Language, Texts>> = { 'zh-TW': zhTw, en }
