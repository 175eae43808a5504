import type { Language } from '@palanquin/domain/participant'
import { en } from './en.ts'
import type { Texts } from './texts.ts'
import { zhTw } from './zh-tw.ts'

/** What the bot says, by the language of whom it speaks to. */
export const TEXTS: Readonly<Record<Language, Texts>> = { 'zh-TW': zhTw, en }
