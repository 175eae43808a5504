import { expect, test } from 'bun:test'
import { LANGUAGES } from '@palanquin/domain/language'
import { documentOf } from './document.tsx'
import { textsOf } from './i18n/texts.ts'
import type { Texts } from './i18n/zh-tw.ts'
import { PAGES } from './pages/pages.ts'
import type { PageName } from './parts/shell.tsx'

/** What each page says before its script runs, besides its bar. */
const SENTENCES: Readonly<Record<PageName, (texts: Texts) => string>> = {
  home: ({ whereTitle }) => whereTitle,
  map: ({ whereLoading }) => whereLoading,
  me: ({ myWalkLoading }) => myWalkLoading,
  privacy: ({ privacyMap }) => privacyMap[0] ?? '',
  survey: ({ surveyLoading }) => surveyLoading,
  feedback: ({ feedbackIntro }) => feedbackIntro,
  lost: ({ call119Hint }) => call119Hint,
  found: ({ foundBody }) => foundBody,
  card: () => '%CARD_DESCRIPTION%',
  share: ({ shareLoading }) => shareLoading,
  'share-ended': ({ shareEndedBody }) => shareEndedBody,
  setup: ({ setupTitle }) => setupTitle,
  'not-found': ({ notFoundBody }) => notFoundBody,
}
const ASSETS = { script: '', preload: [], styles: [], mapWorker: '', mapStyles: '', outlines: '', icon: '' }

for (const page of PAGES)
  for (const language of LANGUAGES)
    test(`${page.name} in ${language} says its sentence without a script, and that it wants one`, () => {
      const texts = textsOf(language)
      const [, body = ''] = documentOf(page, language, ASSETS, '').split('<div id="app">')
      expect(body).toContain(SENTENCES[page.name](texts))
      expect(body).toContain(texts.skipToContent)
      expect(documentOf(page, language, ASSETS, '')).toContain(
        `<noscript><p class="banner">${texts.noScript}</p>`,
      )
    })
