import { DEFAULT_LANGUAGE, type Language } from '@palanquin/domain/language'
import { remembered } from '../prebuilt/remembered.ts'

/** The reader's language: `?lang`, then Accept-Language by its weights, then Chinese. */
export function languageOf(request: Request): Language {
  const asked = request.url.includes('?') ? new URL(request.url).searchParams.get('lang') : null
  if (asked !== null) return known(asked) ?? DEFAULT_LANGUAGE
  return acceptedLanguage(request.headers.get('accept-language'))
}

const acceptedLanguage = remembered((header): Language => {
  const ranges = (header ?? '').split(',').map((range) => {
    const [tag = '', ...parameters] = range.trim().split(';')
    const weight = parameters.map((parameter) => /^\s*q=([\d.]+)\s*$/.exec(parameter)?.[1]).find(Boolean)
    return { tag, weight: weight === undefined ? 1 : Number(weight) }
  })
  for (const { tag } of ranges.filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight)) {
    const language = known(tag)
    if (language) return language
  }
  return DEFAULT_LANGUAGE
})

/** Any Chinese is Traditional Chinese here: closer than English. */
function known(tag: string): Language | undefined {
  const primary = tag.toLowerCase().split('-')[0]
  return primary === 'zh' ? 'zh-TW' : primary === 'en' ? 'en' : undefined
}
