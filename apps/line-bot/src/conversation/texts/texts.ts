import type { LinkCommand } from '../vocabulary/command.ts'

/** All texts of the bot in one language. Functions take what varies. */
export type Texts = {
  /** Above the first line of a welcome where no name is known. */
  readonly unnamed: string
  readonly welcome: (who: string, event: string) => string
  readonly help: string
  /** To words that the bot does not know. */
  readonly puzzled: string
  /** To a button that it does not know (any more). */
  readonly oldButton: string
  readonly away: string

  readonly checkinHow: string
  readonly checkedIn: (place: string | null) => string
  readonly paused: string
  readonly ended: string
  readonly withdrawn: string
  readonly noPlace: string

  readonly photoKept: (count: number) => string
  readonly photoBroken: string
  readonly photoTooLarge: string

  readonly statistics: {
    readonly title: string
    readonly noLevel: string
    readonly level: (level: number) => string
    readonly walked: string
    readonly kilometres: (km: number) => string
    readonly checkins: string
    readonly times: (count: number) => string
    readonly photos: string
    readonly pictures: (count: number) => string
    readonly avoided: string
    readonly kilograms: (kg: number) => string
    readonly firstStep: (title: string) => string
    readonly toGo: (facts: { km: number; checkins: number; title: string }) => string
    readonly top: string
    /** On the button that leads to the page of one's walk. */
    readonly open: string
    readonly spoken: (facts: { km: number; checkins: number; title: string | null }) => string
  }

  readonly card: string
  readonly cardSpoken: string
  readonly noCard: string
  readonly links: Readonly<
    Record<LinkCommand, { title: string; text: string; open: string; missing: string }>
  >

  /** Below the sentence that the palanquin has no position yet. */
  readonly whereLater: string
  /** Below the sentence that its position is not available. */
  readonly whereAway: string

  readonly whichLanguage: string
  readonly languageChosen: string
  readonly stopped: string
  readonly resumed: string

  readonly eraseQuestion: string
  readonly eraseYes: string
  readonly eraseNo: string
  readonly eraseTooLate: string
  readonly erased: string
  readonly erasing: string
  readonly notErased: string

  /** Beside the link by which an app is set up. */
  readonly phoneLink: string

  /** In groups, where everybody reads along. */
  readonly groupHelp: (event: string) => string
  readonly groupPrivate: string

  /** On buttons: 20 UTF-16 units at the most. */
  readonly buttons: Readonly<
    Record<
      | 'sendLocation'
      | 'sendPhoto'
      | 'checkin'
      | 'mileage'
      | 'card'
      | 'where'
      | 'map'
      | 'walk'
      | 'family'
      | 'phones'
      | 'lost'
      | 'survey'
      | 'feedback'
      | 'help'
      | 'otherLanguage'
      | 'resume',
      string
    >
  >
}
