import { ConfigurationError } from '@palanquin/service/config'
import { Asset } from '../prebuilt/asset.ts'
import type { PlainResponse } from '../response.ts'
import type { BuildFile } from './build-files.ts'
import { DOCUMENT_HEADERS, fileOf, filled, type PageFacts, withFacts } from './documents.ts'
import { languageOf, PAGE_LANGUAGES, type PageLanguage } from './language.ts'
import { POLICY } from './policy.ts'

export type FilledPage = (
  request: Request,
  options: {
    values?: (language: PageLanguage) => Readonly<Record<string, string>>
    headers?: Readonly<Record<string, string>>
    status?: number
  },
) => Promise<PlainResponse>

/**
 * A page into which values of the request are put, so that link previews see them too.
 * @throws ConfigurationError when the build does not have it
 */
export function filledPage(
  name: string,
  files: ReadonlyMap<string, BuildFile>,
  facts: () => PageFacts,
): FilledPage {
  const templates = new Map<PageLanguage, string>()
  for (const language of PAGE_LANGUAGES) {
    const file = files.get(fileOf(name, language))
    if (!file) throw new ConfigurationError([`the build of the pages has no ${name} in ${language}`])
    templates.set(language, new TextDecoder().decode(file.bytes))
  }
  return async (request, { values, headers = {}, status = 200 }) => {
    const language = languageOf(request)
    const present = facts()
    const named = { ...present, eventName: present.eventName[language] }
    const html = filled(withFacts(templates.get(language) ?? '', named), values?.(language) ?? {})
    const page = new Asset(html, { ...DOCUMENT_HEADERS, 'content-security-policy': POLICY, ...headers })
    const answer = await page.respond(request.headers)
    return answer.status === 304 ? answer : { status, headers: answer.headers, body: answer.body }
  }
}
