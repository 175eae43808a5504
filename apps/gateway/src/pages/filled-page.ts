import { LANGUAGES, type Language } from '@palanquin/domain/language'
import { ConfigurationError } from '@palanquin/service/config'
import { Asset } from '../prebuilt/asset.ts'
import type { PlainResponse } from '../response.ts'
import type { BuildFile } from './build-files.ts'
import { DOCUMENT_HEADERS, fileOf, filled, type PageFacts, withFacts } from './documents.ts'
import { languageOf } from './language.ts'
import { POLICY } from './policy.ts'

export type FilledPage = (
  request: Request,
  values: (language: Language) => Readonly<Record<string, string>>,
) => Promise<PlainResponse>

/**
 * A page into which values of the request are put, so that link previews see them too. It is sent as it is: to compress it
 * for each request costs 3 ms.
 * @throws ConfigurationError when the build does not have it
 */
export function filledPage(
  name: string,
  files: ReadonlyMap<string, BuildFile>,
  facts: () => PageFacts,
): FilledPage {
  const templates = new Map<Language, string>()
  for (const language of LANGUAGES) {
    const file = files.get(fileOf(name, language))
    if (!file) throw new ConfigurationError([`the build of the pages has no ${name} in ${language}`])
    templates.set(language, new TextDecoder().decode(file.bytes))
  }
  return async (request, values) => {
    const language = languageOf(request)
    const present = facts()
    const named = { ...present, eventName: present.eventName[language] }
    const html = filled(withFacts(templates.get(language) ?? '', named), values(language))
    const page = new Asset(html, { ...DOCUMENT_HEADERS, 'content-security-policy': POLICY })
    const known = request.headers.get('if-none-match')
    return page.respond(new Headers(known === null ? {} : { 'if-none-match': known }))
  }
}
