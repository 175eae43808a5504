import type { ComponentType } from 'preact'
import type { Texts } from '../i18n/zh-tw.ts'
import type { PageName } from '../parts/shell.tsx'
import { CardPage } from './card/page.tsx'
import { FeedbackPage } from './feedback/page.tsx'
import { FoundPage } from './found/page.tsx'
import { HomePage } from './home/page.tsx'
import { LostPage } from './lost/page.tsx'
import { MapPage } from './map/page.tsx'
import { MyWalkPage } from './me/page.tsx'
import { NotFoundPage } from './not-found/page.tsx'
import { PrivacyPage } from './privacy/page.tsx'
import { SetupPage } from './setup/page.tsx'
import { SharePage } from './share/page.tsx'
import { ShareEndedPage } from './share-ended/page.tsx'
import { SurveyPage } from './survey/page.tsx'

export type PageEntry = {
  name: PageName
  Page: ComponentType
  title: (texts: Texts) => string
  /** Whether it has a style sheet beside the one of all pages. */
  styled: boolean
  /** Whether the map's chunk belongs to it. */
  hasMap: boolean
  /** Whether people may sign in with LINE here. */
  signsIn?: boolean
  /** What link previews show, where it is not the page's own title. */
  preview?: 'card'
  /** Whether search engines are to stay away. */
  isPrivate?: boolean
}

/** Every page that is built; `apps/gateway/src/pages` says at which path each is served. */
export const PAGES: readonly PageEntry[] = [
  {
    name: 'home',
    Page: HomePage,
    title: (texts) => texts.siteName,
    styled: true,
    hasMap: false,
    signsIn: true,
  },
  { name: 'map', Page: MapPage, title: (texts) => texts.siteName, styled: true, hasMap: true },
  { name: 'me', Page: MyWalkPage, title: (texts) => texts.myWalk, styled: true, hasMap: true, signsIn: true },
  { name: 'survey', Page: SurveyPage, title: (texts) => texts.surveyTitle, styled: false, hasMap: false },
  {
    name: 'feedback',
    Page: FeedbackPage,
    title: (texts) => texts.feedbackTitle,
    styled: false,
    hasMap: false,
  },
  { name: 'privacy', Page: PrivacyPage, title: (texts) => texts.privacyTitle, styled: false, hasMap: false },
  { name: 'lost', Page: LostPage, title: (texts) => texts.lostTitle, styled: false, hasMap: false },
  { name: 'found', Page: FoundPage, title: (texts) => texts.foundTitle, styled: false, hasMap: false },
  {
    name: 'card',
    Page: CardPage,
    title: (texts) => texts.cardTitle,
    styled: true,
    hasMap: false,
    preview: 'card',
  },
  {
    name: 'share',
    Page: SharePage,
    title: (texts) => texts.shareTitle,
    styled: true,
    hasMap: true,
    isPrivate: true,
  },
  {
    name: 'share-ended',
    Page: ShareEndedPage,
    title: (texts) => texts.shareEndedTitle,
    styled: false,
    hasMap: false,
    isPrivate: true,
  },
  {
    name: 'setup',
    Page: SetupPage,
    title: (texts) => texts.setupTitle,
    styled: true,
    hasMap: false,
    isPrivate: true,
  },
  {
    name: 'not-found',
    Page: NotFoundPage,
    title: (texts) => texts.notFoundTitle,
    styled: false,
    hasMap: false,
  },
]
